package explain

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/command/graph"
	"github.com/landbridge-io/landbridge/internal/command/status"
)

// pageSize bounds the objects that are in memory while all of a kind are looked through.
const pageSize = 500

// Graph returns what the objects of the snapshot depend on, among each other.
func (s *Snapshot) Graph() graph.Graph {
	var out graph.Graph
	add := func(k Key) {
		if !slices.ContainsFunc(out.Nodes, func(n graph.Node) bool { return n.ID == k.id() }) {
			out.Nodes = append(out.Nodes, s.drawn(k))
		}
	}
	for _, u := range s.Objects {
		from := keyOf(u)
		add(from)
		for _, l := range s.links(u) {
			to := []Key{l.Key}
			if l.Name == "" {
				to = nil
				for _, selected := range s.selected(l) {
					to = append(to, keyOf(selected))
				}
			}
			for _, k := range to {
				add(k)
				out.Edges = append(out.Edges, graph.Edge{From: from.id(), To: k.id(), Label: l.field})
			}
		}
	}
	return out.Sorted()
}

// id identifies the object in a graph.
func (k Key) id() string { return k.resource() + k.in() }

// drawn returns the node of an object.
func (s *Snapshot) drawn(k Key) graph.Node {
	out := graph.Node{ID: k.id(), Title: k.String(), Subject: k == s.Subject}
	u := s.find(k)
	switch {
	case s.unread(k) != "":
		out.State, out.Text = graph.Unknown, "may not be read"
	case u == nil:
		out.State, out.Text = graph.Failed, string(missing)
	case k.Group == "":
		out.State = graph.Ready
	default:
		row := status.RowOf(u)
		out.State, out.Text = drawnState(row.Health), string(row.Health)
		if row.Reason != "" && row.Reason != out.Text {
			out.Text += ", " + row.Reason
		}
	}
	return out
}

func drawnState(h status.Health) graph.State {
	switch h {
	case status.Ready:
		return graph.Ready
	case status.Failed, status.Retrying:
		return graph.Failed
	case unknown:
		return graph.Unknown
	default:
		return graph.Waiting
	}
}

// ReadReferrers adds to a snapshot what refers to its subject, and what refers to that, of some
// kinds, in all namespaces that may be read. It returns how many of those were left out, since
// there are too many.
func (r *Reader) ReadReferrers(ctx context.Context, s *Snapshot, kinds []status.Kind) (leftOut int, _ error) {
	var all []referrer
	for _, k := range kinds {
		found, err := r.referrersOf(ctx, s, k)
		if err != nil {
			return 0, err
		}
		all = append(all, found...)
	}
	reached := map[Key]bool{s.Subject: true}
	for again := true; again; {
		again = false
		for _, from := range all {
			if reached[from.Key] || !slices.ContainsFunc(from.to, func(l link) bool { return l.reaches(reached, all) }) {
				continue
			}
			reached[from.Key], again = true, true
			switch {
			case s.find(from.Key) != nil:
			case len(s.Objects) >= maxObjects:
				leftOut++
			default:
				if err := r.read(ctx, s, link{Key: from.Key, version: from.version}); err != nil {
					s.Unread = append(s.Unread, Unread{from.Key, err.Error()})
				}
			}
		}
	}
	return leftOut, nil
}

// referrer is an object with what it refers to.
type referrer struct {
	Key
	version string
	labels  map[string]string
	to      []link
}

// reaches reports whether the link leads to one of the objects.
func (l link) reaches(objects map[Key]bool, all []referrer) bool {
	if l.Name != "" {
		return objects[l.Key]
	}
	return slices.ContainsFunc(all, func(o referrer) bool {
		return objects[o.Key] && o.Group == l.Group && o.Kind == l.Kind && o.Namespace == l.Namespace &&
			labels.SelectorFromSet(l.labels).Matches(labels.Set(o.labels))
	})
}

// referrersOf returns the objects of a kind, with what they refer to. Kinds that may not be listed
// have none.
func (r *Reader) referrersOf(ctx context.Context, s *Snapshot, k status.Kind) (out []referrer, _ error) {
	gvk := schema.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind}
	probe := &unstructured.Unstructured{}
	probe.SetGroupVersionKind(gvk)
	if err := r.readOwner(ctx, s, probe); err != nil {
		return nil, absent(err) // its CRD was deleted since the kinds were listed
	}
	for list := (&unstructured.UnstructuredList{}); ; {
		list.SetGroupVersionKind(gvk.GroupVersion().WithKind(k.Kind + "List"))
		if err := r.client.List(ctx, list, client.Limit(pageSize), client.Continue(list.GetContinue())); err != nil {
			return out, mayList(err)
		}
		for i := range list.Items {
			u := &list.Items[i]
			to := s.links(u)
			for i := range to {
				to[i].key, to[i].field = "", ""
			}
			out = append(out, referrer{Key: keyOf(u), version: gvk.Version, labels: u.GetLabels(), to: to})
		}
		if list.GetContinue() == "" {
			return out, nil
		}
	}
}

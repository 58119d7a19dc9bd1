package upgrade

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/command/cluster"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/upgrade"
	"github.com/landbridge-io/landbridge/schema"
)

// Rollback is what an earlier version of a provider can go on with.
type Rollback struct {
	// Provider is the name of the TerraformProvider. Installed and To are its versions.
	Provider  string `json:"provider"`
	Installed string `json:"installed"`
	To        string `json:"to"`
	// Readable is the number of resources whose objects the earlier version can read as they are
	// stored.
	Readable int `json:"readable"`
	// Restored are the resources whose objects become what was stored before the upgrade, and Held
	// those that the earlier version cannot read.
	Restored []RolledBack `json:"restored"`
	Held     []RolledBack `json:"held"`
	// Notes are what is not known, and why.
	Notes []string `json:"notes,omitempty"`
}

// RolledBack is a resource whose object a later version has upgraded.
type RolledBack struct {
	upgrade.Kind
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	// Why the resource is held.
	Why string `json:"why,omitempty"`
}

// fate is what becomes of a resource when an earlier version takes over.
type fate int

const (
	readable fate = iota
	restored
	held
)

// fateOf returns what becomes of a record, which was loaded verbatim, with the schema of the
// earlier version, and why the resource is held.
func fateOf(rec store.Record, s *schema.Resource) (f fate, why string) {
	in := rec.Instance
	newer := in.Newer(s)
	deposed := false
	for _, d := range in.Deposed {
		deposed = deposed || d.Instance().Newer(s)
	}
	switch op := in.Operation; {
	case op != nil && (newer || deposed || op.SchemaVersion > s.Version):
		return held, fmt.Sprintf("its %s has not ended", op.Kind)
	case deposed:
		return held, "an object that was replaced is still to be destroyed"
	case !newer:
		return readable, ""
	}
	if _, ok := rec.RolledBack(s); ok {
		return restored, ""
	}
	if rec.Former != nil {
		return held, "what is kept of it is of a later version, too"
	}
	return held, "it was created or changed since the upgrade, or the upgrade is confirmed"
}

// PlanRollback returns what an earlier version of a provider can go on with.
func PlanRollback(ctx context.Context, reader client.Reader, stored *store.Secrets, earlier *cluster.InstalledProvider) (*Rollback, error) {
	crds, err := kinds.ListCRDs(ctx, reader, client.MatchingLabels{v1alpha1.LabelProvider: earlier.Name})
	if err != nil {
		return nil, fmt.Errorf("cannot list the provider's CRDs: %w", err)
	}
	out := &Rollback{Provider: earlier.Name, Restored: []RolledBack{}, Held: []RolledBack{}}
	for _, d := range crds {
		t := d.Annotations[v1alpha1.AnnotationResourceType]
		m := earlier.Model.Resources[t]
		if t != "" && m == nil {
			out.Notes = append(out.Notes, fmt.Sprintf("The version does not have the resource type %s: resources of %s are held.", t, d.Name))
		}
		if m == nil {
			continue
		}
		if err := out.add(ctx, stored, m); err != nil {
			return nil, fmt.Errorf("cannot read what is stored of %s: %w", d.Name, err)
		}
	}
	for _, list := range [][]RolledBack{out.Restored, out.Held} {
		slices.SortFunc(list, func(a, b RolledBack) int { return strings.Compare(a.order(), b.order()) })
	}
	slices.Sort(out.Notes)
	return out, nil
}

// add adds the resources of a type.
func (r *Rollback) add(ctx context.Context, stored *store.Secrets, m *model.Resource) error {
	var failed error
	err := stored.Each(ctx, m.Group, m.Kind, func(keys []store.Key) {
		for _, k := range keys {
			rec, err := stored.Load(ctx, k, store.Verbatim)
			stored.Forget(k)
			switch {
			case errors.Is(err, store.ErrNotFound):
			case errors.Is(err, store.ErrUnreadable):
				r.note(m, k, held, "its record cannot be read")
			case err != nil:
				failed = errors.Join(failed, err)
			default:
				f, why := fateOf(rec, m.Schema)
				r.note(m, k, f, why)
			}
		}
	})
	return errors.Join(err, failed)
}

// note notes what becomes of a resource.
func (r *Rollback) note(m *model.Resource, k store.Key, f fate, why string) {
	x := RolledBack{Kind: upgrade.Kind{ResourceType: m.Type, Group: m.Group, Kind: m.Kind}, Namespace: k.Namespace, Name: k.Name, Why: why}
	switch f {
	case readable:
		r.Readable++
	case restored:
		r.Restored = append(r.Restored, x)
	case held:
		r.Held = append(r.Held, x)
	}
}

// title names the resource, as NAMESPACE/NAME.
func (b RolledBack) title() string { return strings.TrimPrefix(b.Namespace+"/"+b.Name, "/") }

func (b RolledBack) order() string {
	return strings.Join([]string{b.ResourceType, b.Group, b.Why, b.Namespace, b.Name}, "\x00")
}

// Text writes the plan as text.
func (r *Rollback) Text(w io.Writer) error {
	var out strings.Builder
	fmt.Fprintf(&out, "TerraformProvider %s: %s -> %s\n", r.Provider, upgrade.Printable(r.Installed), upgrade.Printable(r.To))
	fmt.Fprintf(&out, "\nread as they are stored: %d\n", r.Readable)
	write := func(title string, list []RolledBack) {
		if len(list) == 0 {
			return
		}
		fmt.Fprintf(&out, "\n%s: %d\n", title, len(list))
		for i, x := range list {
			if i == 0 || list[i-1].ResourceType != x.ResourceType || list[i-1].Why != x.Why {
				fmt.Fprintf(&out, "  %s (%s)", x.ResourceType, x.Kind.Kind)
				if x.Why != "" {
					fmt.Fprintf(&out, ": %s", x.Why)
				}
				out.WriteString("\n")
			}
			fmt.Fprintf(&out, "      %s\n", upgrade.Printable(x.title()))
		}
	}
	write("restored as they were before the upgrade", r.Restored)
	write("held, and kept as they are, until a version runs that can read them", r.Held)
	for _, note := range r.Notes {
		fmt.Fprintf(&out, "Note: %s\n", upgrade.Printable(note))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

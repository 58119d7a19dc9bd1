package move

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/command/state"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// Mover moves resources from one cluster to another.
type Mover struct {
	Source, Target *state.Cluster
	// Patience bounds the wait for the running operation of each resource, and for the controller
	// to notice that it is paused. Defaults to 10 minutes.
	Patience time.Duration
	// Stopped is set if no controller runs in the source. Otherwise it has to show that it has
	// noticed the pause of each resource.
	Stopped bool
	// Tell is called with each step, for people. It may be nil.
	Tell func(resource, step string)

	// sourceID and targetID identify the clusters: the UIDs of their namespace kube-system.
	sourceID, targetID string
	kinds, targetKinds state.Kinds
}

// fieldOwner is the field manager of changes to custom resources.
const fieldOwner = client.FieldOwner("landbridge-move")

// moving is a resource that is being moved.
type moving struct {
	state.Kind
	key store.Key
}

func (r moving) name() client.ObjectKey {
	return client.ObjectKey{Namespace: r.key.Namespace, Name: r.key.Name}
}

func (r moving) object() *unstructured.Unstructured { return r.Object(r.key.Namespace, r.key.Name) }

func (r moving) String() string { return state.Title(r.key) }

// Check returns the selected resources that can be moved. Its error names everything that prevents
// it. It changes nothing.
func (m *Mover) Check(ctx context.Context, namespace string, args []string) ([]string, error) {
	all, err := m.open(ctx, namespace, args)
	if err != nil {
		return nil, err
	}
	if err := m.check(ctx, all); err != nil {
		return nil, err
	}
	out := make([]string, len(all))
	for i, r := range all {
		out[i] = r.String()
	}
	return out, nil
}

// Move moves the selected resources, or goes on with a move that was interrupted. It changes
// nothing if one of them cannot be moved.
func (m *Mover) Move(ctx context.Context, namespace string, args []string) error {
	all, err := m.open(ctx, namespace, args)
	if err != nil {
		return err
	}
	if err := m.check(ctx, all); err != nil {
		return err
	}
	// No resource is released before all are copied.
	for _, step := range []func(context.Context, moving) error{m.hold, m.copy, m.handOver} {
		for _, r := range all {
			if err := step(ctx, r); err != nil {
				return fmt.Errorf("%s: %w", r, err)
			}
		}
	}
	return nil
}

// Undo ends a move that was interrupted before the resources were released: they stay in the
// source.
func (m *Mover) Undo(ctx context.Context, namespace string, args []string) error {
	all, err := m.open(ctx, namespace, args)
	if err != nil {
		return err
	}
	for _, r := range all {
		if err := m.undo(ctx, r); err != nil {
			return fmt.Errorf("%s: %w", r, err)
		}
	}
	return nil
}

// open identifies the clusters, and returns the selected resources.
func (m *Mover) open(ctx context.Context, namespace string, args []string) ([]moving, error) {
	if m.Patience == 0 {
		m.Patience = 10 * time.Minute
	}
	if m.Tell == nil {
		m.Tell = func(string, string) {}
	}
	var err error
	if m.sourceID, err = identify(ctx, m.Source); err != nil {
		return nil, fmt.Errorf("source: %w", err)
	}
	if m.targetID, err = identify(ctx, m.Target); err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	if m.sourceID == m.targetID {
		return nil, errors.New("the source and the target are the same cluster")
	}
	if m.kinds, err = m.Source.Kinds(ctx); err != nil {
		return nil, fmt.Errorf("source: %w", err)
	}
	if m.targetKinds, err = m.Target.Kinds(ctx); err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	selection, err := m.kinds.Select(namespace, args)
	if err != nil {
		return nil, err
	}
	items := selection.Items
	if items == nil {
		for _, k := range m.kinds {
			items = append(items, state.Item{Kind: k})
		}
	}
	var out []moving
	for _, i := range items {
		found, err := m.find(ctx, i, namespace)
		if err != nil {
			return nil, err
		}
		for _, r := range found {
			if !slices.ContainsFunc(out, func(x moving) bool { return x.key == r.key }) {
				out = append(out, r)
			}
		}
	}
	return out, nil
}

// identify returns the UID of the namespace kube-system, which identifies a cluster.
func identify(ctx context.Context, c *state.Cluster) (string, error) {
	ns := &corev1.Namespace{}
	if err := c.Get(ctx, client.ObjectKey{Name: metav1.NamespaceSystem}, ns); err != nil {
		return "", fmt.Errorf("cannot identify the cluster: %w", err)
	}
	return string(ns.UID), nil
}

// find returns the resources of an item: those of the source, and those of the target whose move
// has not ended.
func (m *Mover) find(ctx context.Context, i state.Item, namespace string) ([]moving, error) {
	resource := func(name string) moving { return moving{i.Kind, i.Kind.Key(namespace, name)} }
	if i.Name != "" {
		r := resource(i.Name)
		l, err := m.look(ctx, r)
		if err != nil {
			return nil, err
		}
		if l.source == nil && l.mark == nil {
			return nil, fmt.Errorf("there is no %s in the source, and no move of it has begun", r)
		}
		return []moving{r}, nil
	}
	var out []moving
	here, err := list(ctx, m.Source, i.Kind, namespace)
	if err != nil {
		return nil, fmt.Errorf("source: %w", err)
	}
	for _, u := range here {
		out = append(out, resource(u.GetName()))
	}
	there, err := list(ctx, m.Target, i.Kind, namespace)
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	for _, u := range there {
		if k, err := markOf(u); err == nil && k != nil && k.Cluster == m.sourceID {
			out = append(out, resource(u.GetName()))
		}
	}
	return out, nil
}

func list(ctx context.Context, c *state.Cluster, k state.Kind, namespace string) ([]*unstructured.Unstructured, error) {
	all := &unstructured.UnstructuredList{}
	gvk := k.Object("", "").GroupVersionKind()
	gvk.Kind += "List"
	all.SetGroupVersionKind(gvk)
	var out []*unstructured.Unstructured
	for {
		err := c.List(ctx, all, client.InNamespace(namespace), client.Limit(500), client.Continue(all.GetContinue()))
		if kerrors.IsNotFound(err) || apimeta.IsNoMatchError(err) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("cannot list %s: %w", k, err)
		}
		for i := range all.Items {
			out = append(out, &all.Items[i])
		}
		if all.GetContinue() == "" {
			return out, nil
		}
	}
}

// held is the finalizers that hold a resource for its remote object.
func held(u *unstructured.Unstructured) bool {
	return slices.ContainsFunc(finalizers, func(f string) bool { return meta.FinalizerExists(u, f) })
}

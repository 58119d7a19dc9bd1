package state

import (
	"context"
	"fmt"
	"slices"
	"strings"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// Presence is whether the custom resource of a stored instance exists.
type Presence string

// The values of Presence.
const (
	// Exists: there is such a resource.
	Exists Presence = "Exists"
	// Missing: there is no such resource.
	Missing Presence = "Missing"
	// NotServed: the cluster does not serve its kind.
	NotServed Presence = "NotServed"
)

// Entry is a stored instance in a list.
type Entry struct {
	Group     string   `json:"group"`
	Kind      string   `json:"kind"`
	Namespace string   `json:"namespace,omitempty"`
	Name      string   `json:"name"`
	Type      string   `json:"type,omitempty"`
	Resource  Presence `json:"resource"`
}

// Key returns the key of the instance.
func (e Entry) Key() store.Key {
	return store.Key{Group: e.Group, Kind: e.Kind, Namespace: e.Namespace, Name: e.Name}
}

// Keys returns the keys of the selected stored instances, sorted.
func (c *Cluster) Keys(ctx context.Context, s Selection) ([]store.Key, error) {
	all, err := c.Stored.List(ctx)
	if err != nil {
		return nil, err
	}
	out := slices.DeleteFunc(all, func(k store.Key) bool { return !s.Matches(k) })
	slices.SortFunc(out, func(a, b store.Key) int { return strings.Compare(order(a), order(b)) })
	return out, nil
}

func order(k store.Key) string {
	return strings.Join([]string{k.Group, k.Kind, k.Namespace, k.Name}, "\x00")
}

// Entries returns the selected stored instances.
func (c *Cluster) Entries(ctx context.Context, kinds Kinds, s Selection) ([]Entry, error) {
	keys, err := c.Keys(ctx, s)
	if err != nil {
		return nil, err
	}
	out := make([]Entry, len(keys))
	existing := map[string]map[client.ObjectKey]bool{}
	for i, k := range keys {
		out[i] = Entry{Group: k.Group, Kind: k.Kind, Namespace: k.Namespace, Name: k.Name, Resource: NotServed}
		kind, ok := kinds.Of(k)
		if !ok {
			continue
		}
		if existing[kind.String()] == nil {
			if existing[kind.String()], err = c.names(ctx, kind, s.Namespace); err != nil {
				return nil, err
			}
		}
		out[i].Type, out[i].Resource = kind.Type, Missing
		if existing[kind.String()][client.ObjectKey{Namespace: k.Namespace, Name: k.Name}] {
			out[i].Resource = Exists
		}
	}
	return out, nil
}

// names returns the names of the resources of a kind, in one namespace or, with "", in all.
func (c *Cluster) names(ctx context.Context, k Kind, namespace string) (map[client.ObjectKey]bool, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(kschema.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind.Kind + "List"})
	out := map[client.ObjectKey]bool{}
	for {
		err := c.List(ctx, list, client.InNamespace(namespace), client.Limit(500), client.Continue(list.GetContinue()))
		if kerrors.IsNotFound(err) || meta.IsNoMatchError(err) {
			return out, nil // the kind was removed meanwhile
		}
		if err != nil {
			return nil, fmt.Errorf("cannot list %s: %w", k, err)
		}
		for i := range list.Items {
			out[client.ObjectKeyFromObject(&list.Items[i])] = true
		}
		if list.GetContinue() == "" {
			return out, nil
		}
	}
}

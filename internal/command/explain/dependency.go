package explain

import (
	"maps"

	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Dependency is what an object needs: another object, or those that labels select.
type Dependency struct {
	Key
	// Field of the object that names the other; empty for what serves its kind.
	Field string `json:"field,omitempty"`
	// Labels select the objects of the kind in the namespace. The dependency has no name then.
	Labels map[string]string `json:"labels,omitempty"`

	via via
}

// Means reports whether the dependency is on an object with labels.
func (d Dependency) Means(k Key, of map[string]string) bool {
	if d.Name != "" {
		return d.Key == k
	}
	return d.Group == k.Group && d.Kind == k.Kind && d.Namespace == k.Namespace && labels.SelectorFromSet(d.Labels).Matches(labels.Set(of))
}

// Same reports whether two dependencies are equal.
func (d Dependency) Same(o Dependency) bool {
	return d.Key == o.Key && d.Field == o.Field && d.via == o.via && maps.Equal(d.Labels, o.Labels)
}

// Owns reports whether the dependency is on what serves the kind of the object.
func (d Dependency) Owns() bool { return d.via == viaOwner }

// Dependencies returns what an object needs, as far as the object and the snapshot tell.
func (s *Snapshot) Dependencies(u *unstructured.Unstructured) []Dependency {
	var out []Dependency
	for _, l := range s.links(u) {
		out = append(out, Dependency{Key: l.Key, Field: l.field, Labels: l.labels, via: l.via})
	}
	return out
}

// Causes returns the dependencies that may be the cause of a reason with a message, the likeliest
// first. Certain is set if the only one is the cause, however it is doing itself.
func Causes(reason, message string, all []Dependency) (out []Dependency, certain bool) {
	of := func(v via) (some []Dependency) {
		for _, d := range all {
			if d.via == v {
				some = append(some, d)
			}
		}
		return some
	}
	if configs := of(viaConfig); unusable(message) && len(configs) == 1 {
		return configs, true
	}
	for _, v := range causesOf(reason) {
		if v != viaSecret { // of which nothing but its existence could be known
			out = append(out, of(v)...)
		}
	}
	return out, false
}

// KindSnapshot returns a snapshot without objects, which knows what serves a kind and what the
// references of its objects mean.
func (r *Reader) KindSnapshot(ctx context.Context, gvk schema.GroupVersionKind) (*Snapshot, error) {
	s := &Snapshot{Owners: map[string]string{}, Types: map[string]string{}, References: map[string]map[string][]string{}, System: r.System}
	probe := &unstructured.Unstructured{}
	probe.SetGroupVersionKind(gvk)
	return s, r.readOwner(ctx, s, probe)
}

// Add adds objects to a snapshot that are not in it. It returns how many were left out, since there
// are too many.
func (r *Reader) Add(ctx context.Context, s *Snapshot, keys []Key) (leftOut int) {
	for i, k := range keys {
		switch {
		case s.find(k) != nil:
		case len(s.Objects) >= maxObjects:
			return len(keys) - i
		default:
			if err := r.read(ctx, s, link{Key: k}); err != nil {
				s.Unread = append(s.Unread, Unread{k, err.Error()})
			} else if u := s.find(k); u != nil {
				// What a link means depends on what serves the kind. Without that, there are fewer.
				_ = r.readOwner(ctx, s, u)
			}
		}
	}
	return 0
}

// Object returns the subject; nil if it is not in the snapshot.
func (s *Snapshot) Object() *unstructured.Unstructured { return s.find(s.Subject) }

// Resource returns KIND.GROUP/NAME, as kubectl and landbridge take it.
func (k Key) Resource() string { return k.resource() }

// In returns the flag that names the namespace, with a space before it; "" without one.
func (k Key) In() string { return k.in() }

// KeyOf returns the key of an object.
func KeyOf(u *unstructured.Unstructured) Key { return keyOf(u) }

// IsConfig reports whether the object is a provider configuration.
func (k Key) IsConfig() bool { return isConfig(k) }

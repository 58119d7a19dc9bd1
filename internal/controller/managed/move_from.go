package managed

import (
	"context"
	"fmt"
	"slices"
	"strings"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// moveSource returns the resource that another one, with a key, takes its object over from; false
// if it names none.
func moveSource(u *unstructured.Unstructured, to store.Key) (from store.Key, ok bool) {
	parts := strings.Split((&CustomResource{Unstructured: *u}).annotation(v1alpha1.AnnotationMoveFrom), "/")
	from = store.Key{Group: to.Group, Namespace: to.Namespace}
	switch {
	case slices.Contains(parts, ""):
		return from, false
	case len(parts) == 2:
		from.Kind, from.Name = parts[0], parts[1]
	case len(parts) == 4:
		from.Group, from.Kind, from.Name = parts[0], parts[2], parts[3]
	default:
		return from, false
	}
	return from, true
}

// moveFrom returns the resource whose object a resource takes over; nil if it takes none over.
func (k *Kind) moveFrom(ctx context.Context, r *CustomResource) *scheduler.MoveFrom {
	value := r.annotation(v1alpha1.AnnotationMoveFrom)
	if value == "" {
		return nil
	}
	out := &scheduler.MoveFrom{At: fmt.Sprintf("metadata.annotations[%s] is %q", v1alpha1.AnnotationMoveFrom, value)}
	invalid := func(format string, args ...any) *scheduler.MoveFrom {
		out.Invalid = diagnostic.Errorf("Object not moved", out.At+": "+format, args...)
		return out
	}
	var ok bool
	if out.Key, ok = moveSource(&r.Unstructured, k.key(&r.Unstructured)); !ok {
		return invalid("KIND/NAME or GROUP/VERSION/KIND/NAME is expected.")
	}
	from := k
	if group := (schema.GroupKind{Group: out.Key.Group, Kind: out.Key.Kind}); group != k.Model.GroupVersionKind().GroupKind() {
		if from = k.Neighbours.Kind(group); from == nil {
			return invalid("No controller serves the kind %s here. Correct it, or activate its type.", group)
		}
	}
	if from.Model.Schema == nil || k.Model.Schema == nil {
		return invalid("Instances of modules are not moved.")
	}
	out.Type, out.ProviderAddress = from.Model.Type, from.ProviderAddress
	out.Same = from.Model.Type == k.Model.Type &&
		(from.Model.Group == k.Model.Group || from.ProviderAddress != "" && from.ProviderAddress == k.ProviderAddress)
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(from.Model.GroupVersionKind())
	err := from.live.Get(ctx, types.NamespacedName{Namespace: out.Key.Namespace, Name: out.Key.Name}, u)
	switch {
	case kerrors.IsNotFound(err):
		return out
	case err != nil:
		return invalid("It cannot be read: %s.", err)
	}
	out.Exists, out.UID = true, u.GetUID()
	source := &CustomResource{}
	source.assign(u)
	if spec, _ := from.read(source); !spec.Policies.Manage {
		return invalid("%s %s only observes its object, and cannot give it away.", out.Key.Kind, out.Key.Name)
	}
	return out
}

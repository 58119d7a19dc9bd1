package halt

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
)

// follow calls set with a ConfigMap as it is, and whenever it changes, until ctx ends. One that
// does not exist is empty. forbidden is called when it may not be read.
func follow(ctx context.Context, client typedcorev1.ConfigMapInterface, name string, set func(*corev1.ConfigMap), forbidden func(error)) {
	selector := fields.OneTermEqualSelector(metav1.ObjectNameField, name).String()
	told := func(err error) {
		if kerrors.IsForbidden(err) {
			forbidden(err)
		}
	}
	lists := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			o.FieldSelector = selector
			out, err := client.List(ctx, o)
			told(err)
			return out, err
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.FieldSelector = selector
			out, err := client.Watch(ctx, o)
			told(err)
			return out, err
		},
	}
	to := store{name, set}
	cache.NewReflectorWithOptions(cache.ToListWatcherWithWatchListSemantics(lists, client), &corev1.ConfigMap{}, to,
		cache.ReflectorOptions{Name: name}).RunWithContext(ctx)
}

// store is the reflector's store of a single ConfigMap.
type store struct {
	name string
	set  func(*corev1.ConfigMap)
}

// Add implements cache.ReflectorStore.
func (s store) Add(object any) error {
	if c, ok := object.(*corev1.ConfigMap); ok && c.Name == s.name {
		s.set(c)
	}
	return nil
}

// Update implements cache.ReflectorStore.
func (s store) Update(object any) error { return s.Add(object) }

// Delete implements cache.ReflectorStore.
func (s store) Delete(object any) error {
	if c, ok := object.(*corev1.ConfigMap); ok && c.Name != s.name {
		return nil
	}
	s.set(&corev1.ConfigMap{})
	return nil
}

// Replace implements cache.ReflectorStore.
func (s store) Replace(objects []any, _ string) error {
	for _, object := range objects {
		if c, ok := object.(*corev1.ConfigMap); ok && c.Name == s.name {
			s.set(c)
			return nil
		}
	}
	s.set(&corev1.ConfigMap{})
	return nil
}

// Resync implements cache.ReflectorStore.
func (store) Resync() error { return nil }

package local

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Objects are the objects of manifests. It reads a cluster as it would be after they were applied.
type Objects struct {
	cluster client.Reader
	objects map[sourceKey]*unstructured.Unstructured
}

// NewObjects returns no objects yet. cluster has all others; it is nil if there are none.
func NewObjects(cluster client.Reader) *Objects {
	return &Objects{cluster: cluster, objects: map[sourceKey]*unstructured.Unstructured{}}
}

// sourceKey identifies an object that references may be resolved from.
type sourceKey struct {
	schema.GroupKind
	namespace, name string
}

func keyOf(u *unstructured.Unstructured) sourceKey {
	return sourceKey{u.GroupVersionKind().GroupKind(), u.GetNamespace(), u.GetName()}
}

// Add adds an object, or replaces it.
func (o *Objects) Add(u *unstructured.Unstructured) { o.objects[keyOf(u)] = u }

// Remove removes an object.
func (o *Objects) Remove(u *unstructured.Unstructured) { delete(o.objects, keyOf(u)) }

// Like returns the object of the same kind, namespace and name; nil if there is none.
func (o *Objects) Like(u *unstructured.Unstructured) *unstructured.Unstructured {
	return o.objects[keyOf(u)]
}

// Get implements client.Reader.
func (o *Objects) Get(ctx context.Context, key client.ObjectKey, into client.Object, options ...client.GetOption) error {
	switch into := into.(type) {
	case *corev1.Secret:
		if u := o.objects[sourceKey{schema.GroupKind{Kind: "Secret"}, key.Namespace, key.Name}]; u != nil {
			return SecretOf(u, into)
		}
	case *unstructured.Unstructured:
		if u := o.objects[sourceKey{into.GroupVersionKind().GroupKind(), key.Namespace, key.Name}]; u != nil {
			u.DeepCopyInto(into)
			return nil
		}
	}
	if o.cluster == nil {
		return kerrors.NewNotFound(schema.GroupResource{Resource: into.GetObjectKind().GroupVersionKind().Kind}, key.Name)
	}
	return o.cluster.Get(ctx, key, into, options...)
}

// SecretOf converts a Secret. The API server has no stringData in what it returns, but the Secret
// may come from a manifest that could not be applied.
func SecretOf(u *unstructured.Unstructured, into *corev1.Secret) error {
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, into); err != nil {
		return fmt.Errorf("the Secret %s cannot be read: %w", u.GetName(), err)
	}
	for k, v := range into.StringData {
		if into.Data == nil {
			into.Data = map[string][]byte{}
		}
		into.Data[k] = []byte(v)
	}
	return nil
}

// List implements client.Reader.
func (o *Objects) List(ctx context.Context, into client.ObjectList, options ...client.ListOption) error {
	if o.cluster != nil {
		if err := o.cluster.List(ctx, into, options...); err != nil {
			return err
		}
	}
	list, ok := into.(*unstructured.UnstructuredList)
	if !ok {
		return nil
	}
	var selected client.ListOptions
	selected.ApplyOptions(options)
	if selected.LabelSelector == nil {
		selected.LabelSelector = labels.Everything()
	}
	kind := schema.GroupKind{Group: list.GroupVersionKind().Group, Kind: strings.TrimSuffix(list.GetKind(), "List")}
	list.Items = slices.DeleteFunc(list.Items, func(u unstructured.Unstructured) bool { return o.objects[keyOf(&u)] != nil })
	for key, u := range o.objects {
		if key.GroupKind == kind && (selected.Namespace == "" || key.namespace == selected.Namespace) &&
			selected.LabelSelector.Matches(labels.Set(u.GetLabels())) {
			list.Items = append(list.Items, *u.DeepCopy())
		}
	}
	return nil
}

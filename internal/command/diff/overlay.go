package diff

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// overlay reads a cluster as it would be after the manifests were applied.
type overlay struct {
	client.Reader
	objects map[objectKey]*unstructured.Unstructured
}

type objectKey struct {
	schema.GroupKind
	namespace, name string
}

func keyOf(u *unstructured.Unstructured) objectKey {
	return objectKey{u.GroupVersionKind().GroupKind(), u.GetNamespace(), u.GetName()}
}

func (o *overlay) add(u *unstructured.Unstructured) { o.objects[keyOf(u)] = u }

// Get implements client.Reader.
func (o *overlay) Get(ctx context.Context, key client.ObjectKey, into client.Object, options ...client.GetOption) error {
	switch into := into.(type) {
	case *corev1.Secret:
		if u := o.objects[objectKey{schema.GroupKind{Kind: "Secret"}, key.Namespace, key.Name}]; u != nil {
			return secretOf(u, into)
		}
	case *unstructured.Unstructured:
		if u := o.objects[objectKey{into.GroupVersionKind().GroupKind(), key.Namespace, key.Name}]; u != nil {
			u.DeepCopyInto(into)
			return nil
		}
	}
	return o.Reader.Get(ctx, key, into, options...)
}

// secretOf converts a Secret. The API server has no stringData in what it returns, but the Secret may come from a
// manifest that could not be applied.
func secretOf(u *unstructured.Unstructured, into *corev1.Secret) error {
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
func (o *overlay) List(ctx context.Context, into client.ObjectList, options ...client.ListOption) error {
	if err := o.Reader.List(ctx, into, options...); err != nil {
		return err
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
		if key.GroupKind == kind && (selected.Namespace == "" || key.namespace == selected.Namespace) && selected.LabelSelector.Matches(labels.Set(u.GetLabels())) {
			list.Items = append(list.Items, *u.DeepCopy())
		}
	}
	return nil
}

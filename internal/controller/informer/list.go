package informer

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// List implements client.Reader. Only those objects are unpacked whose labels a selector matches.
func (l listened) List(ctx context.Context, into client.ObjectList, o ...client.ListOption) error {
	list, ok := into.(*unstructured.UnstructuredList)
	options := (&client.ListOptions{}).ApplyOptions(o)
	if !ok || options.LabelSelector == nil || options.LabelSelector.Empty() || options.FieldSelector != nil ||
		options.Limit != 0 || options.Continue != "" {
		return l.Cache.List(ctx, into, o...)
	}
	obj := &unstructured.Unstructured{}
	gvk := list.GroupVersionKind()
	gvk.Kind = strings.TrimSuffix(gvk.Kind, "List")
	obj.SetGroupVersionKind(gvk)
	informer, err := l.GetInformer(ctx, obj) // waits until it is synced
	if err != nil {
		return err
	}
	whole, _ := informer.(prompt)
	p, ok := whole.SharedIndexInformer.(packing)
	if !ok {
		return l.Cache.List(ctx, into, o...)
	}
	all := p.SharedIndexInformer.GetIndexer().List()
	if options.Namespace != "" {
		if all, err = p.SharedIndexInformer.GetIndexer().ByIndex(toolscache.NamespaceIndex, options.Namespace); err != nil {
			return err
		}
	}
	list.Items = nil
	for _, o := range all {
		if o, ok := o.(*packed); ok && o.matches(options.LabelSelector) {
			u := o.unpack()
			if options.UnsafeDisableDeepCopy == nil || !*options.UnsafeDisableDeepCopy {
				u = u.DeepCopy()
			}
			list.Items = append(list.Items, *u)
		}
	}
	return nil
}

// matches reports whether a selector matches the labels of an object.
func (p *packed) matches(s labels.Selector) bool {
	set, err := labels.ConvertSelectorToLabelsMap(p.labels.Value())
	return err == nil && s.Matches(set) // packing has formatted them
}

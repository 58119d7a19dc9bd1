package references

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/fieldpath"
	"k8s.io/apimachinery/pkg/api/equality"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/managed"
	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/scheduler/store"
)

// maxIndex bounds how far a path makes a list grow.
const maxIndex = 255

// Resolver resolves references.
type Resolver struct {
	// Reader reads kinds that are served here, from a cache.
	Reader client.Reader
	// Served is the kind of the lists of a kind; ok is false if the kind is not served here.
	Served func(schema.GroupKind) (list string, ok bool)
}

// Resolution is what became of a resource's references.
type Resolution struct {
	// Changed: fields of the resource were set.
	Changed bool
	// Targets are the resources that are referred to by name, and those that were selected.
	Targets []store.Key
	// Missing says what is waited for, one thing each; Awaited are where to look for it. The
	// name is empty where it is to be selected.
	Missing []string
	Awaited []store.Key
}

// Resolve fills in the fields of a resource that its references, as Of has them, are about, in place. Values that
// are there stay, unless the policy says to resolve always. An error is a reference that nothing
// can come of as it is.
func (r Resolver) Resolve(ctx context.Context, u *unstructured.Unstructured, refs []managed.Reference) (Resolution, error) {
	var out Resolution
	spec, _ := u.Object["spec"].(map[string]any)
	paved := fieldpath.Pave(spec, fieldpath.WithMaxFieldPathIndex(maxIndex))
	var wrong []error
	for i, ref := range refs {
		at := fmt.Sprintf("spec.references[%d]", i)
		before, err := paved.GetValue(ref.To)
		if err != nil && !fieldpath.IsNotFound(err) {
			wrong = append(wrong, fmt.Errorf("%s.to is %q: %w", at, ref.To, err))
			continue
		}
		set := err == nil && before != nil
		target, value, missing, err := r.find(ctx, u, ref)
		if target.Name != "" {
			out.Targets = append(out.Targets, target)
		}
		switch {
		case set && !ref.Policy.IsResolvePolicyAlways():
		case err != nil:
			wrong = append(wrong, fmt.Errorf("%s.from: %w", at, err))
		case missing == "":
			if set && equality.Semantic.DeepEqual(before, value) {
				continue
			}
			if err := paved.SetValue(ref.To, value); err != nil {
				wrong = append(wrong, fmt.Errorf("%s.to is %q: %w", at, ref.To, err))
				continue
			}
			out.Changed = true
		default:
			out.Awaited = append(out.Awaited, target)
			if !ref.Policy.IsResolutionPolicyOptional() {
				out.Missing = append(out.Missing, fmt.Sprintf("spec.%s: %s", ref.To, missing))
			}
		}
	}
	if out.Changed {
		u.Object["spec"] = paved.UnstructuredContent()
	}
	return out, errors.Join(wrong...)
}

// find is the resource that is referred to, and the value of its field, or what it is missing.
func (r Resolver) find(ctx context.Context, u *unstructured.Unstructured, ref managed.Reference) (_ store.Key, value any, missing string, err error) {
	from, gvk, key := ref.From, kindOf(ref.From), keyOf(ref.From)
	list, ok := r.Served(gvk.GroupKind())
	if !ok {
		return key, nil, fmt.Sprintf("no kind %s of %s is served here yet", gvk.Kind, gvk.GroupVersion()), nil
	}
	var target *unstructured.Unstructured
	if from.Selector != nil {
		target, err = r.selected(ctx, u, from, gvk.GroupVersion().WithKind(list))
	} else {
		target = &unstructured.Unstructured{}
		target.SetGroupVersionKind(gvk)
		if err = r.Reader.Get(ctx, client.ObjectKey{Namespace: from.Namespace, Name: from.Name}, target); kerrors.IsNotFound(err) {
			target, err = nil, nil
		}
	}
	switch {
	case err != nil:
		return key, nil, "", err
	case from.Namespace != u.GetNamespace() && (target == nil || !mayRefer(u, target)):
		// The same words for both: what others have is none of our business.
		return key, nil, fmt.Sprintf("%s may not be referred to from namespace %s: there is none, or its annotation %s does not allow it", describe(from), u.GetNamespace(), v1alpha1.AnnotationReferableFrom), nil
	case target == nil:
		return key, nil, fmt.Sprintf("there is no %s", describe(from)), nil
	}
	key.Name = target.GetName()
	if target.GetDeletionTimestamp() != nil {
		return key, nil, fmt.Sprintf("%s is being deleted", describe(from)), nil
	}
	value, err = fieldpath.Pave(target.Object).GetValue(from.FieldPath)
	if fieldpath.IsNotFound(err) || err == nil && (value == nil || value == "") {
		return key, nil, fmt.Sprintf("%s has no %s yet", describe(from), from.FieldPath), nil
	} else if err != nil {
		return key, nil, "", fmt.Errorf("fieldPath is %q: %w", from.FieldPath, err)
	}
	return key, value, "", nil
}

func (r Resolver) selected(ctx context.Context, u *unstructured.Unstructured, from managed.ReferenceSource, list schema.GroupVersionKind) (*unstructured.Unstructured, error) {
	all := &unstructured.UnstructuredList{}
	all.SetGroupVersionKind(list)
	err := r.Reader.List(ctx, all, client.InNamespace(from.Namespace), client.MatchingLabelsSelector{Selector: labels.SelectorFromSet(from.Selector.MatchLabels)})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all.Items, func(a, b unstructured.Unstructured) int { return strings.Compare(a.GetName(), b.GetName()) })
	for i := range all.Items {
		x := &all.Items[i]
		if x.GetUID() == u.GetUID() || x.GetDeletionTimestamp() != nil || !mayRefer(u, x) {
			continue
		}
		if owner := metav1.GetControllerOf(u); from.Selector.MatchControllerRef && (owner == nil || !metav1.IsControlledBy(x, &metav1.ObjectMeta{UID: owner.UID})) {
			continue
		}
		return x, nil
	}
	return nil, nil
}

// mayRefer says whether a resource may refer to another: one of its namespace, or one that says so.
func mayRefer(from, to *unstructured.Unstructured) bool {
	if from.GetNamespace() == to.GetNamespace() {
		return true
	}
	for _, ns := range strings.Split(to.GetAnnotations()[v1alpha1.AnnotationReferableFrom], ",") {
		if ns = strings.TrimSpace(ns); ns == "*" || ns == from.GetNamespace() && ns != "" {
			return true
		}
	}
	return false
}

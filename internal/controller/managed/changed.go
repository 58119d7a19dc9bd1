package managed

import (
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// ours are the annotations that setAnnotations writes.
var ours = map[string]bool{meta.AnnotationKeyExternalName: true, v1alpha1.AnnotationIdentity: true}

// Changed returns a predicate for the events that need a reconcile. It must receive every event of
// the cache.
func (r *Reconciler) Changed() predicate.TypedPredicate[*unstructured.Unstructured] {
	return DesiredStateChanged(r.kind.namedBySpec(), func(u *unstructured.Unstructured, gone bool) {
		r.kind.tracked.received(u, gone)
		r.kind.received(u, gone)
	})
}

// DesiredStateChanged returns a predicate for changes of spec, labels, annotations, finalizers and
// deletion, but not of the status, which this controller writes. received is called with every
// event. named is set when the external name is part of the configuration.
func DesiredStateChanged(
	named bool, received func(u *unstructured.Unstructured, gone bool),
) predicate.TypedPredicate[*unstructured.Unstructured] {
	return predicate.TypedFuncs[*unstructured.Unstructured]{
		CreateFunc: func(e event.TypedCreateEvent[*unstructured.Unstructured]) bool {
			received(e.Object, false)
			return true
		},
		DeleteFunc: func(e event.TypedDeleteEvent[*unstructured.Unstructured]) bool {
			received(e.Object, true)
			return true
		},
		UpdateFunc: func(e event.TypedUpdateEvent[*unstructured.Unstructured]) bool {
			received(e.ObjectNew, false)
			return e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration() ||
				!equality.Semantic.DeepEqual(e.ObjectOld.GetDeletionTimestamp(), e.ObjectNew.GetDeletionTimestamp()) ||
				!equality.Semantic.DeepEqual(e.ObjectOld.GetLabels(), e.ObjectNew.GetLabels()) ||
				named && e.ObjectOld.GetAnnotations()[meta.AnnotationKeyExternalName] != e.ObjectNew.GetAnnotations()[meta.AnnotationKeyExternalName] ||
				!sameAnnotations(e.ObjectOld.GetAnnotations(), e.ObjectNew.GetAnnotations()) ||
				(!e.ObjectNew.GetDeletionTimestamp().IsZero() && len(e.ObjectOld.GetFinalizers()) != len(e.ObjectNew.GetFinalizers()))
		},
	}
}

// sameAnnotations ignores the annotations that this controller writes itself.
func sameAnnotations(a, b map[string]string) bool {
	for k, v := range a {
		if b[k] != v && !ours[k] {
			return false
		}
	}
	for k := range b {
		if _, ok := a[k]; !ok && !ours[k] {
			return false
		}
	}
	return true
}

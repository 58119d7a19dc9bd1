package managed

import (
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// held reports whether one of our finalizers holds the resource.
func held(o metav1.Object) bool {
	return meta.FinalizerExists(o, xpmanaged.FinalizerName) || meta.FinalizerExists(o, v1alpha1.FinalizerCreated)
}

// finalizerReplaced reports whether of our finalizers, only Crossplane's holds the resource.
func finalizerReplaced(o metav1.Object) bool {
	return meta.FinalizerExists(o, xpmanaged.FinalizerName) && !meta.FinalizerExists(o, v1alpha1.FinalizerCreated)
}

// replaceFinalizer replaces the finalizer that the API server added by Crossplane's.
func replaceFinalizer(o metav1.Object) {
	meta.RemoveFinalizer(o, v1alpha1.FinalizerCreated)
	meta.AddFinalizer(o, xpmanaged.FinalizerName)
}

// released reports whether the resource is being deleted and none of our finalizers holds it: its
// remote object is gone, or was never created. Looking it up again could find a later object.
func released(u *unstructured.Unstructured) bool {
	return u.GetDeletionTimestamp() != nil && !held(u)
}

package results

import (
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/unmanaged"
)

// object is a data source or an ephemeral resource during one reconcile.
type object struct{ unmanaged.Resource }

func (o *object) ready() bool { return o.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue }

// observedGeneration is the generation that the status describes.
func (o *object) observedGeneration() int64 {
	n, _, _ := unstructured.NestedInt64(o.Object, "status", "observedGeneration")
	return n
}

// requests are the tokens of the annotations that ask for a read.
type requests struct{ own, crossplane string }

func (o *object) requested() requests {
	return requests{
		own:        o.GetAnnotations()[v1alpha1.AnnotationReconcile],
		crossplane: o.GetAnnotations()[meta.AnnotationKeyReconcileRequestedAt],
	}
}

// unhandled reports whether a read is requested that was not made yet.
func (o *object) unhandled() bool {
	now := o.requested()
	return now.own != "" && now.own != o.Text("status", "lastHandled", "reconcileRequestedAt") ||
		now.crossplane != "" && now.crossplane != o.Text("status", "lastHandledReconcileAt")
}

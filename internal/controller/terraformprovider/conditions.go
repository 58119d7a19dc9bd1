package terraformprovider

import (
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// Fine are the conditions Installed and Healthy of an object of that generation that is as it should be.
func Fine(generation int64) (installed, healthy xpv2.Condition) {
	return condition(v1alpha1.TypeInstalled, corev1.ConditionTrue, v1alpha1.ReasonInstalled, "", generation),
		condition(v1alpha1.TypeHealthy, corev1.ConditionTrue, v1alpha1.ReasonHealthy, "", generation)
}

// Wrong are the same of one with a problem. What is not installed is not healthy either.
func Wrong(generation int64, t xpv2.ConditionType, reason xpv2.ConditionReason, err error) (installed, healthy xpv2.Condition) {
	installed, _ = Fine(generation)
	if t == v1alpha1.TypeInstalled {
		installed = condition(t, corev1.ConditionFalse, reason, err.Error(), generation)
	}
	return installed, condition(v1alpha1.TypeHealthy, corev1.ConditionFalse, reason, err.Error(), generation)
}

func condition(t xpv2.ConditionType, s corev1.ConditionStatus, reason xpv2.ConditionReason, message string, generation int64) xpv2.Condition {
	return xpv2.Condition{Type: t, Status: s, Reason: reason, Message: message, LastTransitionTime: metav1.Now(), ObservedGeneration: generation}
}

// AgainOnConflict comes back soon and quietly when the object that was read was not the latest.
func AgainOnConflict(err error) (reconcile.Result, error) {
	if kerrors.IsConflict(err) {
		return reconcile.Result{RequeueAfter: 100 * time.Millisecond}, nil
	}
	return reconcile.Result{}, err
}

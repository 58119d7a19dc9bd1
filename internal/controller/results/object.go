package results

import (
	"slices"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
)

// object is a data source or an ephemeral resource during one reconcile.
type object struct {
	managed.CustomResource
	// read is the object as read. It must not be changed.
	read *unstructured.Unstructured
	// secrets are redacted from messages.
	secrets []string
	visit   *providerconfig.Visit
}

func newObject(u *unstructured.Unstructured, visit *providerconfig.Visit) *object {
	return &object{CustomResource: managed.CustomResource{Unstructured: *u.DeepCopy()}, read: u, visit: visit}
}

func configReference(u *unstructured.Unstructured) *xpv2.ProviderConfigReference {
	r := managed.CustomResource{Unstructured: *u}
	return r.GetProviderConfigReference()
}

func (o *object) text(path ...string) string {
	s, _, _ := unstructured.NestedString(o.Object, path...)
	return s
}

func (o *object) set(value any, path ...string) {
	_ = unstructured.SetNestedField(o.Object, value, path...) // the CRD's schema has objects on the path
}

func (o *object) remove(path ...string) { unstructured.RemoveNestedField(o.Object, path...) }

func (o *object) condition(t xpv2.ConditionType, s corev1.ConditionStatus, reason xpv2.ConditionReason, message string) {
	if before := o.GetCondition(t); before.Status == s && before.Reason == reason && before.Message == message && before.ObservedGeneration == o.GetGeneration() {
		return
	}
	c := xpv2.Unavailable()
	c.Type, c.Status, c.Reason, c.Message = t, s, reason, message
	o.SetConditions(c.WithObservedGeneration(o.GetGeneration()))
}

func (o *object) ready() bool { return o.GetCondition(xpv2.TypeReady).Status == corev1.ConditionTrue }

// observedGeneration is the generation that the status describes.
func (o *object) observedGeneration() int64 {
	n, _, _ := unstructured.NestedInt64(o.Object, "status", "observedGeneration")
	return n
}

// requests are the tokens of the annotations that ask for a read.
type requests struct{ own, crossplane string }

func (o *object) requested() requests {
	return requests{own: o.GetAnnotations()[v1alpha1.AnnotationReconcile], crossplane: o.GetAnnotations()[meta.AnnotationKeyReconcileRequestedAt]}
}

// unhandled reports whether a read is requested that was not made yet.
func (o *object) unhandled() bool {
	now := o.requested()
	return now.own != "" && now.own != o.text("status", "lastHandled", "reconcileRequestedAt") ||
		now.crossplane != "" && now.crossplane != o.text("status", "lastHandledReconcileAt")
}

func (o *object) paused() bool {
	return o.GetAnnotations()[meta.AnnotationKeyReconciliationPaused] == "true"
}

// warnings sets status.warnings, and returns those that are new.
func (o *object) setWarnings(now []string) (added []string) {
	before, _, _ := unstructured.NestedStringSlice(o.Object, "status", "warnings")
	if len(now) == 0 {
		o.remove("status", "warnings")
		return nil
	}
	_ = unstructured.SetNestedStringSlice(o.Object, now, "status", "warnings")
	return slices.DeleteFunc(slices.Clone(now), func(w string) bool { return slices.Contains(before, w) })
}

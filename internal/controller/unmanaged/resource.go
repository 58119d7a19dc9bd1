package unmanaged

import (
	"context"
	"maps"
	"slices"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Resource is a resource of a kind during one look.
type Resource struct {
	managed.CustomResource
	// Read is the object as read. It must not be changed.
	Read *unstructured.Unstructured
	// Secrets are redacted from messages.
	Secrets []string
	Visit   *providerconfig.Visit
}

// NewResource returns a resource for a look at what was read.
func NewResource(u *unstructured.Unstructured, visit *providerconfig.Visit) Resource {
	return Resource{CustomResource: managed.CustomResource{Unstructured: *u.DeepCopy()}, Read: u, Visit: visit}
}

// Text returns a string of the object; empty if there is none at the path.
func (o *Resource) Text(path ...string) string { return TextOf(&o.Unstructured, path...) }

// TextOf returns a string of an object; empty if there is none at the path.
func TextOf(u *unstructured.Unstructured, path ...string) string {
	s, _, _ := unstructured.NestedString(u.Object, path...)
	return s
}

// Set sets a value of the object.
func (o *Resource) Set(value any, path ...string) {
	_ = unstructured.SetNestedField(o.Object, value, path...) // the CRD's schema has objects on the path
}

// Remove removes a value of the object.
func (o *Resource) Remove(path ...string) { unstructured.RemoveNestedField(o.Object, path...) }

// Condition sets a condition, unless it is the same already.
func (o *Resource) Condition(t xpv2.ConditionType, s corev1.ConditionStatus, reason xpv2.ConditionReason, message string) {
	if before := o.GetCondition(t); before.Status == s && before.Reason == reason && before.Message == message &&
		before.ObservedGeneration == o.GetGeneration() {
		return
	}
	c := xpv2.Unavailable()
	c.Type, c.Status, c.Reason, c.Message = t, s, reason, message
	o.SetConditions(c.WithObservedGeneration(o.GetGeneration()))
}

// SetDeferred sets the condition Deferred. An object that was never deferred has none.
func (o *Resource) SetDeferred(why terraform.Deferral, message string) {
	switch {
	case why != terraform.NotDeferred:
		o.Condition(v1alpha1.TypeDeferred, corev1.ConditionTrue, managed.DeferredReasons[why], message)
	case o.GetCondition(v1alpha1.TypeDeferred).Status == corev1.ConditionTrue:
		o.Condition(v1alpha1.TypeDeferred, corev1.ConditionFalse, managed.DeferredReasons[why], "")
	}
}

// maxWarnings bounds status.warnings.
const maxWarnings = 20

// SetWarnings sets status.warnings, and returns those that are new.
func (o *Resource) SetWarnings(now []string) (added []string) {
	before, _, _ := unstructured.NestedStringSlice(o.Object, "status", "warnings")
	now = slices.Compact(slices.Sorted(slices.Values(now)))
	now = now[:min(len(now), maxWarnings)]
	if len(now) == 0 {
		o.Remove("status", "warnings")
		return nil
	}
	_ = unstructured.SetNestedStringSlice(o.Object, now, "status", "warnings")
	return slices.DeleteFunc(slices.Clone(now), func(w string) bool { return slices.Contains(before, w) })
}

// Redacted returns a text without the sensitive values that are known of the object.
func (o *Resource) Redacted(text string) string {
	var hidden redact.Redactor
	hidden.AddStrings(o.Secrets...)
	return hidden.Replacer().ReplaceInLine(text)
}

// Paused reports whether the object is paused by its annotation.
func (o *Resource) Paused() bool {
	return o.GetAnnotations()[meta.AnnotationKeyReconciliationPaused] == "true"
}

// Write writes the status, if it differs from what was read. It fails if the object has changed
// since.
func (o *Resource) Write(ctx context.Context, c client.Client) error {
	if err := o.EncodeConditions(); err != nil {
		return err
	}
	if equality.Semantic.DeepEqual(o.Read.Object["status"], o.Object["status"]) {
		return nil
	}
	return o.Confirm(ctx, c)
}

// Confirm writes the status even if it does not differ from what was read, which shows that the
// object has not changed since.
func (o *Resource) Confirm(ctx context.Context, c client.Client) error {
	if err := o.EncodeConditions(); err != nil {
		return err
	}
	// What references have set is not written, and neither is anything else of the spec. The client
	// sets metadata, and what was read is in the cache.
	out := &unstructured.Unstructured{Object: maps.Clone(o.Read.Object)}
	out.Object["status"] = o.Object["status"]
	if metadata, ok := out.Object["metadata"].(map[string]any); ok {
		out.Object["metadata"] = maps.Clone(metadata)
	}
	if err := c.Status().Update(ctx, out); err != nil {
		return err
	}
	o.Read = out
	o.SetResourceVersion(out.GetResourceVersion())
	return nil
}

// Change writes a change of the metadata. It fails if the object has changed since it was read.
func (o *Resource) Change(ctx context.Context, c client.Client, change func(client.Object)) error {
	out := o.Read.DeepCopy()
	change(out)
	if err := c.Update(ctx, out); err != nil {
		return err
	}
	o.Read = out
	o.SetFinalizers(out.GetFinalizers())
	o.SetResourceVersion(out.GetResourceVersion())
	return nil
}

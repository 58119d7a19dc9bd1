package managed

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// CustomResource is a managed resource of any kind during one reconcile.
type CustomResource struct {
	unstructured.Unstructured

	// read is the object as read. It is shared with the cache and must not be changed.
	read *unstructured.Unstructured
	// conditions are decoded at first use, and encoded when the status is written. They have their
	// whole messages.
	conditions *xpv2.ConditionedStatus
	// observation is the observation that the status is made from.
	observation *scheduler.Observation
	// reason replaces the reason of a failed Synced condition, which managed.Reconciler always sets
	// to ReconcileError.
	reason xpv2.ConditionReason
	// failed is the kind of the operation that a failed Synced condition is about; empty if it is
	// about none.
	failed instance.OperationKind
	// holdStatus suppresses writes of the status: an operation has just been started, and most end
	// soon.
	holdStatus bool
	// secrets are redacted from messages: those of the resource and of its provider configuration.
	secrets []string
	// told is set when the failure has an event already.
	told bool
	// requested is set when an operation was requested that changes the remote object.
	requested bool
	// secretMissing is set when a Secret that the resource refers to cannot be read.
	secretMissing bool
	// later reports whether the value of a Secret is known only after a replacement, so that it is
	// not read. It may be nil: none is.
	later func(translate.SecretKeySelector) bool
	// mistaken is set when a reference cannot be resolved until it is changed.
	mistaken bool
	// differs describes fields that do not follow their references.
	differs []string
	// unwritten are the parts of the resource in which references have set values in memory only.
	unwritten []references.Unwritten
	// replaced are the resources that this one refers to whose objects are being replaced, and
	// released those for whose replacement it waits no more.
	replaced map[store.Key]*unstructured.Unstructured
	released map[store.Key]bool
	// configuring are the resources from whose objects its provider configurations take values, but
	// for those that it refers to.
	configuring []store.Key
	// retryAt is when a failed operation is tried again.
	retryAt time.Time
	// detailsKnown is set when the connection details are those of an existing object.
	detailsKnown bool
}

var _ resource.ModernManaged = (*CustomResource)(nil)

// DeepCopyObject implements runtime.Object.
func (r *CustomResource) DeepCopyObject() runtime.Object {
	out := *r
	out.Unstructured = *r.Unstructured.DeepCopy()
	if r.conditions != nil {
		out.conditions = r.conditions.DeepCopy()
	}
	return &out
}

func (r *CustomResource) conditioned() *xpv2.ConditionedStatus {
	if r.conditions == nil {
		r.conditions = &xpv2.ConditionedStatus{}
		if raw, ok, _ := unstructured.NestedFieldNoCopy(r.Object, "status", "conditions"); ok {
			if b, err := json.Marshal(raw); err == nil {
				// Malformed conditions count as none; they are overwritten.
				_ = json.Unmarshal(b, &r.conditions.Conditions)
			}
			whole, _, _ := unstructured.NestedStringMap(r.Object, "status", "messages")
			crd.RestoreMessages(r.conditions.Conditions, whole)
		}
	}
	return r.conditions
}

// encodeConditions sets the conditions of the object to the decoded ones.
func (r *CustomResource) encodeConditions() error {
	shown := slices.Clone(r.conditions.Conditions)
	whole := crd.ShortenMessages(shown)
	list, err := conditionsJSON(shown)
	if err != nil {
		return err
	}
	r.set(list, "status", "conditions")
	unstructured.RemoveNestedField(r.Object, "status", "messages")
	if whole != nil {
		_ = unstructured.SetNestedStringMap(r.Object, whole, "status", "messages") // status is an object
	}
	return nil
}

func conditionsJSON(conditions []xpv2.Condition) ([]any, error) {
	b, err := json.Marshal(conditions)
	if err != nil {
		return nil, err
	}
	var raw []map[string]any
	if err := json.Unmarshal(b, &raw); err != nil {
		return nil, err
	}
	out := make([]any, len(raw))
	for i, m := range raw {
		// JSON numbers are float64 here, and int64 in what the API server sends.
		if g, ok := m["observedGeneration"].(float64); ok {
			m["observedGeneration"] = int64(g)
		}
		out[i] = m
	}
	return out, nil
}

// GetCondition implements resource.Conditioned.
func (r *CustomResource) GetCondition(t xpv2.ConditionType) xpv2.Condition {
	return r.conditioned().GetCondition(t)
}

// SetConditions implements resource.Conditioned.
func (r *CustomResource) SetConditions(c ...xpv2.Condition) {
	for i := range c {
		if c[i].Type != xpv2.TypeSynced {
			continue
		}
		switch c[i].Reason {
		case xpv2.ReasonReconcileError:
			c[i].Message = r.phased(c[i].Message)
			if r.reason != "" {
				c[i].Reason, c[i].Message = r.reason, plainly(r.reason, c[i].Message)
			}
		case xpv2.ReasonReconcileSuccess:
			if failure, ok := r.retries(); ok {
				c[i] = failure
			}
		}
	}
	r.conditioned().SetConditions(c...)
}

// retries returns the condition Synced of the failed operation that is being tried again: until it
// succeeds, the resource is not as declared. It is false if no operation was begun, or if the last
// one did not fail or was of another generation.
func (r *CustomResource) retries() (synced xpv2.Condition, ok bool) {
	began := r.requested || r.observation != nil && r.observation.Operation != nil
	last := r.GetCondition(v1alpha1.TypeLastAsyncOperation)
	if !began || r.read == nil || last.Status != corev1.ConditionFalse {
		return synced, false
	}
	synced = (&CustomResource{Unstructured: *r.read}).GetCondition(xpv2.TypeSynced)
	if synced.Status == corev1.ConditionFalse && synced.ObservedGeneration == r.GetGeneration() && ofOperation(synced.Message) {
		return synced, true
	}
	// The delay may have passed before anything told of the failure.
	if o := r.observation; o != nil && o.Last.Failed() && o.Last.Generation == r.GetGeneration() {
		return xpv2.ReconcileError(errors.New(failedPhase(o.Last.Kind) + last.Message)).WithObservedGeneration(r.GetGeneration()), true
	}
	return synced, false
}

// retried returns the token of the last request of a retry that the status, as read, has as
// handled.
func (r *CustomResource) retried() string {
	if r.read == nil {
		return ""
	}
	token, _, _ := unstructured.NestedString(r.read.Object, "status", "lastHandled", "retry")
	return token
}

// phased returns the message of a failure with the operation that has failed. managed.Reconciler
// only knows the one that it asks for next: after a create that left a part of the object, that is
// an update.
func (r *CustomResource) phased(message string) string {
	if r.failed == "" {
		return message
	}
	for _, p := range phases {
		if rest, ok := strings.CutPrefix(message, p); ok {
			return failedPhase(r.failed) + rest
		}
	}
	return message
}

// failedPhase is how managed.Reconciler begins the message of a failed operation.
func failedPhase(kind instance.OperationKind) string {
	return strings.ToLower(string(kind)) + " failed: "
}

// ofOperation reports whether a message of Synced is about a failed operation.
func ofOperation(message string) bool {
	for _, p := range phases[2:] {
		if strings.HasPrefix(message, p) {
			return true
		}
	}
	return false
}

// failedUntold reports whether the last operation has failed, and the status that was read does not
// tell. The next attempt may begin at once, when the delay has passed meanwhile.
func (r *CustomResource) failedUntold() bool {
	c := r.GetCondition(v1alpha1.TypeLastAsyncOperation)
	if c.Status != corev1.ConditionFalse {
		return false
	}
	before := &CustomResource{}
	if r.read != nil {
		before.Object = r.read.Object
	}
	return !before.GetCondition(v1alpha1.TypeLastAsyncOperation).Equal(c)
}

// removeCondition removes a condition, if there is one.
func (r *CustomResource) removeCondition(t xpv2.ConditionType) {
	s := r.conditioned()
	s.Conditions = slices.DeleteFunc(s.Conditions, func(c xpv2.Condition) bool { return c.Type == t })
}

// phases are the steps of managed.Reconciler that precede its messages.
var phases = []string{"connect failed: ", "observe failed: ", "create failed: ", "update failed: ", "delete failed: "}

// unasked are the reasons with which nothing was asked of the provider, so that nothing has failed.
var unasked = map[xpv2.ConditionReason]bool{
	v1alpha1.ReasonAwaitingApproval: true, v1alpha1.ReasonPlanChanged: true, v1alpha1.ReasonDriftReported: true,
	v1alpha1.ReasonInterrupted: true, v1alpha1.ReasonCreateAttemptsExhausted: true, v1alpha1.ReasonNeverSettles: true, v1alpha1.ReasonInconsistentResult: true,
}

// plainly returns a message without the step that it is from, where that misleads: a spec is read
// while connecting, and nothing fails while a plan waits.
func plainly(reason xpv2.ConditionReason, message string) string {
	prefixes := phases[:1]
	if unasked[reason] {
		prefixes = phases
	}
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(message, p); ok {
			return rest
		}
	}
	return message
}

// GetManagementPolicies implements resource.Manageable.
func (r *CustomResource) GetManagementPolicies() xpv2.ManagementPolicies {
	list, ok, _ := unstructured.NestedStringSlice(r.Object, "spec", "managementPolicies")
	if !ok {
		return xpv2.ManagementPolicies{xpv2.ManagementActionAll}
	}
	out := make(xpv2.ManagementPolicies, len(list))
	for i, p := range list {
		out[i] = xpv2.ManagementAction(p)
	}
	return out
}

// SetManagementPolicies implements resource.Manageable.
func (r *CustomResource) SetManagementPolicies(p xpv2.ManagementPolicies) {
	list := make([]any, len(p))
	for i, a := range p {
		list[i] = string(a)
	}
	r.set(list, "spec", "managementPolicies")
}

// GetWriteConnectionSecretToReference implements resource.LocalConnectionSecretWriterTo.
// It returns nil while there are no details to write.
func (r *CustomResource) GetWriteConnectionSecretToReference() *xpv2.LocalSecretReference {
	name, ok, _ := unstructured.NestedString(r.Object, "spec", "writeConnectionSecretToRef", "name")
	if !ok || !r.detailsKnown {
		return nil
	}
	return &xpv2.LocalSecretReference{Name: name}
}

// SetWriteConnectionSecretToReference implements resource.LocalConnectionSecretWriterTo.
func (r *CustomResource) SetWriteConnectionSecretToReference(ref *xpv2.LocalSecretReference) {
	if ref == nil {
		unstructured.RemoveNestedField(r.Object, "spec", "writeConnectionSecretToRef")
		return
	}
	r.set(ref.Name, "spec", "writeConnectionSecretToRef", "name")
}

// GetProviderConfigReference implements resource.TypedProviderConfigReferencer.
func (r *CustomResource) GetProviderConfigReference() *xpv2.ProviderConfigReference {
	ref := r.object("spec", "providerConfigRef")
	if ref == nil {
		return nil
	}
	return providerConfigReference(ref)
}

func providerConfigReference(ref map[string]any) *xpv2.ProviderConfigReference {
	kind, _ := ref["kind"].(string)
	name, _ := ref["name"].(string)
	return &xpv2.ProviderConfigReference{Kind: kind, Name: name}
}

// providerConfigReferences returns spec.providerConfigRefs, which instances of modules have.
func (r *CustomResource) providerConfigReferences() map[string]*xpv2.ProviderConfigReference {
	var out map[string]*xpv2.ProviderConfigReference
	for name, x := range r.object("spec", "providerConfigRefs") {
		ref, _ := x.(map[string]any)
		if out == nil {
			out = map[string]*xpv2.ProviderConfigReference{}
		}
		out[name] = providerConfigReference(ref)
	}
	return out
}

// SetProviderConfigReference implements resource.TypedProviderConfigReferencer.
func (r *CustomResource) SetProviderConfigReference(ref *xpv2.ProviderConfigReference) {
	if ref == nil {
		unstructured.RemoveNestedField(r.Object, "spec", "providerConfigRef")
		return
	}
	r.set(map[string]any{"kind": ref.Kind, "name": ref.Name}, "spec", "providerConfigRef")
}

// GetLastHandledReconcileAt returns the last reconcile request that was handled.
func (r *CustomResource) GetLastHandledReconcileAt() string {
	s, _, _ := unstructured.NestedString(r.Object, "status", "lastHandledReconcileAt")
	return s
}

// SetLastHandledReconcileAt records that a reconcile request was handled.
func (r *CustomResource) SetLastHandledReconcileAt(token string) {
	r.set(token, "status", "lastHandledReconcileAt")
}

// setHandledReconcile records that the request of the annotation
// landbridge.io/reconcile-requested-at was handled.
func (r *CustomResource) setHandledReconcile() {
	token := r.annotation(v1alpha1.AnnotationReconcile)
	if r.read != nil && (token == "" || paused(r)) {
		token, _, _ = unstructured.NestedString(r.read.Object, "status", "lastHandled", "reconcileRequestedAt")
	}
	if token != "" {
		r.set(token, "status", "lastHandled", "reconcileRequestedAt")
	}
}

// object returns a nested object of the custom resource, not copied; nil if it is absent.
func (r *CustomResource) object(path ...string) map[string]any {
	m, _, _ := unstructured.NestedFieldNoCopy(r.Object, path...)
	out, _ := m.(map[string]any)
	return out
}

func (r *CustomResource) string(path ...string) string {
	s, _, _ := unstructured.NestedString(r.Object, path...)
	return s
}

// annotation returns an annotation; empty if there is none. GetAnnotations copies all of them.
func (r *CustomResource) annotation(name string) string {
	return r.string("metadata", "annotations", name)
}

// set sets a nested field. The CRD's schema ensures that its parents are objects.
func (r *CustomResource) set(value any, path ...string) {
	if r.Object == nil {
		r.Object = map[string]any{}
	}
	_ = unstructured.SetNestedField(r.Object, value, path...)
}

// assign sets r to a copy of an object as read.
func (r *CustomResource) assign(read *unstructured.Unstructured) {
	r.lend(read)
	r.Unstructured = *read.DeepCopy()
}

// lend sets r to an object as read, of which nothing may be changed.
func (r *CustomResource) lend(read *unstructured.Unstructured) {
	r.read, r.conditions, r.observation, r.told = read, nil, nil, false
	r.requested, r.secretMissing, r.differs, r.retryAt, r.failed, r.mistaken, r.unwritten = false, false, nil, time.Time{}, "", false, nil
	r.Unstructured = *read
}

// paused reports whether managed.Reconciler leaves a resource alone.
func paused(r *CustomResource) bool {
	return r.annotation(meta.AnnotationKeyReconciliationPaused) == "true" || len(r.GetManagementPolicies()) == 0
}

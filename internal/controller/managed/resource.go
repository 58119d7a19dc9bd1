package managed

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
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
	// reason is that of a failed Synced condition; ReconcileError if it is empty.
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
	// lookAt is when the resource is looked at again: when a failed operation may be tried again,
	// or a provider becomes available. It is zero if the loop decides that.
	lookAt time.Time
	// annotationsLeft is set when only annotations are left to write, which wait for other
	// resources.
	annotationsLeft bool
	// request is that of the last observation; nil if there was none.
	request *scheduler.Request
	// visit records the outcome of acquiring a provider; nil outside of a reconcile.
	visit *providerconfig.Visit
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

// EncodeConditions sets the conditions of the object to the decoded ones.
func (r *CustomResource) EncodeConditions() error {
	shown := slices.Clone(r.conditioned().Conditions)
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

// GetCondition returns a condition; one of status Unknown if there is none.
func (r *CustomResource) GetCondition(t xpv2.ConditionType) xpv2.Condition {
	return r.conditioned().GetCondition(t)
}

// SetConditions sets conditions.
func (r *CustomResource) SetConditions(c ...xpv2.Condition) { r.conditioned().SetConditions(c...) }

// RemoveCondition removes a condition, if there is one.
func (r *CustomResource) RemoveCondition(t xpv2.ConditionType) {
	s := r.conditioned()
	s.Conditions = slices.DeleteFunc(s.Conditions, func(c xpv2.Condition) bool { return c.Type == t })
}

// GetManagementPolicies returns spec.managementPolicies; all if there are none.
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

// GetWriteConnectionSecretToReference implements resource.LocalConnectionSecretWriterTo.
func (r *CustomResource) GetWriteConnectionSecretToReference() *xpv2.LocalSecretReference {
	name, ok, _ := unstructured.NestedString(r.Object, "spec", "writeConnectionSecretToRef", "name")
	if !ok {
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

// GetProviderConfigReference returns spec.providerConfigRef; nil if there is none.
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

// SetHandledReconcile records that the requests of the annotations
// landbridge.io/reconcile-requested-at and Crossplane's were handled.
func (r *CustomResource) SetHandledReconcile() {
	if token, ok := meta.GetReconcileRequest(r); ok && !paused(r) {
		r.set(token, "status", "lastHandledReconcileAt")
	}
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
func (r *CustomResource) lend(read *unstructured.Unstructured) { r.read, r.Unstructured = read, *read }

// paused reports whether a resource is left alone.
func paused(r *CustomResource) bool {
	return r.annotation(meta.AnnotationKeyReconciliationPaused) == "true" || len(r.GetManagementPolicies()) == 0
}

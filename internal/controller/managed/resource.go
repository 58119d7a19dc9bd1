package managed

import (
	"encoding/json"

	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/landbridge-io/landbridge/internal/scheduler"
)

// CustomResource is a managed resource of any kind, on its way through one reconcile.
type CustomResource struct {
	unstructured.Unstructured

	// read is the object as it was read, shared with the cache: never to be changed.
	read *unstructured.Unstructured
	// conditions are read from the object at first use, and put back when the status is written.
	conditions *xpv2.ConditionedStatus
	// observation is what the status tells of.
	observation *scheduler.Observation
	// reason replaces the reason of a failed Synced condition, which managed.Reconciler always
	// calls ReconcileError.
	reason xpv2.ConditionReason
	// holdStatus keeps the status from being written: a short operation was just started, and
	// its end will be written soon.
	holdStatus bool
	// secrets are what no message may show: of the configuration and of its provider's.
	secrets []string
	// told says that what goes wrong was told when it happened.
	told bool
	// detailsKnown says that the connection details are those of an existing object.
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
				// A foreign shape counts as no conditions; they are written anew.
				_ = json.Unmarshal(b, &r.conditions.Conditions)
			}
		}
	}
	return r.conditions
}

// GetCondition implements resource.Conditioned.
func (r *CustomResource) GetCondition(t xpv2.ConditionType) xpv2.Condition {
	return r.conditioned().GetCondition(t)
}

// SetConditions implements resource.Conditioned.
func (r *CustomResource) SetConditions(c ...xpv2.Condition) {
	for i := range c {
		if c[i].Type == xpv2.TypeSynced && c[i].Reason == xpv2.ReasonReconcileError && r.reason != "" {
			c[i].Reason = r.reason
		}
	}
	r.conditioned().SetConditions(c...)
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
// There is none as long as there are no details to write.
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
	ref, ok, _ := unstructured.NestedStringMap(r.Object, "spec", "providerConfigRef")
	if !ok {
		return nil
	}
	return &xpv2.ProviderConfigReference{Kind: ref["kind"], Name: ref["name"]}
}

// SetProviderConfigReference implements resource.TypedProviderConfigReferencer.
func (r *CustomResource) SetProviderConfigReference(ref *xpv2.ProviderConfigReference) {
	if ref == nil {
		unstructured.RemoveNestedField(r.Object, "spec", "providerConfigRef")
		return
	}
	r.set(map[string]any{"kind": ref.Kind, "name": ref.Name}, "spec", "providerConfigRef")
}

// GetLastHandledReconcileAt is the reconcile request that was handled last.
func (r *CustomResource) GetLastHandledReconcileAt() string {
	s, _, _ := unstructured.NestedString(r.Object, "status", "lastHandledReconcileAt")
	return s
}

// SetLastHandledReconcileAt notes that a reconcile request was handled.
func (r *CustomResource) SetLastHandledReconcileAt(token string) {
	r.set(token, "status", "lastHandledReconcileAt")
}

// object is a nested object of the custom resource, not copied; nil when it is not there.
func (r *CustomResource) object(path ...string) map[string]any {
	m, _, _ := unstructured.NestedFieldNoCopy(r.Object, path...)
	out, _ := m.(map[string]any)
	return out
}

func (r *CustomResource) string(path ...string) string {
	s, _, _ := unstructured.NestedString(r.Object, path...)
	return s
}

// set changes a nested field. The parents are objects by the CRD's schema.
func (r *CustomResource) set(value any, path ...string) {
	if r.Object == nil {
		r.Object = map[string]any{}
	}
	_ = unstructured.SetNestedField(r.Object, value, path...)
}

// assign makes r the object that was read.
func (r *CustomResource) assign(read *unstructured.Unstructured) {
	r.read, r.conditions, r.observation, r.told = read, nil, nil, false
	r.Unstructured = *read.DeepCopy()
}

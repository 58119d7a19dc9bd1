package desired

import (
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// CustomResource is a custom resource, with the defaults of its CRD.
type CustomResource struct {
	Namespace, Name string
	Annotations     map[string]string
	Spec            map[string]any
	// AtProvider is status.atProvider; nil if the object was not observed yet.
	AtProvider map[string]any
}

// Spec is the request of a custom resource, except for the configuration, which depends on Secrets:
// Configuration returns it.
type Spec struct {
	Model *model.Resource
	// Subject is the resource's input to templates and functions of the provider's configuration.
	Subject translate.Subject
	// Paused is set when reconciles are paused.
	Paused   bool
	Policies Policies
	// ReplaceNever is set when spec.lifecycle forbids replacements, whatever Policies permit
	// otherwise.
	ReplaceNever bool
	// LateInitialize permits writing values that the provider chose to spec.forProvider.
	LateInitialize bool
	Import         Import
	// Known is the object that the annotations name; nil when they name none.
	Known  *KnownObject
	Tokens Tokens
	// NamedImport is the id by which the object can be imported as soon as it exists.
	NamedImport translate.NamedImport
	// CreateToken is the argument that makes creates idempotent; nil if there is none.
	CreateToken *CreateToken
	// CreateAttempts is the number of creates of the same configuration that may fail after they
	// have made an object.
	CreateAttempts int64
	// CreationGracePeriod is how long the object may be missing after its create; nil for the
	// controller's default.
	CreationGracePeriod *time.Duration
	// DeleteWithoutRefresh is set when the object is to be destroyed without being read first.
	DeleteWithoutRefresh bool
	// Timeouts are those of spec.lifecycle. DefaultTimeouts are those of the provider's
	// configuration.
	Timeouts, DefaultTimeouts Timeouts

	createBeforeDestroy bool
	ignoreChanges       []string
}

// Tokens are the values of the annotations that ask for something. Each value acts once.
type Tokens struct{ Taint, Untaint, Retry, Reapply, Interrupt, ConfirmCreate, ConfirmAccount, Approve, ApprovedBy string }

// Read reads a custom resource. Errors are about annotations and timeouts; what is wrong with
// spec.import is in Import. With errors the Spec lacks only what they are about.
func Read(m *model.Resource, r CustomResource) (Spec, diagnostic.Diagnostics) {
	lifecycle := object(r.Spec, "lifecycle")
	actions := actionsOf(r.Spec)
	out := Spec{
		Model: m, Subject: subject(m, r),
		Paused:               len(actions) == 0 || r.Annotations[meta.AnnotationKeyReconciliationPaused] == "true",
		Policies:             policies(actions, lifecycle),
		ReplaceNever:         lifecycle["replacePolicy"] == crd.ReplaceNever,
		LateInitialize:       allows(actions, xpv2.ManagementActionLateInitialize),
		Import:               importOf(m, object(r.Spec, "import")),
		DefaultTimeouts:      defaultTimeouts(m.Settings.Timeouts),
		DeleteWithoutRefresh: r.Annotations[v1alpha1.AnnotationDeleteWithoutRefresh] == "true",
		Tokens: Tokens{
			Taint: r.Annotations[v1alpha1.AnnotationTaint], Untaint: r.Annotations[v1alpha1.AnnotationUntaint],
			Retry: r.Annotations[v1alpha1.AnnotationRetry], Reapply: r.Annotations[v1alpha1.AnnotationReapply],
			Interrupt:     r.Annotations[v1alpha1.AnnotationInterrupt],
			ConfirmCreate: r.Annotations[v1alpha1.AnnotationConfirmCreate], ConfirmAccount: r.Annotations[v1alpha1.AnnotationConfirmAccount],
			Approve: r.Annotations[v1alpha1.AnnotationApprove], ApprovedBy: r.Annotations[v1alpha1.AnnotationApprovedBy],
		},
	}
	out.NamedImport, out.CreateToken = translate.ImportBeforehand(m, out.Subject), createToken(m)
	out.CreateAttempts = createAttempts(lifecycle["createAttempts"])
	out.createBeforeDestroy, _ = lifecycle["createBeforeDestroy"].(bool)
	out.ignoreChanges, _, _ = unstructured.NestedStringSlice(lifecycle, "ignoreChanges")
	var diags, more diagnostic.Diagnostics
	out.Timeouts, diags = timeouts(object(lifecycle, "timeouts"))
	out.CreationGracePeriod, more = gracePeriod(lifecycle["creationGracePeriod"], m.Settings.CreationGracePeriod)
	diags = append(diags, more...)
	out.Known, more = knownObject(m, r, out.Subject)
	return out, append(diags, more...)
}

// defaultCreateAttempts is the default of spec.lifecycle.createAttempts.
const defaultCreateAttempts = 3

// createAttempts reads spec.lifecycle.createAttempts. Numbers of manifests may be floats.
func createAttempts(in any) int64 {
	switch n := in.(type) {
	case int64:
		return max(n, 1)
	case float64:
		return max(int64(n), 1)
	default:
		return defaultCreateAttempts
	}
}

// subject returns the resource's input to templates and functions of the provider's configuration.
func subject(m *model.Resource, r CustomResource) translate.Subject {
	out := translate.Subject{
		Namespace: r.Namespace, Name: r.Name, ExternalName: r.Annotations[meta.AnnotationKeyExternalName],
		ForProvider: object(r.Spec, "forProvider"), InitProvider: object(r.Spec, "initProvider"),
	}
	ref := object(r.Spec, "providerConfigRef")
	out.ProviderConfigKind, _ = ref["kind"].(string)
	out.ProviderConfigName, _ = ref["name"].(string)
	if f := m.Settings.Argument; f != nil && out.ExternalName == "" {
		// An annotation that is lost does not rename the object.
		out.ExternalName, _ = r.AtProvider[f.JSONName].(string)
	}
	return out
}

// object returns a nested object, not copied; nil if there is none.
func object(in map[string]any, name string) map[string]any {
	out, _ := in[name].(map[string]any)
	return out
}

package discovery

import (
	"encoding/json"

	xpmeta "github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// OwnerOf returns a custom resource as an owner. Its object is only declared as long as its status
// does not show it.
func OwnerOf(r *model.Resource, u *unstructured.Unstructured) Owner {
	out := Owner{Kind: r.Kind, Namespace: u.GetNamespace(), Name: u.GetName(), ExternalName: xpmeta.GetExternalName(u)}
	if id, _, _ := unstructured.NestedString(u.Object, "spec", "import", "id"); out.ExternalName == "" {
		out.ExternalName = id
	}
	out.Identity, out.Declared = identityOf(r, u)
	return out
}

// identityOf returns the identity of the resource's object: from its status, its annotation or
// spec.import. It is declared if the status does not have it. cty.NilVal if none of them can be
// read.
func identityOf(r *model.Resource, u *unstructured.Unstructured) (_ cty.Value, declared bool) {
	if r.Schema.Identity == nil {
		return cty.NilVal, false
	}
	read := func(m map[string]any) (cty.Value, bool) {
		// An identity of an older provider version may not fit the schema.
		v, diags := translate.ImportIdentity(r, m)
		return v, m != nil && !diags.HasErrors()
	}
	status, _, _ := unstructured.NestedMap(u.Object, "status", "identity")
	if v, ok := read(status); ok {
		return v, false
	}
	var annotated map[string]any
	if raw := u.GetAnnotations()[v1alpha1.AnnotationIdentity]; raw != "" {
		_ = json.Unmarshal([]byte(raw), &annotated) // what cannot be read says nothing
	}
	if v, ok := read(annotated); ok {
		return v, true
	}
	imported, _, _ := unstructured.NestedMap(u.Object, "spec", "import", "identity")
	if v, ok := read(imported); ok {
		return v, true
	}
	return cty.NilVal, false
}

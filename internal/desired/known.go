package desired

import (
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/zclconf/go-cty/cty"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// KnownObject is the object that the annotations of a resource name. It is looked up if nothing
// is stored: the state was lost, or the annotation was set to adopt the object. If it is not
// found, it is gone, but an interrupted create may have made another object since.
type KnownObject struct {
	Target terraform.ImportTarget
	// Recognize reports whether Target names the object; nil when that cannot be compared.
	Recognize func(instance.Instance) bool
	// Observed is set when Target was recorded while the object was observed, so that
	// Recognize must hold for it. A Target that a user wrote may name the object differently
	// than the object names itself.
	Observed bool
}

// knownObject returns the object that the annotations name; nil if they name none.
func knownObject(m *model.Resource, r CustomResource, s translate.Subject) (*KnownObject, diagnostic.Diagnostics) {
	target, diags := knownTarget(m, r, s)
	if target == nil {
		return nil, diags
	}
	return &KnownObject{
		Target: *target, Recognize: recognize(m, *target, r.Annotations[meta.AnnotationKeyExternalName]), Observed: r.AtProvider != nil,
	}, nil
}

func knownTarget(m *model.Resource, r CustomResource, s translate.Subject) (*terraform.ImportTarget, diagnostic.Diagnostics) {
	if raw := r.Annotations[v1alpha1.AnnotationIdentity]; raw != "" && m.Schema.Identity != nil {
		// An identity of another schema version is passed over.
		var identity map[string]any
		if utiljson.Unmarshal([]byte(raw), &identity) == nil {
			if v, diags := translate.ImportIdentity(m, identity); !diags.HasErrors() {
				return &terraform.ImportTarget{Identity: v}, nil
			}
		}
	}
	name := r.Annotations[meta.AnnotationKeyExternalName]
	if name == "" {
		return nil, nil
	}
	if identity := m.Schema.Identity; identity != nil && len(identity.Required()) > 1 {
		if v := translate.ParseIdentity(m, name); v != cty.NilVal {
			return &terraform.ImportTarget{Identity: v}, nil
		}
	}
	id, err := translate.ImportID(m, s)
	if err != nil {
		return nil, diagnostic.Errorf("Object cannot be looked for",
			"The annotation %s is %q, which cannot be imported: %s.", meta.AnnotationKeyExternalName, name, err)
	}
	return &terraform.ImportTarget{ID: id, Identity: cty.NilVal}, nil
}

// recognize returns a function that reports whether target, or the external name where target
// is an id, names an object.
func recognize(m *model.Resource, target terraform.ImportTarget, externalName string) func(instance.Instance) bool {
	return func(found instance.Instance) bool {
		if target.ID != "" {
			return translate.ExternalName(m, found.State, found.Identity) == externalName
		}
		if found.Identity == cty.NilVal || found.Identity.IsNull() {
			return false
		}
		for name, want := range target.Identity.AsValueMap() {
			// An attribute that the annotation leaves out may have any value.
			if !want.IsNull() && !(found.Identity.Type().HasAttribute(name) && found.Identity.GetAttr(name).RawEquals(want)) {
				return false
			}
		}
		return true
	}
}

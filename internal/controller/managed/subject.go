package managed

import (
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// about is the resource, as far as the configuration of its kind is about it.
func (k *Kind) about(r *CustomResource) translate.Subject {
	s := translate.Subject{
		Namespace: r.GetNamespace(), Name: r.GetName(), ExternalName: meta.GetExternalName(r),
		ForProvider: r.object("spec", "forProvider"), InitProvider: r.object("spec", "initProvider"),
	}
	if ref := r.GetProviderConfigReference(); ref != nil {
		s.ProviderConfigKind, s.ProviderConfigName = ref.Kind, ref.Name
	}
	if f := k.Model.Settings.Argument; f != nil && s.ExternalName == "" {
		// An annotation that is lost renames nothing.
		s.ExternalName = r.string("status", "atProvider", f.JSONName)
	}
	return s
}

// namedBySpec says whether what the annotation of the external name says is part of what is wanted.
func (k *Kind) namedBySpec() bool {
	return k.Model.Settings.Argument != nil || k.Model.Settings.Functions.Configure != nil
}

// importID is the id by which the object of the resource's external name is imported.
func (k *Kind) importID(r *CustomResource) (string, diagnostic.Diagnostics) {
	id, err := translate.ImportID(k.Model, k.about(r))
	if err != nil {
		return "", diagnostic.Errorf("Object cannot be looked for", "It is called %q, by the annotation %s: %s.", meta.GetExternalName(r), meta.AnnotationKeyExternalName, err)
	}
	return id, nil
}

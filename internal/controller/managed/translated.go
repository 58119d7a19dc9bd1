package managed

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// translated returns the configuration of a resource, which is translated again only if it has
// changed.
func (k *Kind) translated(ctx context.Context, r *CustomResource, spec desired.Spec) (*configuration, diagnostic.Diagnostics) {
	name := ""
	if k.namedBySpec() {
		name = spec.Subject.ExternalName
	}
	values := references.Values(&r.Unstructured, r.unwritten)
	known := k.tracked.get(subjectOf(r)).configuration
	if known != nil && known.generation == r.GetGeneration() && known.externalName == name &&
		known.references == values && k.sameSecrets(ctx, known.secrets) {
		for _, value := range known.secrets {
			r.secrets = append(r.secrets, value)
		}
		return known, nil
	}
	out := &configuration{generation: r.GetGeneration(), externalName: name, references: values}
	var used []types.NamespacedName
	read := func(ref translate.SecretKeySelector) ([]byte, error) {
		ref.Namespace = r.GetNamespace() // a resource reads Secrets of its own namespace only
		if name := (types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}); !slices.Contains(used, name) {
			used = append(used, name)
		}
		if r.later != nil && r.later(ref) {
			return nil, translate.ErrKnownLater
		}
		b, err := providerconfig.ReadSecret(ctx, k.live, ref)
		if err == nil {
			if out.secrets == nil {
				out.secrets = map[translate.SecretKeySelector]string{}
			}
			out.secrets[ref] = string(b)
			r.secrets = append(r.secrets, string(b))
		}
		r.secretMissing = r.secretMissing || err != nil
		return b, err
	}
	var diags diagnostic.Diagnostics
	out.config, diags = spec.Configuration(read)
	k.usesSecrets(k.key(&r.Unstructured), used)
	if diags.HasErrors() {
		return nil, diags
	}
	out.warnings = diags.Warnings()
	if f := k.Model.Settings.Argument; f != nil {
		// The hash is the same whether or not the annotation is written yet.
		if v := out.config.Value.GetAttr(f.Name); !v.IsNull() {
			name = v.AsString()
		}
	}
	out.hash = out.sum(name)
	k.tracked.configure(subjectOf(r), out)
	return out, nil
}

func (k *Kind) sameSecrets(ctx context.Context, secrets map[translate.SecretKeySelector]string) bool {
	for ref, value := range secrets {
		b, err := providerconfig.ReadSecret(ctx, k.live, ref)
		if err != nil || string(b) != value {
			return false
		}
	}
	return true
}

package unmanaged

import (
	"context"
	"slices"

	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// Configuration reads the configuration of an object, and the Secrets of its namespace that it
// refers to. used are further Secrets that wake the object. The message says what is wrong with the
// configuration, and is empty if nothing is. missing is set if a Secret could not be read.
func (k *Kind) Configuration(ctx context.Context, o *Resource, used ...types.NamespacedName) (_ cty.Value, message string, missing bool) {
	forProvider, _, _ := unstructured.NestedMap(o.Object, "spec", "forProvider")
	c, diags := translate.Config(k.Model, forProvider, nil, func(ref translate.SecretKeySelector) ([]byte, error) {
		ref.Namespace = o.GetNamespace()
		if name := (types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}); !slices.Contains(used, name) {
			used = append(used, name)
		}
		b, err := providerconfig.ReadSecret(ctx, k.Live, ref)
		if err == nil {
			o.Secrets = append(o.Secrets, string(b))
		}
		missing = missing || err != nil
		return b, err
	})
	k.UsesSecrets(k.Key(client.ObjectKeyFromObject(o)), used)
	if diags.HasErrors() {
		return cty.NilVal, translate.Message(k.Model, diags.Errors()), missing
	}
	return c.Value, "", false
}

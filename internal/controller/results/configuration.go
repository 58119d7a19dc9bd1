package results

import (
	"context"
	"fmt"
	"slices"

	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/scheduler/keyed"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/internal/wire"
)

// arguments are the configuration of a data source.
type arguments struct {
	config cty.Value
	// hash identifies the configuration together with that of the provider.
	hash string
}

// handle resolves the provider configuration of an object.
func (k *Kind) handle(ctx context.Context, o *object) providerconfig.Handle[terraform.Executor] {
	return k.ProviderConfigs.Resolve(ctx, o.GetProviderConfigReference(), o.GetNamespace()).For(provider.User{
		Namespace: o.GetNamespace(), Resource: k.Model.Kind + "." + k.Model.Group + "/" + o.GetName(),
	}, fmt.Sprint(o.GetGeneration(), " ", o.requested()))
}

// arguments reads the configuration of an object, and the Secrets of its namespace that it refers
// to.
func (k *Kind) arguments(ctx context.Context, o *object, handle providerconfig.Handle[terraform.Executor]) (arguments, *failure) {
	var used []types.NamespacedName
	if k.Model.Mode == model.Ephemeral {
		used = append(used, outName(o)) // what is deleted is opened anew
	}
	missing := false
	forProvider, _, _ := unstructured.NestedMap(o.Object, "spec", "forProvider")
	c, diags := translate.Config(k.Model, forProvider, nil, func(ref translate.SecretKeySelector) ([]byte, error) {
		ref.Namespace = o.GetNamespace()
		if name := (types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}); !slices.Contains(used, name) {
			used = append(used, name)
		}
		b, err := providerconfig.ReadSecret(ctx, k.live, ref)
		if err == nil {
			o.secrets = append(o.secrets, string(b))
		}
		missing = missing || err != nil
		return b, err
	})
	k.usesSecrets(k.key(client.ObjectKeyFromObject(o)), used)
	if diags.HasErrors() {
		return arguments{}, &failure{reason: v1alpha1.ReasonInvalidConfiguration, message: translate.Message(k.Model, diags.Errors()), stalls: !missing}
	}
	raw, err := wire.Marshal(c.Value, k.Model.Schema.ImpliedType())
	if err != nil {
		return arguments{}, &failure{reason: v1alpha1.ReasonInvalidConfiguration, message: err.Error(), stalls: true}
	}
	h := keyed.New(k.HashKey)
	h.Text(handle.Name, handle.Account.Content)
	h.Bytes(raw)
	return arguments{config: c.Value, hash: h.String()}, nil
}

package results

import (
	"context"
	"fmt"

	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler/keyed"
	"github.com/landbridge-io/landbridge/internal/terraform"
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
	return k.Handle(ctx, &o.Resource, fmt.Sprint(o.GetGeneration(), " ", o.requested()))
}

// arguments reads the configuration of an object, and the Secrets of its namespace that it refers
// to.
func (k *Kind) arguments(ctx context.Context, o *object, handle providerconfig.Handle[terraform.Executor]) (arguments, *failure) {
	var used []types.NamespacedName
	if k.Model.Mode == model.Ephemeral {
		used = append(used, outName(o)) // what is deleted is opened anew
	}
	config, message, missing := k.Configuration(ctx, &o.Resource, used...)
	if message != "" {
		return arguments{}, &failure{reason: v1alpha1.ReasonInvalidConfiguration, message: message, stalls: !missing}
	}
	raw, err := wire.Marshal(config, k.Model.Schema.ImpliedType())
	if err != nil {
		return arguments{}, &failure{reason: v1alpha1.ReasonInvalidConfiguration, message: err.Error(), stalls: true}
	}
	h := keyed.New(k.HashKey)
	h.Text(handle.Name, handle.Account.Content)
	h.Bytes(raw)
	return arguments{config: config, hash: h.String()}, nil
}

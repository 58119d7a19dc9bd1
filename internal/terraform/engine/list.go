package engine

import (
	"context"
	"math/big"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/wire"
	"github.com/landbridge-io/landbridge/schema"
)

var _ terraform.Lister = (*Engine)(nil)

// Listed is an object in a list.
type Listed struct {
	// DisplayName is the provider's name for people; it need not be unique.
	DisplayName string
	// Identity is of the identity schema's implied type, and wholly known. At least one attribute
	// is not null.
	Identity cty.Value
	// State is the object's state; cty.NilVal if it was not asked for, or the list does not have
	// it.
	State cty.Value
}

// List implements terraform.Lister.
func (e *Engine) List(
	ctx context.Context, r terraform.ResourceType, arguments map[string]cty.Value, limit int,
) ([]cty.Value, bool, diagnostic.Diagnostics) {
	list, config, diags := e.listConfig(ctx, r.Schema, arguments)
	if diags.HasErrors() {
		return nil, false, diags
	}
	var identities []cty.Value
	more, diags := e.ListObjects(ctx, r.Schema, list, config, int64(limit), func(o Listed) { identities = append(identities, o.Identity) })
	return identities, more, diags
}

// listConfig returns the list resource of a type, and its configuration with arguments.
func (e *Engine) listConfig(
	ctx context.Context, r *schema.Resource, arguments map[string]cty.Value,
) (*schema.Block, cty.Value, diagnostic.Diagnostics) {
	p, diags := e.server.Schema(ctx)
	if diags.HasErrors() {
		return nil, cty.NilVal, diags.Errors()
	}
	list := p.ListResources[r.Type]
	if list == nil {
		return nil, cty.NilVal, diagnostic.Errorf("Resource type cannot be listed", "The provider has no list resource for %s.", r.Type)
	}
	values := list.EmptyValue().AsValueMap()
	for name, v := range arguments {
		a := list.Attributes[name]
		if a == nil {
			return nil, cty.NilVal, diagnostic.Errorf("Resource type cannot be listed", "The list resource of %s has no argument %s.", r.Type, name)
		}
		converted, err := convert.Convert(v, a.ImpliedType())
		if err != nil {
			return nil, cty.NilVal, diagnostic.Errorf("Resource type cannot be listed",
				"The argument %s of the list resource of %s has the wrong type: %s.", name, r.Type, err)
		}
		values[name] = converted
	}
	if len(values) == 0 {
		return list, cty.EmptyObjectVal, nil
	}
	return list, cty.ObjectVal(values), nil
}

// ListObjects lists at most limit objects of a resource type, and calls each as they arrive. The
// configuration is that of its list resource, list. more is set if there may be further objects.
// With errors the objects may be incomplete.
func (e *Engine) ListObjects(
	ctx context.Context, r *schema.Resource, list *schema.Block, config cty.Value, limit int64, each func(Listed),
) (more bool, diags diagnostic.Diagnostics) {
	return e.results(ctx, listing{
		r, list, config, limit, false,
	}, func(result tfprotov6.ListResourceResult, identity cty.Value) diagnostic.Diagnostics {
		each(Listed{DisplayName: result.DisplayName, Identity: identity})
		return nil
	})
}

// listing is what is listed, and whether with states.
type listing struct {
	resource *schema.Resource
	list     *schema.Block
	config   cty.Value
	limit    int64
	states   bool
}

// results calls each with at most limit objects, and their identities.
func (e *Engine) results(
	ctx context.Context, l listing, each func(tfprotov6.ListResourceResult, cty.Value) diagnostic.Diagnostics,
) (more bool, diags diagnostic.Diagnostics) {
	encoded, err := encode(l.config, l.list.ImpliedType())
	if err != nil {
		return false, diagnostic.Errorf("Value cannot be encoded",
			"The arguments to list %s cannot be sent to the provider: %s.", l.resource.Type, err)
	}
	if diags = e.validateList(ctx, l, encoded); diags.HasErrors() {
		return false, diags
	}
	// Cancel the rest of the stream.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := e.server.ListResource(ctx, &tfprotov6.ListResourceRequest{
		TypeName: l.resource.Type, Config: dynamic(encoded), IncludeResource: l.states, Limit: l.limit,
	})
	if err != nil {
		return false, append(diags, provider.CallError(err)...)
	}
	n := int64(0)
	for result := range stream.Results {
		diags = append(diags, diagnostic.FromProtocol(result.Diagnostics)...)
		if result.Identity == nil || result.Identity.IdentityData == nil {
			continue // only diagnostics
		}
		identity, invalid := listedIdentity(l.resource, result.Identity.IdentityData)
		if invalid.HasErrors() {
			diags = append(diags, invalid...)
			continue
		}
		if n >= l.limit {
			return true, diags
		}
		n++
		diags = append(diags, each(result, identity)...)
	}
	return n >= l.limit, diags
}

func (e *Engine) validateList(ctx context.Context, l listing, config []byte) diagnostic.Diagnostics {
	include, err := encode(cty.BoolVal(l.states), cty.Bool)
	if err != nil {
		return diagnostic.Errorf("Value cannot be encoded", "%s.", err)
	}
	most, err := encode(cty.NumberVal(new(big.Float).SetInt64(l.limit)), cty.Number)
	if err != nil {
		return diagnostic.Errorf("Value cannot be encoded", "%s.", err)
	}
	answer, err := e.server.ValidateListResourceConfig(ctx, &tfprotov6.ValidateListResourceConfigRequest{
		TypeName: l.resource.Type, Config: dynamic(config), IncludeResourceObject: dynamic(include), Limit: dynamic(most),
	})
	if provider.IsUnimplemented(err) {
		return nil
	}
	if err != nil {
		return provider.CallError(err)
	}
	return diagnostic.FromProtocol(answer.Diagnostics)
}

func listedIdentity(r *schema.Resource, v *tfprotov6.DynamicValue) (cty.Value, diagnostic.Diagnostics) {
	const summary, bug = "Provider listed an invalid identity",
		"This is a bug in the provider, which should be reported in the provider's own issue tracker."
	if r.Identity == nil {
		return cty.NilVal, diagnostic.Errorf(summary, "The provider listed an object of %s, but has no identity schema for it. %s", r.Type, bug)
	}
	t := r.IdentityType()
	var out cty.Value
	var err error
	if len(v.MsgPack) > 0 {
		out, err = wire.Unmarshal(v.MsgPack, t)
	} else {
		out, err = wire.UnmarshalJSON(v.JSON, t)
	}
	switch {
	case err != nil:
		return cty.NilVal, diagnostic.Errorf(summary, "The identity of an object of %s does not fit its schema: %s. %s", r.Type, err, bug)
	case out.IsNull() || !out.IsWhollyKnown():
		return cty.NilVal, diagnostic.Errorf(summary, "The identity of an object of %s is not known. %s", r.Type, bug)
	case identifiesNothing(out):
		return cty.NilVal, diagnostic.Errorf(summary, "All attributes of the identity of an object of %s are null. %s", r.Type, bug)
	}
	return out, nil
}

// identifiesNothing reports whether all attributes of an identity are null.
func identifiesNothing(identity cty.Value) bool {
	for _, v := range identity.AsValueMap() {
		if !v.IsNull() {
			return false
		}
	}
	return true
}

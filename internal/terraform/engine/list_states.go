package engine

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine/objchange"
	"github.com/landbridge-io/landbridge/internal/wire"
	"github.com/landbridge-io/landbridge/schema"
)

var _ terraform.StateLister = (*Engine)(nil)

// ListStates implements terraform.StateLister.
func (e *Engine) ListStates(
	ctx context.Context, r terraform.ResourceType, arguments map[string]cty.Value, limit int,
	each func(identity, state cty.Value),
) (bool, diagnostic.Diagnostics) {
	list, config, diags := e.listConfig(ctx, r.Schema, arguments)
	if diags.HasErrors() {
		return false, diags
	}
	return e.ListWithStates(ctx, r, list, config, int64(limit), func(o Listed) { each(o.Identity, o.State) })
}

// ListWithStates is ListObjects with the states of the objects.
func (e *Engine) ListWithStates(
	ctx context.Context, r terraform.ResourceType, list *schema.Block, config cty.Value, limit int64, each func(Listed),
) (more bool, diags diagnostic.Diagnostics) {
	c, diags := e.begin(ctx, r)
	if diags.HasErrors() {
		return false, diags
	}
	return e.results(ctx, listing{
		r.Schema, list, config, limit, true,
	}, func(result tfprotov6.ListResourceResult, identity cty.Value) diagnostic.Diagnostics {
		state, diags := c.listedState(result.Resource)
		if !diags.HasErrors() {
			each(Listed{DisplayName: result.DisplayName, Identity: identity, State: state})
		}
		return diags
	})
}

// listedState returns the state of an object in a list as readAnswer does; cty.NilVal if the list
// does not tell it.
func (c *call) listedState(v *tfprotov6.DynamicValue) (cty.Value, diagnostic.Diagnostics) {
	if isAbsent(v) || wire.IsNull(v.MsgPack) {
		return cty.NilVal, nil
	}
	const summary = "Provider listed an invalid object"
	state, err := c.decodeState(v)
	if err != nil {
		return cty.NilVal, diagnostic.AttributeErrorf(c.at(err), summary,
			"An object of %s in the provider's list does not fit its schema: %s. %s", c.schema.Type, err, providerBug)
	}
	if state.IsNull() {
		return cty.NilVal, nil
	}
	diags := c.checkWhollyKnown(state, summary, "The object in the list")
	diags = append(diags, c.checkWriteOnly(state, summary, "The object in the list")...)
	if !c.provenModern {
		state = objchange.NormalizeObjectFromLegacySDK(state, c.schema.Block)
	}
	return state, diags
}

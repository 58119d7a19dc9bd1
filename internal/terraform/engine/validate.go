package engine

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// Validate implements terraform.Executor.
func (e *Engine) Validate(ctx context.Context, r terraform.ResourceType, config terraform.Config) diagnostic.Diagnostics {
	c, diags := e.begin(ctx, r)
	if diags.HasErrors() {
		return diags
	}
	value, diags := c.config(config.Value)
	if diags.HasErrors() {
		return diags
	}
	return c.validate(ctx, value, config.IgnoreChanges)
}

func (c *call) validate(ctx context.Context, config cty.Value, ignore terraform.IgnoreChanges) diagnostic.Diagnostics {
	encoded, err := encode(config, c.state)
	if err != nil {
		return c.unfitting(err)
	}
	diags := redundantIgnores(c.schema.Block, ignore.Paths)
	answer, err := c.server.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{
		TypeName: c.schema.Type, Config: dynamic(encoded),
		ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
	})
	if err != nil {
		return append(diags, provider.CallError(err)...)
	}
	return append(diags, diagnostic.FromProtocol(answer.Diagnostics)...)
}

// config checks the type of a configuration, and returns it in the form for providers: with
// null for computed blocks that are not configured.
func (c *call) config(v cty.Value) (cty.Value, diagnostic.Diagnostics) {
	if v == cty.NilVal || v.IsNull() {
		return v, diagnostic.Errorf("Missing configuration", "There is no configuration for %s.", c.schema.Type)
	}
	if problems := v.Type().TestConformance(c.state); len(problems) > 0 {
		return v, c.unfitting(problems[0])
	}
	if c.hasDynamicBlocks {
		if err := checkDynamicBlocks(c.schema.Block, v, nil); err != nil {
			return v, c.unfitting(err)
		}
	}
	if c.hasComputedBlocks {
		v = emptyComputedBlocks(c.schema.Block, v)
	}
	return v, nil
}

func (c *call) unfitting(err error) diagnostic.Diagnostics {
	return diagnostic.AttributeErrorf(c.at(err), "Incorrect attribute value type",
		"The configuration does not fit the schema of %s: %s.", c.schema.Type, err)
}

// emptyComputedBlocks turns empty collections of computed blocks to null, which tells providers
// that they are not configured.
func emptyComputedBlocks(b *schema.Block, v cty.Value) cty.Value {
	if v.IsNull() || !v.IsKnown() {
		return v
	}
	values := v.AsValueMap()
	for name, n := range b.Blocks {
		values[name] = emptyComputedBlock(n, values[name])
	}
	return cty.ObjectVal(values)
}

func emptyComputedBlock(n *schema.NestedBlock, v cty.Value) cty.Value {
	if v.IsNull() || !v.IsKnown() {
		return v
	}
	if n.Nesting == schema.NestingSingle || n.Nesting == schema.NestingGroup {
		return emptyComputedBlocks(n.Block, v)
	}
	if v.LengthInt() == 0 {
		if n.Computed {
			return cty.NullVal(n.ImpliedType())
		}
		return v
	}
	if !hasComputedBlocks(n.Block) || !v.Type().IsCollectionType() {
		return v
	}
	if v.Type().IsMapType() {
		values := v.AsValueMap()
		for key, e := range values {
			values[key] = emptyComputedBlocks(n.Block, e)
		}
		return cty.MapVal(values)
	}
	values := v.AsValueSlice()
	for i, e := range values {
		values[i] = emptyComputedBlocks(n.Block, e)
	}
	if v.Type().IsSetType() {
		return cty.SetVal(values)
	}
	return cty.ListVal(values)
}

func hasComputedBlocks(b *schema.Block) bool {
	for _, n := range b.Blocks {
		if n.Computed || hasComputedBlocks(n.Block) {
			return true
		}
	}
	return false
}

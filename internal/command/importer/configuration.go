package importer

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/wire"
	"github.com/landbridge-io/landbridge/schema"
)

// configurations returns possible configurations of an object with the state, the best first. A
// plan decides which of them changes nothing.
func configurations(ctx context.Context, p *ConfiguredProvider, r *schema.Resource, state cty.Value) ([]cty.Value, diagnostic.Diagnostics) {
	var out []cty.Value
	var warnings diagnostic.Diagnostics
	generated, diags := generate(ctx, p, r, state)
	warnings = append(warnings, diags...)
	if generated == cty.NilVal {
		generated = asTerraform(r.Block, state)
	}
	for _, v := range []cty.Value{
		generated,
		// All arguments.
		only(r.Block, state, func(_ cty.Path, a *schema.Attribute, _ cty.Value) bool { return a.Required || a.Optional }),
		// Without arguments that the provider may have chosen: they may conflict with configured
		// ones.
		only(r.Block, state, func(_ cty.Path, a *schema.Attribute, _ cty.Value) bool { return !a.Computed }),
	} {
		if v != cty.NilVal {
			out = append(out, v)
		}
	}
	return out, warnings
}

// generate returns the provider's configuration for a state; cty.NilVal if it does not generate
// one.
func generate(ctx context.Context, p *ConfiguredProvider, r *schema.Resource, state cty.Value) (cty.Value, diagnostic.Diagnostics) {
	if p.Server == nil || !p.Model.Schema.Capabilities.GenerateResourceConfig {
		return cty.NilVal, nil
	}
	b, err := wire.Marshal(state, r.ImpliedType())
	if err != nil {
		return cty.NilVal, nil
	}
	answer, err := p.Server.GenerateResourceConfig(ctx, &tfprotov6.GenerateResourceConfigRequest{
		TypeName: r.Type, State: &tfprotov6.DynamicValue{MsgPack: b},
	})
	if err != nil {
		if provider.IsUnimplemented(err) {
			return cty.NilVal, nil
		}
		return cty.NilVal, provider.CallError(err)
	}
	diags := diagnostic.FromProtocol(answer.Diagnostics)
	if diags.HasErrors() || answer.Config == nil || len(answer.Config.MsgPack) == 0 {
		return cty.NilVal, diags
	}
	v, err := wire.Unmarshal(answer.Config.MsgPack, r.ImpliedType())
	if err != nil || v.IsNull() || !v.IsWhollyKnown() {
		return cty.NilVal, diags
	}
	return v, diags
}

// asTerraform returns Terraform's configuration for a state, for providers that do not generate
// one: without computed and deprecated attributes, and without empty strings, which the legacy SDK
// does not distinguish from null.
func asTerraform(b *schema.Block, state cty.Value) cty.Value {
	v := only(b, state, func(path cty.Path, a *schema.Attribute, v cty.Value) bool {
		switch {
		case a.Deprecated, a.Computed && !a.Optional:
			return false
		case path.Equals(cty.GetAttrPath("id")) && a.Computed:
			return false
		case a.Optional && v.Type() == cty.String && v.IsKnown() && v.AsString() == "":
			return false
		}
		return true
	})
	if v == cty.NilVal {
		return v
	}
	values := v.AsValueMap()
	for name, n := range b.Blocks {
		if n.Deprecated {
			values[name] = n.EmptyValue()
		}
	}
	return cty.ObjectVal(values)
}

// only returns a value with those attributes that keep selects; cty.NilVal on errors.
func only(b *schema.Block, v cty.Value, keep func(cty.Path, *schema.Attribute, cty.Value) bool) cty.Value {
	v, _ = v.UnmarkDeep()
	out, err := cty.Transform(v, func(path cty.Path, v cty.Value) (cty.Value, error) {
		if a := b.AttributeByPath(path); a != nil && !v.IsNull() && !keep(path, a, v) {
			return cty.NullVal(a.ImpliedType()), nil
		}
		return v, nil
	})
	if err != nil {
		return cty.NilVal
	}
	return out
}

// without returns a configuration without the attributes and blocks at paths.
func without(b *schema.Block, v cty.Value, paths []cty.Path) cty.Value {
	if len(paths) == 0 {
		return v
	}
	v = only(b, v, func(path cty.Path, _ *schema.Attribute, _ cty.Value) bool {
		return !slices.ContainsFunc(paths, path.Equals)
	})
	if v == cty.NilVal {
		return v
	}
	values := v.AsValueMap()
	for name, n := range b.Blocks {
		if slices.ContainsFunc(paths, cty.GetAttrPath(name).Equals) {
			values[name] = n.EmptyValue()
		}
	}
	return cty.ObjectVal(values)
}

// dropped returns the arguments of the state that the manifest leaves out although users may have
// set them: deprecated ones, and ones that providers do not choose. Arguments that are ignored are
// not among them.
func (d *draft) dropped() []cty.Path {
	if d.found.State == cty.NilVal || d.config == cty.NilVal || d.why != "" {
		return nil
	}
	b := d.Resource.Schema.Block
	state, _ := d.found.State.UnmarkDeep()
	config, _ := d.config.UnmarkDeep()
	var out []cty.Path
	below := func(path cty.Path) bool {
		return slices.ContainsFunc(append(slices.Clone(out), d.ignored...), func(p cty.Path) bool { return path.HasPrefix(p) })
	}
	for _, name := range sortedKeys(b.Blocks) {
		path := cty.GetAttrPath(name)
		if empty := b.Blocks[name].EmptyValue(); b.Blocks[name].Deprecated && !below(path) &&
			config.GetAttr(name).RawEquals(empty) && !state.GetAttr(name).RawEquals(empty) {
			out = append(out, path)
		}
	}
	for _, name := range sortedKeys(b.Attributes) {
		a, path, v := b.Attributes[name], cty.GetAttrPath(name), state.GetAttr(name)
		f := d.Resource.Root().Object.ByTerraform(name)
		chosen := a.Computed && !a.Deprecated
		if f == nil || !f.Input || f.Settled || chosen || a.WriteOnly || below(path) || isUnset(v) ||
			!config.GetAttr(name).IsNull() || name == "id" {
			continue
		}
		out = append(out, path)
	}
	return out
}

// isUnset reports whether a value is null, or what the legacy SDK does not distinguish from null.
func isUnset(v cty.Value) bool {
	switch {
	case v.IsNull():
		return true
	case v.Type() == cty.String:
		return v.AsString() == ""
	case v.Type() == cty.Number:
		return v.RawEquals(cty.Zero)
	case v.Type() == cty.Bool:
		return v.False()
	case v.CanIterateElements():
		return v.LengthInt() == 0
	}
	return false
}

package engine

import (
	"context"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// reapply plans an update of an object that already is as configured. To the provider, the
// configured arguments of simple types look as if they were not set yet, so that it sends them.
// Arguments that force a replacement are left as they are, and so are nested ones: a provider may
// compare their old and new elements, and add them twice.
//
// It leaves the plan as it is if no argument can be set again.
func (c *call) reapply(
	ctx context.Context, from instance.Instance, config cty.Value, ignore terraform.IgnoreChanges, plan *terraform.Plan,
) diagnostic.Diagnostics {
	names := c.reappliable(from.State, config, ignore)
	for len(names) > 0 {
		unset := from
		unset.State, unset.Wire = withoutAttributes(from.State, names), nil
		answer, diags := c.planChange(ctx, planRequest{prior: unset, config: config})
		if diags.HasErrors() {
			return notReapplied(diags)
		}
		if answer.legacy {
			answer.state = ignoreInPlan(ignore, from.State, answer.state)
		}
		forced, diags := c.requiresReplace(answer.requiresReplace, unset.State, answer.state)
		if diags.HasErrors() {
			return notReapplied(diags)
		}
		rest := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
			return slices.ContainsFunc(forced, cty.GetAttrPath(name).Equals)
		})
		switch {
		case len(rest) < len(names):
			names = rest
			continue
		case len(forced) > 0, isNoOp(unset.State, answer.state):
			return nil
		}
		plan.Action, plan.State, plan.Private, plan.Identity = terraform.Update, answer.state, answer.private, answer.identity
		plan.PriorSent = unset.State
		return c.knownIdentity(answer.identity)
	}
	return nil
}

func notReapplied(why diagnostic.Diagnostics) diagnostic.Diagnostics {
	return diagnostic.Warningf("Object not reapplied", "The provider cannot plan to set the arguments again: %s", why.Errors())
}

// reappliable returns the names of the configured arguments of simple types.
func (c *call) reappliable(state, config cty.Value, ignore terraform.IgnoreChanges) []string {
	var out []string
	for name, a := range c.schema.Block.Attributes {
		if a.Nested != nil || !a.Type.IsPrimitiveType() || a.WriteOnly || !a.Required && !a.Optional {
			continue
		}
		if ignore.All || slices.ContainsFunc(ignore.Paths, cty.GetAttrPath(name).Equals) {
			continue
		}
		if !config.GetAttr(name).IsNull() && !state.GetAttr(name).IsNull() {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

func withoutAttributes(v cty.Value, names []string) cty.Value {
	values := v.AsValueMap()
	for _, name := range names {
		values[name] = cty.NullVal(values[name].Type())
	}
	return cty.ObjectVal(values)
}

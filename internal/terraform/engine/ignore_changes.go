package engine

import (
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// ignoreChanges returns the configuration with the prior values of ignored attributes (contract
// § 3.4). If prior is null, it returns the configuration.
func ignoreChanges(b *schema.Block, ignore terraform.IgnoreChanges, prior, config cty.Value) cty.Value {
	if prior.IsNull() || config.IsNull() {
		return config
	}
	if ignore.All {
		return withoutComputedOnly(b, prior)
	}
	return ignorePaths(ignore.Paths, prior, config)
}

// ignoredMarks returns the sensitive paths of the result of ignoreChanges: those of the prior
// object for ignored values, and those of the configuration otherwise.
func ignoredMarks(ignore terraform.IgnoreChanges, prior instance.Instance, config []cty.Path) []cty.Path {
	if !prior.Exists() || !ignore.All && len(ignore.Paths) == 0 {
		return config
	}
	if ignore.All {
		return prior.SensitivePaths
	}
	isIgnored := func(path cty.Path) bool { return slices.ContainsFunc(ignore.Paths, path.HasPrefix) }
	out := slices.DeleteFunc(slices.Clone(config), isIgnored)
	for _, path := range prior.SensitivePaths {
		if isIgnored(path) {
			out = append(out, path)
		}
	}
	return out
}

// ignoreInPlan restores the prior values of ignored attributes in the plan of a legacy provider.
func ignoreInPlan(ignore terraform.IgnoreChanges, prior, planned cty.Value) cty.Value {
	if prior.IsNull() || planned.IsNull() {
		return planned
	}
	if ignore.All {
		return prior
	}
	return ignorePaths(ignore.Paths, prior, planned)
}

// redundantIgnores returns a warning for each ignored attribute that is only computed. As in Core,
// they are part of the validation.
func redundantIgnores(b *schema.Block, paths []cty.Path) diagnostic.Diagnostics {
	var diags diagnostic.Diagnostics
	for _, path := range paths {
		if a := b.AttributeByPath(path); a != nil && a.Computed && !a.Optional {
			diags = append(diags, diagnostic.Diagnostic{
				Severity: diagnostic.Warning, Attribute: path, Summary: "Redundant ignore_changes element",
				Detail: "The provider alone decides this attribute, so there is no configured change to ignore.",
			})
		}
	}
	return diags
}

func withoutComputedOnly(b *schema.Block, v cty.Value) cty.Value {
	out, err := cty.Transform(v, func(path cty.Path, v cty.Value) (cty.Value, error) {
		if a := b.AttributeByPath(path); a != nil && a.Computed && !a.Optional && !v.IsNull() {
			return cty.NullVal(v.Type()), nil
		}
		return v, nil
	})
	if err != nil {
		return v
	}
	return out
}

// ignorePaths returns v with prior's values at the paths.
func ignorePaths(paths []cty.Path, prior, v cty.Value) cty.Value {
	var ignored []ignoredValue
	for _, path := range paths {
		if len(path) == 0 {
			continue
		}
		if x, ok := ignoredAt(path, prior, v); ok {
			ignored = append(ignored, x)
		}
	}
	if len(ignored) == 0 {
		return v
	}
	out, err := cty.Transform(v, func(path cty.Path, v cty.Value) (cty.Value, error) {
		if v.Type().IsMapType() && !v.IsKnown() {
			return v, nil // Core does not look into it, even if all of it is ignored
		}
		for _, x := range ignored {
			if !path.Equals(x.path) {
				continue
			}
			if x.key == "" && !x.isKey {
				return x.prior, nil
			}
			v = x.restoreKey(v)
		}
		return v, nil
	})
	if err != nil {
		return v
	}
	return out
}

// ignoredValue is a value to restore, or one key of a map to restore or to remove.
type ignoredValue struct {
	path  cty.Path
	prior cty.Value
	isKey bool
	key   string
}

func ignoredAt(path cty.Path, prior, v cty.Value) (ignoredValue, bool) {
	x := ignoredValue{path: path}
	if key, ok := mapKey(path); ok {
		parent := path[:len(path)-1]
		p, err := parent.Apply(prior)
		if err == nil && p.Type().IsMapType() {
			c, err := parent.Apply(v)
			if err != nil || !c.IsKnown() || !p.IsKnown() {
				return x, false
			}
			return ignoredValue{path: parent, prior: p, isKey: true, key: key}, true
		}
	}
	p, err := path.Apply(prior)
	if err != nil {
		return x, false
	}
	c, err := path.Apply(v)
	if err != nil || c.RawEquals(p) {
		return x, false
	}
	x.prior = p
	return x, true
}

func mapKey(path cty.Path) (string, bool) {
	index, ok := path[len(path)-1].(cty.IndexStep)
	if !ok || index.Key.Type() != cty.String || !index.Key.IsKnown() || index.Key.IsNull() {
		return "", false
	}
	return index.Key.AsString(), true
}

func (x ignoredValue) restoreKey(v cty.Value) cty.Value {
	if !v.IsKnown() {
		return v
	}
	values := map[string]cty.Value{}
	if !v.IsNull() {
		maps.Copy(values, v.AsValueMap())
	}
	had := false
	if !x.prior.IsNull() {
		if e, ok := x.prior.AsValueMap()[x.key]; ok {
			values[x.key], had = e, true
		}
	}
	if !had {
		delete(values, x.key)
	}
	switch {
	case len(values) > 0:
		return cty.MapVal(values)
	case v.IsNull():
		return v
	default:
		return cty.MapValEmpty(v.Type().ElementType())
	}
}

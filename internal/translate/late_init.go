package translate

import (
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/model"
)

// LateInitialize is forProvider with the values that the provider chose for inputs that nobody
// gave, and whether there were any. forProvider itself is not changed. Secrets, what initProvider
// gives, and values that spec cannot hold exactly are left alone.
func LateInitialize(r *model.Resource, forProvider, initProvider map[string]any, state cty.Value) (map[string]any, bool) {
	if !isObject(state) {
		return forProvider, false
	}
	return lateInitialize(r.Root(), r.Settings.Tags, forProvider, initProvider, state)
}

// lateInitialize does it for an object. What tags are put on is left alone: it has more than the user gave.
func lateInitialize(t *model.Type, tags *model.Tags, over, under map[string]any, state cty.Value) (map[string]any, bool) {
	out, changed := over, false
	set := func(name string, v any) {
		if !changed {
			if out = maps.Clone(over); out == nil {
				out = map[string]any{}
			}
			changed = true
		}
		out[name] = v
	}
	for _, f := range t.Object.All {
		if !f.Input || f.SecretRef != "" || f.LateIgnored || tags != nil && f == tags.Field {
			continue
		}
		given, inOver := over[f.JSONName]
		initial, inUnder := under[f.JSONName]
		value := state.GetAttr(f.Name)
		if !inOver && !inUnder {
			if f.Computed && !f.Type.HasSecrets() {
				if v, ok := asInput(f.Type, value); ok {
					set(f.JSONName, v)
				}
			}
			continue
		}
		// An object that was given may lack some of its fields.
		object, ok := given.(map[string]any)
		inner := f.Type
		if inner.Singleton {
			inner = inner.Element
			value = onlyElement(value)
		}
		if !ok || inner.Kind != model.Object || !isObject(value) {
			continue
		}
		below, _ := initial.(map[string]any)
		if v, more := lateInitialize(inner, nil, object, below, value); more {
			set(f.JSONName, v)
		}
	}
	return out, changed
}

func onlyElement(v cty.Value) cty.Value {
	if v.IsKnown() && !v.IsNull() {
		for it := v.ElementIterator(); it.Next(); {
			_, x := it.Element()
			return x
		}
	}
	return cty.NilVal
}

// asInput returns the value as spec has it; ok is false if it is absent or would not come back.
func asInput(t *model.Type, v cty.Value) (out any, ok bool) {
	v, _ = v.UnmarkDeep()
	if !v.IsWhollyKnown() || isAbsent(t, v) {
		return nil, false
	}
	out = encoder{inputs: true}.value(t, v)
	d := decoder{}
	back := d.value(t, out)
	return out, len(d.diags) == 0 && back.RawEquals(v)
}

// InitOnly returns the paths that initProvider gives and forProvider does not: what holds only when
// the object is created.
func InitOnly(r *model.Resource, forProvider, initProvider map[string]any) []cty.Path {
	return initOnly(r.Root(), nil, forProvider, initProvider)
}

func initOnly(t *model.Type, at cty.Path, over, under map[string]any) []cty.Path {
	var out []cty.Path
	for _, name := range slices.Sorted(maps.Keys(under)) {
		path := at.Copy()
		switch {
		case under[name] == nil:
			continue
		case t.Kind == model.Map && t.Cty == cty.DynamicPseudoType:
			path = path.GetAttr(name)
		case t.Kind == model.Map:
			path = path.IndexString(name)
		default:
			object := t
			if t.Singleton {
				if t.Kind == model.Set {
					continue // what is inside cannot be named
				}
				object, path = t.Element, path.IndexInt(0)
			}
			f := object.Object.ByInput(name)
			if f == nil || f.Added {
				continue
			}
			path = path.GetAttr(f.Name)
		}
		if over[name] == nil {
			out = append(out, path)
			continue
		}
		a, aok := over[name].(map[string]any)
		b, bok := under[name].(map[string]any)
		if inner := mergeable(t, name); aok && bok && inner != nil {
			out = append(out, initOnly(inner, path, a, b)...)
		}
	}
	return out
}

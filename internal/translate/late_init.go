package translate

import (
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/model"
)

// LateInitialize returns forProvider with the values that the provider chose for unset inputs, and
// whether there are any. It does not change forProvider itself, and skips secrets, fields that
// initProvider sets, and values that spec cannot hold exactly.
func LateInitialize(r *model.Resource, forProvider, initProvider map[string]any, state cty.Value) (map[string]any, bool) {
	if !isObject(state) {
		return forProvider, false
	}
	return lateInitialize(r.Root(), forProvider, initProvider, state)
}

// lateInitialize is LateInitialize for an object.
func lateInitialize(t *model.Type, over, under map[string]any, state cty.Value) (map[string]any, bool) {
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
		if !f.Input || f.SecretRef != "" || f.LateIgnored {
			continue
		}
		given, inOver := over[f.JSONName]
		initial, inUnder := under[f.JSONName]
		value := state.GetAttr(f.Name)
		if !inOver && !inUnder {
			if f.LateInitialized() {
				if v, ok := asInput(f.Type, value); ok {
					set(f.JSONName, v)
				}
			}
			continue
		}
		// Some fields of an object that is set may be unset.
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
		if v, more := lateInitialize(inner, object, below, value); more {
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

// asInput returns the value in the form of spec. ok is false if it is absent, would change in a
// round trip, or has parts without a schema that others could set beside it.
func asInput(t *model.Type, v cty.Value) (out any, ok bool) {
	v, _ = v.UnmarkDeep()
	if !v.IsWhollyKnown() || t.IsAbsent(v) {
		return nil, false
	}
	out = encoder{inputs: true}.value(t, v)
	d := decoder{}
	back := d.value(t, out)
	return out, len(d.diags) == 0 && back.RawEquals(v) && !mergedByKey(t, out)
}

// mergedByKey reports whether server-side apply merges parts of a value by keys that no schema
// names. Lists, sets and maps with a schema have one owner (package crd), and so have lists without
// one.
func mergedByKey(t *model.Type, v any) bool {
	object, ok := v.(map[string]any)
	if t.Singleton {
		t = t.Element
	}
	switch {
	case !ok:
		return false
	case t.Presented() == model.JSON || t.Kind == model.Dynamic:
		return true
	case t.Kind != model.Object:
		return false
	}
	return slices.ContainsFunc(t.Object.All, func(f *model.Field) bool { return mergedByKey(f.Type, object[f.JSONName]) })
}

package translate

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/model"
)

// spec.initProvider is merged with spec.forProvider as by Upjet: objects and maps by their keys,
// elements of lists by their index. Elements of sets cannot be told apart, so whole sets take
// precedence.

// merge merges over into under; over takes precedence.
func merge(t *model.Type, over, under map[string]any) map[string]any {
	if len(under) == 0 {
		return over
	}
	out := maps.Clone(under)
	for k, v := range over {
		if v != nil {
			out[k] = merged(below(t, k), v, out[k])
		}
	}
	return out
}

// merged is merge for a value. t is nil if values are not merged.
func merged(t *model.Type, over, under any) any {
	if t == nil {
		return over
	}
	switch over := over.(type) {
	case map[string]any:
		if under, ok := under.(map[string]any); ok && mergesByKey(t) {
			return merge(t, over, under)
		}
	case []any:
		if under, ok := under.([]any); ok && mergesByIndex(t) {
			out := slices.Clone(over)
			for i := range min(len(over), len(under)) {
				out[i] = merged(t.Element, over[i], under[i])
			}
			return out
		}
	}
	return over
}

func mergesByKey(t *model.Type) bool {
	return t.Singleton || t.Kind == model.Object || t.Kind == model.Map
}

// mergesByIndex reports whether a type is a list of what is merged itself.
func mergesByIndex(t *model.Type) bool {
	return t.Kind == model.List && !t.Singleton && (mergesByKey(t.Element) || mergesByIndex(t.Element))
}

// below returns the type of the value at a key of an object or map; nil if values there are not
// merged.
func below(t *model.Type, key string) *model.Type {
	if t.Kind == model.Map {
		return t.Element
	}
	if t.Singleton {
		t = t.Element
	}
	if t.Object == nil {
		return nil
	}
	if f := t.Object.ByInput(key); f != nil && f.SecretRef == "" {
		return f.Type
	}
	return nil
}

// step returns the path of the value at a key of an object or map. ok is false if it has none: it
// is not the provider's, or in a set.
func step(t *model.Type, at cty.Path, key string) (_ cty.Path, ok bool) {
	at = at.Copy()
	if t.Kind == model.Map {
		if t.Cty == cty.DynamicPseudoType {
			return at.GetAttr(key), true
		}
		return at.IndexString(key), true
	}
	if t.Singleton {
		if t.Kind == model.Set {
			return nil, false
		}
		t, at = t.Element, at.IndexInt(0)
	}
	f := t.Object.ByInput(key)
	if f == nil || f.Added {
		return nil, false
	}
	return at.GetAttr(f.Name), true
}

// InitOnly returns the paths that initProvider sets and forProvider does not. They apply only to
// the create.
func InitOnly(r *model.Resource, forProvider, initProvider map[string]any) []cty.Path {
	return initOnly(r.Root(), nil, forProvider, initProvider)
}

func initOnly(t *model.Type, at cty.Path, over, under map[string]any) []cty.Path {
	var out []cty.Path
	for _, name := range slices.Sorted(maps.Keys(under)) {
		path, ok := step(t, at, name)
		switch {
		case under[name] == nil || !ok:
		case over[name] == nil:
			out = append(out, path)
		default:
			out = append(out, initOnlyOf(below(t, name), path, over[name], under[name])...)
		}
	}
	return out
}

// initOnlyOf is initOnly for a value.
func initOnlyOf(t *model.Type, at cty.Path, over, under any) []cty.Path {
	if t == nil {
		return nil
	}
	switch over := over.(type) {
	case map[string]any:
		if under, ok := under.(map[string]any); ok && mergesByKey(t) {
			return initOnly(t, at, over, under)
		}
	case []any:
		if under, ok := under.([]any); ok && mergesByIndex(t) {
			var out []cty.Path
			for i := range min(len(over), len(under)) {
				out = append(out, initOnlyOf(t.Element, at.Copy().IndexInt(i), over[i], under[i])...)
			}
			return out
		}
	}
	return nil
}

const noEffect = "Part of initProvider has no effect"

// Ineffective returns a warning for each list, set and value without a schema in initProvider that
// is left out, in part or as a whole. That forProvider takes precedence for single values needs no
// warning.
func Ineffective(r *model.Resource, forProvider, initProvider map[string]any) diagnostic.Diagnostics {
	v := ineffective{}
	v.object(r.Root(), nil, forProvider, initProvider)
	return v.diags
}

type ineffective struct{ diags diagnostic.Diagnostics }

func (v *ineffective) warn(at cty.Path, detail string, args ...any) {
	v.diags = append(v.diags, diagnostic.Diagnostic{
		Severity: diagnostic.Warning, Summary: noEffect, Detail: fmt.Sprintf(detail, args...), Attribute: at.Copy(),
	})
}

func (v *ineffective) object(t *model.Type, at cty.Path, over, under map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(under)) {
		if inner := below(t, name); inner != nil && over[name] != nil && under[name] != nil {
			path, ok := step(t, at, name)
			if !ok {
				path = at // that of the set
			}
			v.value(inner, path, over[name], under[name])
		}
	}
}

func (v *ineffective) value(t *model.Type, at cty.Path, over, under any) {
	switch under := under.(type) {
	case map[string]any:
		if over, ok := over.(map[string]any); ok && mergesByKey(t) {
			v.object(t, at, over, under)
			return
		}
	case []any:
		if over, ok := over.([]any); ok && mergesByIndex(t) {
			for i := range min(len(over), len(under)) {
				if over[i] != nil && under[i] != nil {
					v.value(t.Element, at.Copy().IndexInt(i), over[i], under[i])
				}
			}
			if len(under) > len(over) {
				v.warn(at, "spec.forProvider has only %d of the %d elements of the list. Lists are merged by index, so add the others there.",
					len(over), len(under))
			}
			return
		}
	default:
		return
	}
	if !reflect.DeepEqual(over, under) {
		v.warn(at, "spec.forProvider has it, too, and takes precedence: sets, and lists of single values, are not "+
			"merged. Remove it from spec.initProvider.")
	}
}

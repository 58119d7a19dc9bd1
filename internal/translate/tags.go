package translate

import (
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/model"
)

// tags returns the user's tags, and those of the settings and of Crossplane whose keys the user did
// not set.
func (s Subject) tags(r *model.Resource, given cty.Value, lookup func([]string) (string, bool)) cty.Value {
	t, out := r.Settings.Tags, map[string]cty.Value{}
	if t.Crossplane {
		for k, v := range map[string]string{
			"crossplane-kind": strings.ToLower(r.GroupVersionKind().GroupKind().String()),
			"crossplane-name": s.Name, "crossplane-namespace": s.Namespace,
			"crossplane-providerconfig": s.ProviderConfigName, "crossplane-providerconfig-kind": s.ProviderConfigKind,
		} {
			if v != "" {
				out[k] = cty.StringVal(v)
			}
		}
	}
	for k, template := range t.Tags {
		if text, ok := template.Render(lookup); ok {
			out[k] = cty.StringVal(text)
		}
	}
	if element := t.Field.Type.Element; element.Kind == model.Object {
		return tagObjects(element, given, out)
	}
	if !given.IsNull() {
		maps.Copy(out, given.AsValueMap())
	}
	if len(out) == 0 {
		return given
	}
	return cty.MapVal(out)
}

// tagObjects returns the user's tags unchanged, followed by those of ours with other keys, sorted
// by key.
func tagObjects(element *model.Type, given cty.Value, ours map[string]cty.Value) cty.Value {
	var all []cty.Value
	if !given.IsNull() {
		for _, tag := range given.AsValueSlice() {
			if !tag.IsNull() && !tag.GetAttr(model.TagKey).IsNull() {
				delete(ours, tag.GetAttr(model.TagKey).AsString())
			}
			all = append(all, tag)
		}
	}
	if len(ours) == 0 {
		return given
	}
	for _, key := range slices.Sorted(maps.Keys(ours)) {
		tag := map[string]cty.Value{}
		for name, t := range element.Cty.AttributeTypes() {
			tag[name] = cty.NullVal(t)
		}
		for _, f := range element.Object.All {
			tag[f.Name] = f.Type.Absent
		}
		tag[model.TagKey], tag[model.TagValue] = cty.StringVal(key), ours[key]
		all = append(all, cty.ObjectVal(tag))
	}
	if given.Type().IsSetType() {
		return cty.SetVal(all)
	}
	return cty.ListVal(all)
}

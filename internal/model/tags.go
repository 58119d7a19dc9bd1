package model

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
)

// The attributes of a tag where tags are objects.
const (
	TagKey   = "key"
	TagValue = "value"
)

// Tags are added to every object.
type Tags struct {
	// Field is a top-level attribute or block: a map of strings, or a list or set of objects that
	// have TagKey and TagValue, strings, and need nothing else.
	Field *Field
	// Tags are the tags of the configuration.
	Tags map[string]Template
	// Crossplane also adds Crossplane's tags.
	Crossplane bool
}

func tagsAttribute(c config.DefaultTags) string { return cmp.Or(c.Attribute, "tags") }

func (r *Resource) tag(c config.DefaultTags) error {
	name := tagsAttribute(c)
	f := r.Root().Object.ByTerraform(name)
	switch {
	case f == nil:
		return config.At(fmt.Errorf("there is no attribute %s", name), "attribute")
	case !f.Input || f.Secret() || !f.Type.holdsTags():
		return config.At(
			fmt.Errorf("%s is neither a map of strings nor a list or set of objects with nothing but %s and %s to "+
				"be given, that can be set", name, TagKey, TagValue), "attribute",
		)
	}
	tags := &Tags{Field: f, Tags: map[string]Template{}, Crossplane: !c.OnlyTags}
	for _, key := range slices.Sorted(maps.Keys(c.Tags)) {
		t, err := r.template(c.Tags[key], false, config.Metadata, config.Parameters)
		if err != nil {
			return config.At(err, "tags", key)
		}
		tags.Tags[key] = t
	}
	r.Settings.Tags = tags
	return nil
}

func (t *Type) holdsTags() bool {
	switch {
	case t.Kind == Map:
		return t.Block == "" && t.Cty.Equals(cty.Map(cty.String))
	case t.Kind != List && t.Kind != Set, t.Singleton, t.Cty == cty.DynamicPseudoType, t.Element.Kind != Object, t.HasSecrets():
		return false
	}
	for _, name := range []string{TagKey, TagValue} {
		if f := t.Element.Object.ByTerraform(name); f == nil || !f.Input || !f.Type.Cty.Equals(cty.String) {
			return false
		}
	}
	return !slices.ContainsFunc(t.Element.Object.All, func(f *Field) bool {
		return f.Required && f.Name != TagKey && f.Name != TagValue || f.Type.MinItems > 0
	})
}

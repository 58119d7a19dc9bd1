package terraform

import (
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/landbridge-io/landbridge/schema"
)

// Told reports whether the provider told something about an object that it was not given with the
// identity or id that the object was imported by: a value that is neither empty, nor part of the
// identity, nor an id made of it. Some providers import whatever they are given, and return it from
// a read even if there is no such object.
func Told(s *schema.Resource, by ImportTarget, found cty.Value) bool {
	var values []string
	if by.Identity != cty.NilVal {
		values = texts(by.Identity)
	}
	is := false
	_ = cty.Walk(found, func(path cty.Path, v cty.Value) (bool, error) {
		if is || !v.IsKnown() || v.IsNull() {
			return false, nil
		}
		name := ""
		if len(path) > 0 {
			name = path[0].(cty.GetAttrStep).Name
		}
		if s.Identity != nil && s.Identity.Attributes[name] != nil {
			return false, nil // given, or completed from the configuration of the provider
		}
		if !v.Type().IsPrimitiveType() {
			return true, nil
		}
		is = !empty(v) && !made(textOf(v), values, name == "id") && !strings.Contains(by.ID, textOf(v))
		return false, nil
	})
	return is
}

// made reports whether a text is one of the given values. An id may also contain one.
func made(text string, given []string, id bool) bool {
	for _, value := range given {
		if text == value || id && strings.Contains(text, value) {
			return true
		}
	}
	return false
}

// empty reports whether a primitive value is the zero value of its type.
func empty(v cty.Value) bool {
	text := textOf(v)
	return text == "" || text == "0" || text == "false"
}

// texts returns the primitive values within a value that are not empty.
func texts(v cty.Value) (out []string) {
	_ = cty.Walk(v, func(_ cty.Path, v cty.Value) (bool, error) {
		if !v.IsKnown() || v.IsNull() {
			return false, nil
		}
		if v.Type().IsPrimitiveType() && !empty(v) {
			out = append(out, textOf(v))
		}
		return true, nil
	})
	return out
}

func textOf(v cty.Value) string {
	text, err := convert.Convert(v, cty.String)
	if err != nil {
		return "" // primitive values can be converted
	}
	return text.AsString()
}

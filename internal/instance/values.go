package instance

import "github.com/zclconf/go-cty/cty"

// Present reports whether there is an object or a planned object, parts of which may be unknown.
func Present(v cty.Value) bool { return v != cty.NilVal && !v.IsNull() && v.IsKnown() }

// Known reports whether a value is wholly known and not null.
func Known(v cty.Value) bool { return v != cty.NilVal && !v.IsNull() && v.IsWhollyKnown() }

// Attribute returns an attribute of an object; cty.NilVal unless it exists, is known and not null.
func Attribute(object cty.Value, name string) cty.Value {
	if !Present(object) || !object.Type().IsObjectType() || !object.Type().HasAttribute(name) {
		return cty.NilVal
	}
	if v := object.GetAttr(name); Present(v) {
		return v
	}
	return cty.NilVal
}

// NoContent reports whether a nested block has no content.
func NoContent(v cty.Value) bool {
	return v.IsNull() || v.CanIterateElements() && !v.Type().IsObjectType() && v.LengthInt() == 0
}

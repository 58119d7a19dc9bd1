package translate

import (
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/model"
)

// MappedIdentity returns the attributes of the identity that the configuration maps, of an object
// or a planned object. Attributes whose argument is null or unknown are left out.
func MappedIdentity(r *model.Resource, object cty.Value) map[string]cty.Value {
	out := make(map[string]cty.Value, len(r.Settings.Identity))
	for name, source := range r.Settings.Identity {
		if v, ok := sourceOf(r, object, source); ok {
			if v, err := convert.Convert(v, r.Schema.Identity.Attributes[name].Type); err == nil {
				out[name] = v
			}
		}
	}
	return out
}

// ListArguments returns the arguments with which the objects are listed among which an object, or a
// planned one, is. missing is an argument of the list resource that is null or unknown.
func ListArguments(
	r *model.Resource, sources map[string]model.IdentitySource, object cty.Value,
) (arguments map[string]cty.Value, missing string) {
	arguments = make(map[string]cty.Value, len(sources))
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		v, ok := sourceOf(r, object, sources[name])
		if !ok {
			return nil, name
		}
		arguments[name] = v
	}
	return arguments, ""
}

// sourceOf returns the value of a source; false if it is null or unknown.
func sourceOf(r *model.Resource, object cty.Value, source model.IdentitySource) (cty.Value, bool) {
	v := source.Constant
	if source.Path != nil {
		_, v = valueAt(r, object, source.Path)
	}
	return v, v != cty.NilVal && !v.IsNull() && v.IsWhollyKnown()
}

// valueAt returns the value at a Terraform path through objects, and its type; cty.NilVal if there
// is none.
func valueAt(r *model.Resource, object cty.Value, path []string) (*model.Type, cty.Value) {
	t, v := r.Root(), object
	for _, name := range path {
		if t.Singleton {
			t, v = t.Element, onlyElement(v)
		}
		if !isObject(v) {
			return nil, cty.NilVal
		}
		f := t.Object.ByTerraform(name)
		if f == nil {
			return nil, cty.NilVal
		}
		t = f.Type
		v, _ = v.GetAttr(name).Unmark()
	}
	return t, v
}

// NamedImport is the id by which an object can be imported, before the object exists.
type NamedImport struct {
	// ID is empty if the id is not known beforehand.
	ID string
	// Names reports whether an object, or a planned object, has the name that the id is made of.
	Names func(object cty.Value) bool
}

// ImportBeforehand returns the id by which the object of a custom resource can be imported, if the
// configuration names an argument as external name, and says which import id an external name has.
func ImportBeforehand(r *model.Resource, s Subject) NamedImport {
	set := &r.Settings
	field, name := set.Argument, ""
	switch {
	case set.ImportID.Empty() && set.Functions.ImportID == nil, set.Functions.ExternalName != nil:
		return NamedImport{}
	case field != nil:
		var err error
		if name, err = s.name(r); err != nil {
			return NamedImport{}
		}
	case set.Attribute != nil && set.Attribute.Input:
		field = set.Attribute
		name, _ = s.lookup(r)([]string{config.Parameters, field.Name})
	}
	if name == "" {
		return NamedImport{}
	}
	s.ExternalName = name
	id, err := ImportID(r, s)
	if err != nil || id == "" {
		return NamedImport{}
	}
	return NamedImport{ID: id, Names: func(object cty.Value) bool { return stateText(field, object) == name }}
}

package scheduler

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
)

// plannedIdentity returns the attributes that an import needs of the identity of an object that a
// create makes or may have made; cty.NilVal if it is not known beforehand. If an import requires no
// attributes, it is unclear when the identity is complete. It is taken from the plan and not from
// the configuration, which may have changed since.
func plannedIdentity(r Request, identity, state cty.Value) cty.Value {
	v, _ := plannedIdentityOf(r, identity, state)
	return v
}

// plannedIdentityOf is plannedIdentity. mapped is set if the configuration's mapping has a part in
// it.
func plannedIdentityOf(r Request, identity, state cty.Value) (v cty.Value, mapped bool) {
	schema := r.Type.Schema.Identity
	if schema == nil || len(schema.Required()) == 0 {
		return cty.NilVal, false
	}
	var byMapping map[string]cty.Value
	if r.Handles.maps() && present(state) {
		byMapping = r.Handles.Identity(state)
	}
	values := make(map[string]cty.Value, len(schema.Attributes))
	for name, a := range schema.Attributes {
		v := plannedAttribute(identity, name, a.Type)
		if x, ok := byMapping[name]; ok && v == cty.NilVal {
			v, mapped = x, true
		}
		if v == cty.NilVal {
			// Providers that do not plan identities name their attributes after those of the
			// resource.
			v = plannedAttribute(state, name, a.Type)
		}
		switch {
		case v != cty.NilVal:
			values[name] = v
		case a.RequiredForImport:
			return cty.NilVal, false
		default:
			values[name] = cty.NullVal(a.Type)
		}
	}
	return cty.ObjectVal(values), mapped
}

// plannedAttribute returns an attribute of an object; cty.NilVal unless it has the type, is known
// and not null.
func plannedAttribute(object cty.Value, name string, t cty.Type) cty.Value {
	if v := attribute(object, name); v != cty.NilVal && known(v) && v.Type().Equals(t) {
		return v
	}
	return cty.NilVal
}

// plannedKey is the ownership.IdentityKey of an object before its create; empty if its identity is
// not known beforehand.
func plannedKey(r Request, identity, state cty.Value) string {
	v := plannedIdentity(r, identity, state)
	if v == cty.NilVal {
		return ""
	}
	return ownership.IdentityKey(r.Type.Schema, instance.Instance{Identity: v})
}

// interruptedKey is the plannedKey of the object of an interrupted create.
func interruptedKey(r Request, op *instance.Operation) string {
	if op.Mapped && (r.Handles.refutesMapping() || !r.Handles.maps() && !op.Confirmed) {
		return plannedKey(r, cty.NilVal, op.PlannedState)
	}
	return plannedKey(r, op.PlannedIdentity, op.PlannedState)
}

// keyOf is the ownership.IdentityKey of an object that was found by a handle, or the key of the
// handle.
func keyOf(r Request, h handle, found instance.Instance) string {
	if h.importID != "" {
		return ownership.ImportKey(h.importID)
	}
	return ownership.IdentityKey(r.Type.Schema, found)
}

// attribute returns an attribute of an object; cty.NilVal unless it exists, is known and not null.
func attribute(object cty.Value, name string) cty.Value {
	if object == cty.NilVal || object.IsNull() || !object.IsKnown() || !object.Type().IsObjectType() || !object.Type().HasAttribute(name) {
		return cty.NilVal
	}
	if v := object.GetAttr(name); v.IsKnown() && !v.IsNull() {
		return v
	}
	return cty.NilVal
}

func known(v cty.Value) bool { return v != cty.NilVal && !v.IsNull() && v.IsWhollyKnown() }

// present reports whether there is an object or a planned object, parts of which may be unknown.
func present(v cty.Value) bool { return v != cty.NilVal && !v.IsNull() && v.IsKnown() }

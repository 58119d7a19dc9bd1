package ownership

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// Naming is how the objects of a resource are named before their provider has told about them.
type Naming struct {
	// Type is the type of the objects.
	Type terraform.ResourceType
	// Handles are the handles that the configuration of the kind adds. It may be nil.
	Handles *Handles
	// NamedImport is the id by which the object can be imported as soon as it exists.
	NamedImport translate.NamedImport
}

// PlannedIdentity returns the attributes that an import needs of the identity of an object that a
// create makes or may have made; cty.NilVal if it is not known beforehand. If an import requires no
// attributes, it is unclear when the identity is complete. It is taken from the plan and not from
// the configuration, which may have changed since.
func (n Naming) PlannedIdentity(identity, state cty.Value) cty.Value {
	v, _ := n.plannedIdentity(identity, state)
	return v
}

// plannedIdentity is PlannedIdentity. mapped is set if the configuration's mapping has a part in
// it.
func (n Naming) plannedIdentity(identity, state cty.Value) (v cty.Value, mapped bool) {
	of := n.Type.Schema.Identity
	if of == nil || len(of.Required()) == 0 {
		return cty.NilVal, false
	}
	var byMapping map[string]cty.Value
	if n.Handles.Maps() && instance.Present(state) {
		byMapping = n.Handles.Identity(state)
	}
	values := make(map[string]cty.Value, len(of.Attributes))
	for name, a := range of.Attributes {
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
	if v := instance.Attribute(object, name); instance.Known(v) && v.Type().Equals(t) {
		return v
	}
	return cty.NilVal
}

// PlannedKey is the IdentityKey of an object before its create; empty if its identity is not known
// beforehand.
func (n Naming) PlannedKey(identity, state cty.Value) string {
	v := n.PlannedIdentity(identity, state)
	if v == cty.NilVal {
		return ""
	}
	return IdentityKey(n.Type.Schema, instance.Instance{Identity: v})
}

// InterruptedKey is the PlannedKey of the object of an interrupted create.
func (n Naming) InterruptedKey(op *instance.Operation) string {
	if op.Mapped && (n.Handles.refutesMapping() || !n.Handles.Maps() && !op.Confirmed) {
		return n.PlannedKey(cty.NilVal, op.PlannedState)
	}
	return n.PlannedKey(op.PlannedIdentity, op.PlannedState)
}

// PlannedKeys are all keys that the object of an operation may have after it, with the mapping of
// the configuration and without. Some may be empty.
func (n Naming) PlannedKeys(op *instance.Operation) []string {
	if op == nil || op.Kind == instance.Delete {
		return nil
	}
	return []string{n.PlannedKey(op.PlannedIdentity, op.PlannedState), n.PlannedKey(cty.NilVal, op.PlannedState), importKey(op.ImportID)}
}

// KeyOf is the IdentityKey of an object that was found by a handle, or the key of the handle.
func (n Naming) KeyOf(h Handle, found instance.Instance) string {
	if h.importID != "" {
		return importKey(h.importID)
	}
	return IdentityKey(n.Type.Schema, found)
}

// KeyBefore is the KeyOf an object before it was found.
func (n Naming) KeyBefore(h Handle) string {
	return n.KeyOf(h, instance.Instance{Identity: h.identity})
}

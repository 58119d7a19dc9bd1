package model

import (
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/schema"
)

// Kind is the shape of a Type.
type Kind string

// The kinds. Set is a list without order or duplicates. The keys of a Map are the user's. Dynamic
// is any value, which determines its own type.
const (
	String  Kind = "string"
	Number  Kind = "number"
	Bool    Kind = "bool"
	Dynamic Kind = "dynamic"
	List    Kind = "list"
	Set     Kind = "set"
	Map     Kind = "map"
	Tuple   Kind = "tuple"
	Object  Kind = "object"
)

// Additional kinds as which primitive types can be presented: see Type.As.
const (
	Integer Kind = "integer"
	JSON    Kind = "json"
)

// Type is the type of a value in Terraform and in Kubernetes. It is used for attributes of a plain
// type, attributes with nested attributes, and nested blocks.
type Type struct {
	Kind Kind
	// As is the kind of a primitive type in Kubernetes if it differs: String for numbers and
	// booleans, Integer for numbers, and Number, Integer, Bool or JSON for strings, which have its
	// text. Defaults to Kind.
	As Kind
	// Cty is the type constraint. It is dynamic for list and map blocks that hold dynamically
	// typed attributes: their values are tuples and objects.
	Cty cty.Type
	// Element is the type of the elements of a List, Set or Map.
	Element *Type
	// Tuple holds the types of the elements of a Tuple.
	Tuple []*Type
	// Object holds the fields of an Object.
	Object *Fields
	// Singleton marks a List or Set that is presented as its one element, or nothing.
	Singleton bool
	// Block is the nesting of a nested block; empty for everything else.
	Block schema.Nesting
	// MinItems and MaxItems limit the number of list and set blocks; 0 is unlimited.
	MinItems, MaxItems int64
	// Absent is the value that means "not set": null, except for blocks (contract § 2).
	Absent cty.Value
}

// Presented returns the kind that the type has in Kubernetes.
func (t *Type) Presented() Kind {
	if t.As != "" {
		return t.As
	}
	return t.Kind
}

// IsPrimitive reports whether the type is a string, a number or a boolean.
func (t *Type) IsPrimitive() bool { return t.Kind == String || t.Kind == Number || t.Kind == Bool }

// HasSecrets reports whether anything inside a value of the type may be secret.
func (t *Type) HasSecrets() bool {
	for t.Element != nil {
		t = t.Element
	}
	return t.Object != nil && t.Object.secret
}

// Secrets calls visit with each secret value inside a value of the type.
func (t *Type) Secrets(v cty.Value, visit func(cty.Value)) {
	v, _ = v.Unmark()
	if !t.HasSecrets() || !v.IsKnown() || v.IsNull() {
		return
	}
	if t.Kind == Object {
		for _, f := range t.Object.All {
			if f.Secret() {
				visit(v.GetAttr(f.Name))
			} else {
				f.Type.Secrets(v.GetAttr(f.Name), visit)
			}
		}
		return
	}
	for it := v.ElementIterator(); t.Element != nil && it.Next(); {
		_, x := it.Element()
		t.Element.Secrets(x, visit)
	}
}

// Fields are the fields of an object type.
type Fields struct {
	// All is sorted by Terraform name.
	All []*Field
	// Added are inputs that the provider does not have, sorted by name. Their Name is their
	// JSONName. Only the type of a resource has them, and values do not contain them.
	Added []*Field

	terraform, json, input map[string]*Field
	reference              map[string]*Reference
	secret                 bool
}

// ByTerraform finds a field by its Terraform name; nil if there is none.
func (f *Fields) ByTerraform(name string) *Field { return f.terraform[name] }

// ByJSON finds a field by its name in status; nil if there is none.
func (f *Fields) ByJSON(name string) *Field { return f.json[name] }

// ByInput finds an input by its name in spec, which is Field.InputName; nil if there is none.
func (f *Fields) ByInput(name string) *Field { return f.input[name] }

// ByReference finds the reference that a field of this name in spec belongs to; nil if there is
// none.
func (f *Fields) ByReference(name string) *Reference { return f.reference[name] }

// Field is one named value of an object.
type Field struct {
	// Named is set if JSONName is configured.
	Named bool
	// Name is Terraform's, JSONName the one in status, and in spec unless SecretRef is set.
	Name     string
	JSONName string
	// FormerNames are names that the field had instead of JSONName in earlier versions of the API.
	FormerNames []string
	// SecretRef is the name under which spec refers to a Secret for the value; empty unless the
	// field is an input that is sensitive or write-only.
	SecretRef string
	// Reference is set if the field can take its value from other resources.
	Reference *Reference
	Type      *Type

	// Input is set if the field can be set in spec.
	Input bool
	// Observed is set if the field is in status.
	Observed bool
	// Added is set if the provider does not have the field.
	Added bool
	// Settled is set if the configuration sets the value for every object. It cannot be set in
	// spec.
	Settled bool
	// Immutable is set if the field cannot be changed in spec once it is set.
	Immutable bool
	// LateIgnored is set if late initialization ignores the field.
	LateIgnored bool

	Required, Optional, Computed bool
	// Sensitive and WriteOnly are those of the field itself; everything inside it follows.
	Sensitive, WriteOnly bool
	Deprecated           bool
	DeprecationMessage   string
	Description          string
}

// Settable returns the fields of spec, those that are added last.
func (f *Fields) Settable() []*Field {
	if len(f.Added) == 0 {
		return f.All
	}
	return slices.Concat(f.All, f.Added)
}

// InputName returns the name of an input in spec.
func (f *Field) InputName() string {
	if f.SecretRef != "" {
		return f.SecretRef
	}
	return f.JSONName
}

// Secret reports whether the value must not be shown.
func (f *Field) Secret() bool { return f.Sensitive || f.WriteOnly }

// LateInitialized reports whether late initialization, where it is enabled, sets the field as a
// whole. It does so if the field is not set and the provider has chosen a value.
func (f *Field) LateInitialized() bool {
	return f.Input && f.Computed && !f.LateIgnored && f.SecretRef == "" && !f.Type.HasSecrets()
}

// IsAbsent reports whether a value means that a field of the type is not set. Marks are ignored.
func (t *Type) IsAbsent(v cty.Value) bool {
	v, _ = v.Unmark()
	if !v.IsKnown() {
		return false
	}
	if v.IsNull() {
		return true
	}
	switch t.Block {
	case "", "single":
		return false
	case "group":
		return v.RawEquals(t.Absent)
	default:
		return v.LengthInt() == 0
	}
}

package config

import "github.com/zclconf/go-cty/cty"

// Functions change values on their way. They must be pure: the same for the same arguments, without
// asking anybody. Errors are shown to users, and so must not have secrets in them.
//
// +kubebuilder:object:generate=false
type Functions struct {
	// Configure changes what the object is to be, before it is planned, after everything else that
	// a configuration does to it. The value is wholly known, of the implied type of the resource's
	// schema, and so must be what is returned. What came from a Secret must not be put elsewhere.
	Configure func(Subject, cty.Value) (cty.Value, error)
	// Observe changes the object that status.atProvider tells of. What is returned must be of the
	// same type, which is a programming error otherwise, and none of it may come from a sensitive attribute.
	Observe func(state cty.Value) cty.Value
	// ExternalName is what an object is called, instead of what the configuration says. The identity is null
	// where there is none.
	ExternalName func(state, identity cty.Value) (string, error)
	// ImportID is the id by which an object is imported, instead of the template.
	ImportID func(Subject) (string, error)
	// ConnectionDetails are keys of the connection Secret, besides all others.
	ConnectionDetails func(state cty.Value) (map[string][]byte, error)
}

// DeepCopy returns the same functions.
func (f *Functions) DeepCopy() *Functions { return f }

// Subject is the custom resource that a value is of.
//
// +kubebuilder:object:generate=false
type Subject struct {
	Namespace, Name string
	// ExternalName is what its object is called; empty where that is not known yet.
	ExternalName string
	// Parameters are spec.forProvider and spec.initProvider, merged, with the fields that were added, as JSON.
	Parameters map[string]any
}

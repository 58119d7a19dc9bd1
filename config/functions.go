package config

import "github.com/zclconf/go-cty/cty"

// Functions change values between custom resources and the provider. They must be pure and must not
// call other systems. Their errors are shown to users, so they must not contain secrets.
//
// +kubebuilder:object:generate=false
type Functions struct {
	// Configure changes the desired value of the object before it is planned, after everything else
	// that the configuration does. The value and the result are wholly known and of the implied
	// type of the resource's schema. Values from Secrets must not be copied to other attributes.
	Configure func(Subject, cty.Value) (cty.Value, error)
	// Observe changes the object that status.atProvider shows. The result must be of the same type,
	// and must not contain values of sensitive attributes.
	Observe func(state cty.Value) cty.Value
	// ExternalName returns the external name of an object, instead of config.ExternalName. The
	// identity is null if the object has none.
	ExternalName func(state, identity cty.Value) (string, error)
	// ImportID returns the id by which an object is imported, instead of the template.
	ImportID func(Subject) (string, error)
	// ConnectionDetails returns additional keys of the connection Secret.
	ConnectionDetails func(state cty.Value) (map[string][]byte, error)
}

// DeepCopy returns the same functions.
func (f *Functions) DeepCopy() *Functions { return f }

// Subject is the custom resource that a function is called for.
//
// +kubebuilder:object:generate=false
type Subject struct {
	Namespace, Name string
	// ExternalName of the object. Empty if it is not known yet.
	ExternalName string
	// Parameters are spec.forProvider and spec.initProvider, merged, with the added fields, as
	// JSON.
	Parameters map[string]any
}

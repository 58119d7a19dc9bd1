// Package config is what may be changed about the way a provider is presented to
// Kubernetes, without changing Landbridge.
//
// In: Go values, or the same as JSON or YAML (Read). Out: nothing by itself; model reads it, and
// what is made of the model follows: CRDs, the translator, Go types, documentation. The zero value
// changes nothing. It never holds what a schema already says.
//
// Resources are named by Terraform's names, and so are fields, with dots between (rule.filter.prefix);
// lists, sets and maps on the way are passed through. Templates name values in the same way.
//
// What cannot be data is in types of functions: Functions and Predicate. They exist in Go alone. All
// types here have deep copies, since TerraformProviders are made of them; those that hold functions
// have theirs by hand.
//
// +kubebuilder:object:generate=true
package config

//go:generate go tool -modfile=../tools/go.mod controller-gen object paths=.

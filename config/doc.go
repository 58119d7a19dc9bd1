// Package config is what may be changed about the way a provider is presented to
// Kubernetes, without changing Landbridge: the provider's short name and API group, and
// for single resource types their names, omitted fields, the external name, late
// initialisation, and references to other resources.
//
// In: Go values, or the same as JSON or YAML. Out: nothing by itself; model reads it. The zero
// value changes nothing. It never holds what a schema already says.
package config

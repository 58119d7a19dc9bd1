// Package config is the configuration of how a provider is presented to Kubernetes.
//
// In: Go values, or the same as JSON or YAML (Read). Out: nothing by itself. Package model reads
// it, and CRDs, translation, Go types and documentation follow from the model. The zero value
// changes nothing. It never repeats facts of a provider's schema.
//
// Resources and fields have Terraform's names. Paths of fields have dots between names
// (rule.filter.prefix) and skip the elements of lists, sets and maps. Templates use the same paths.
//
// Functions, Predicate and Extractor hold Go functions and exist in Go only. All types have deep
// copies, since TerraformProvider contains them; those of function types are written by hand.
//
// +kubebuilder:object:generate=true
package config

//go:generate go tool -modfile=../tools/go.mod controller-gen object paths=.

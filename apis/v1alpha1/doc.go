// Package v1alpha1 has the Go types of Landbridge's own kinds, of the API group landbridge.io.
//
// A TerraformProvider serves a provider's resource types, a TerraformModule serves a module, a
// PlanPolicy decides about plans, a ResourceQuery lists remote objects, and an EstatePolicy judges
// them. The kinds of the resources themselves are made at run time from
// the provider's schema (packages model and crd).
//
// In: nothing. Out: types, names, defaults and CRDs. It never has behaviour.
//
// +kubebuilder:object:generate=true
// +groupName=landbridge.io
package v1alpha1

//go:generate go tool -modfile=../../tools/go.mod controller-gen object paths=. crd output:crd:dir=crds

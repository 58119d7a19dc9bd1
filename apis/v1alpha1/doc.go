// Package v1alpha1 is Landbridge's own Kubernetes types, group landbridge.io.
//
// It is for people who install providers: a TerraformProvider brings one provider's
// resource types into the cluster. The kinds of the resources themselves are not here; they
// are made at run time from the provider's schema (packages model and crd). It holds types,
// names and defaults, and no behaviour.
//
// +kubebuilder:object:generate=true
// +groupName=landbridge.io
package v1alpha1

//go:generate go tool -modfile=../../tools/go.mod controller-gen object paths=. crd output:crd:dir=crds

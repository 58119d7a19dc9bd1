// Package managed has the Go types that all managed resources share: the fields of spec and status that
// do not depend on the resource type, the status of provider configurations, and Number.
//
// In: nothing. Out: types for generated code to embed. Their schemas are exactly those that package crd
// writes. It never has an API group, a kind, or behaviour beyond reading and writing fields.
//
// +kubebuilder:object:generate=true
package managed

//go:generate go tool -modfile=../../tools/go.mod controller-gen object paths=.

// Package managed is what the Go types of all managed resources have in common, of whatever
// provider: the fields of spec and status that do not depend on the resource type, those of the status of provider
// configurations, and Number.
//
// In: nothing. Out: types for generated code to embed. Their schemas are those that package crd
// writes, word for word. It has no API group and no kind of its own, and no behaviour beyond
// reading and writing the fields.
//
// +kubebuilder:object:generate=true
package managed

//go:generate go tool -modfile=../../tools/go.mod controller-gen object paths=.

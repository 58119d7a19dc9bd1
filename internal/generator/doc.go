// Package generator makes what the author of a provider keeps in a repository: Go types of all kinds,
// their CustomResourceDefinitions, and their documentation.
//
// In: model.Provider. Out: Files, and a directory that holds them. Everything comes from the model
// and from the CRDs that package crd makes of it, so that Go types and CRDs cannot disagree:
// controller-gen makes the same CRDs of the types, but for one thing that has no marker, which is
// that elements of lists and maps may be null. In Go those are pointers.
//
// # Names
//
// Fields and types have Go's initialisms (CIDRBlock, EnableDNSHostnames). The types of a kind are
// Server, ServerList, ServerSpec, ServerStatus, ServerParameters, ServerInitParameters and
// ServerObservation; what is nested in them is named by its whole path (ServerParametersNetwork), so
// that what one resource type has never renames anything of another. Names that collide all the
// same are told in Output.Renamed.
//
// # Values
//
// Whether something is given is never lost: what is optional is a pointer, and lists and maps may be
// empty without being absent. Numbers are managed.Number, which keeps every digit.
//
// # Files
//
// The same model gives the same bytes. Write replaces a tree of such files as a whole or not at all,
// does not touch what is the same, and removes what is no longer generated, but only files that say
// that they were generated. It never starts a provider and never runs a program.
package generator

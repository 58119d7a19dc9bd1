// Package generator generates the files of a provider's repository: Go types of all kinds, their
// CustomResourceDefinitions, and their documentation.
//
// In: model.Provider. Out: Files, and a directory with them. Everything is generated from the model
// and the CRDs that package crd makes from it, so Go types and CRDs cannot disagree. controller-gen
// makes the same CRDs from the types, with one exception: no marker makes elements of lists and
// maps nullable. In Go such elements are pointers.
//
// # Names
//
// Fields and types have Go's initialisms (CIDRBlock, EnableDNSHostnames). The types of a kind are
// Server, ServerList, ServerSpec, ServerStatus, ServerParameters, ServerInitParameters and
// ServerObservation. Nested types are named by their whole path (ServerParametersNetwork), so that
// the fields of one resource type never rename types of another. Output.Renamed lists names that
// collide nevertheless.
//
// # Values
//
// Unset and empty values are distinct: optional fields are pointers, and lists and maps may be
// empty or nil. Numbers are managed.Number, which keeps every digit.
//
// # Files
//
// The same model gives the same bytes. Write replaces a tree of generated files as a whole or not
// at all. It does not touch unchanged files, and removes files that are no longer generated, but
// only those marked as generated. The package never starts a provider and never runs a program.
package generator

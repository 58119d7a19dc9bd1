// Package validation validates custom resources as an API server does, with its own code.
//
// In: the schema of a version of a CustomResourceDefinition, and objects. Out: the objects with the
// defaults of the schema, and errors of fields: unknown ones, values of other types, duplicates in
// sets, and rules in CEL that are broken.
//
// It never reads a cluster, and has no rules of its own.
package validation

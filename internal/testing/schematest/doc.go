// Package schematest gives tests schemas: those of real providers, one with every shape a schema
// can have, and random ones with random values.
//
// In: the name of a provider, or a rapid.T. Out: schemas and cty values. It never starts a
// provider: the schemas of real providers are in testdata, and a test of this package compares them
// with the providers.
package schematest

// Package schematest gives tests schemas: those of real providers, one that has every shape there
// is, and random ones with random values.
//
// In goes the name of a provider, or a rapid.T; out come schemas and cty values. It is for tests
// alone, and never starts a provider: the schemas of real ones are in testdata, where a test of this
// package keeps them equal to what the providers say.
package schematest

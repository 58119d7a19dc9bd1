// Package generate is the generator of a repository that serves the kinds of one provider. It
// writes their Go types, CustomResourceDefinitions, examples and documentation.
//
// In: the provider's recorded schema (config/schema.json) and its configuration (config.Provider).
// Out: the generated files of the repository. It never starts a provider and never overwrites a
// file that it did not generate.
package generate

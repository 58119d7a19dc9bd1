// Package suggest suggests how the configuration of a provider maps the identities of its resource
// types to their arguments.
//
// In: the model of the provider, and objects with their identities. Out: mappings that are
// consistent with all of these objects, and notes about what is uncertain. It never reads files,
// calls a provider or a cluster.
package suggest

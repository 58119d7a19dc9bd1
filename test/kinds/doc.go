// Package kinds tries everything of a provider that is no resource type in a cluster: the kinds of
// its data sources and ephemeral resources, and its functions.
//
// In: examplecloud's provider in all its forms, and providers of HashiCorp. Out: how many of each
// kind behaved as docs/data-sources.md and docs/ephemeral-resources.md say, in one closing line.
package kinds

// Package kinds tries everything of a provider that is no resource type in a cluster: the kinds of
// its data sources, and its functions.
//
// In: examplecloud's provider in all its forms, and providers of HashiCorp. Out: how many of each
// kind behaved as docs/data-sources.md says, in one closing line.
package kinds

// Package kinds tries everything of a provider that is no resource type in a cluster: the kinds of
// its data sources and ephemeral resources, its actions and functions, and queries of its objects.
//
// In: examplecloud's provider in all its forms, and providers of HashiCorp. Out: how many of each
// kind behaved as its page in docs says, in one closing line.
package kinds

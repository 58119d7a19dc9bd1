// Package generatetest has the tests that the repository of a provider's author runs.
//
// In: the repository's directories, and the function that registers its Go types. Out: what fails.
// Kinds, Conversions, Examples and Package look at files; EndToEnd works in a cluster, with the repository's own
// program.
package generatetest

// Package generatetest has the tests that the repository of a provider's author runs.
//
// In: the repository's directories, and the function that registers its Go types. Out: failures of
// tests. Kinds, Conversions, Examples and Package read files. InProcess runs the provider. EndToEnd
// runs the repository's program in a cluster, and Figures measures it there.
package generatetest

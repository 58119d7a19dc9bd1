// Package behaviour says what Landbridge promises whatever a provider is made of and however it is
// run, and proves it.
//
// In: the example cloud's provider in its three forms (plugin SDK, plugin framework on protocols
// 5 and 6), each as a program of its own and linked into the controller. Out: for each behaviour
// of Tables and each of these columns, a test that goes through the custom resource, against
// a real API server, the real controller and the example cloud. Command cmd/behaviours runs them
// and writes the tables in docs/behaviour.md and docs/identity.md.
//
// Not here: what a provider's own tests say (examples/examplecloud), and the tests of single
// packages.
package behaviour

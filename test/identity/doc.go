// Package identity says what Landbridge promises about resource identity, and proves it.
//
// In: the example cloud's provider in its three forms (plugin SDK, plugin framework on protocols
// 5 and 6), each as a program of its own and linked into the controller. Out: for each behaviour
// of Behaviours and each of these six ways, a test that goes through the custom resource, against
// a real API server, the real controller and the example cloud. Command cmd/identity-matrix runs
// them and writes the table in docs/identity.md.
//
// Not here: what a provider's own tests say (examples/examplecloud), and the tests of single
// packages.
package identity

// Package behaviour lists the behaviours that Landbridge guarantees for every kind of provider and
// every way of running it, and tests them.
//
// In: the example cloud's provider in its three forms (plugin SDK, plugin framework on protocols
// 5 and 6), each as a separate program and linked into the controller. Out: for each behaviour of
// Tables and each of these columns, a test through the custom resource with a real API server, the
// real controller and the example cloud. Command cmd/behaviours runs them and writes the tables in
// docs/behaviour.md and docs/identity.md.
//
// Not here: the provider's own tests (examples/examplecloud), and tests of single packages.
package behaviour

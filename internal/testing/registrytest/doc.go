// Package registrytest is a registry of providers for tests, in the memory of the process and with
// TLS.
//
// It serves the same releases by all protocols: a provider registry with signed checksums, a
// network mirror, and an OCI registry, to which clients can also push. Tests make it fail by
// Registry.Break, or by what it answers.
package registrytest

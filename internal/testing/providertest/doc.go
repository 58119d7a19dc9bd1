// Package providertest gives tests real providers, as their authors released
// them.
//
// In: a provider's name. Out: its binary, or a directory in the layout of
// Terraform's filesystem mirrors that holds it. Each provider is a Go module
// under test/providers, pinned to one version and verified by its go.sum. It is
// built when it is first needed. A provider is never linked into the test
// binary, and a test whose provider cannot be built fails.
package providertest

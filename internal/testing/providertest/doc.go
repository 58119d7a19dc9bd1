// Package providertest gives tests real providers, as their authors released
// them.
//
// In goes a provider's name; out comes its binary, or a directory in the layout
// of Terraform's filesystem mirrors that holds it. Each provider is a Go module
// under test/providers, pinned to one version and verified by its go.sum; it is
// built when first asked for. Nothing of a provider is ever linked into the
// asking program, and a test whose provider cannot be built fails.
package providertest

// Package local plans and applies custom resources without a cluster: the manifest is a
// file, the provider a binary, and what is remembered of the objects is in a Terraform state file.
//
// In: manifests as one would give them to kubectl, a provider, a state file. Out: plans to look
// at, the state file, and messages with paths in the manifest's spelling. Everything a provider is asked
// goes through internal/terraform/engine, as in the controller.
//
// The state is written after every answer to an apply, failed ones too, before anybody is told. What
// is in the state and not in the manifest is left alone. References between
// resources are not resolved, and no connection Secret is written.
//
// It prints nothing, asks nobody, and shows no secret in any message.
package local

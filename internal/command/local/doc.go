// Package local plans and applies custom resources without a cluster, with a manifest, a
// provider's binary and a Terraform state file.
//
// In: manifests as for kubectl, a provider, a state file. Out: plans, the state file, and messages
// with the paths of fields in the manifest. Package desired reads the resources and package engine
// calls the provider, as in the controller.
//
// The state is written after every answer to an apply, failed ones too, before it is reported.
// Resources in the state that are not in the manifest are left alone. References are resolved among
// the resources of the manifest, and no connection Secret is written.
//
// It never prints or prompts, and no message holds a secret.
package local

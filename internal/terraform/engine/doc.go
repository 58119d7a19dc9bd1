// Package engine implements terraform.Executor over a provider server: it does for one
// resource instance what Terraform Core does, by the contract in docs/contract.md.
//
// In: a resource type's schema, an instance, a
// configuration. Out: the instance to store, or a plan, and diagnostics with Terraform's own
// summaries. Values, private bytes and identity travel together in instance.Instance; the
// engine remembers nothing between calls and may be used concurrently.
//
// Where Core would lose track of an object, the engine differs (marked ENGINE in the
// contract):
//
//   - If an answer cannot be decoded, the prior private bytes and identity are kept, and a
//     create reports OutcomeUnknown.
//   - Error answers without private bytes or identity do not clear the stored ones.
//   - Results with write-only or unknown values are stored with null in their place.
//   - A delete always sends the prior identity.
//   - When an object is gone, its private bytes and identity are removed with it.
//
// It never stores anything, never retries, and never puts a value into a diagnostic.
package engine

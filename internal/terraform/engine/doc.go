// Package engine carries out Terraform operations over a provider server: what Terraform
// Core does for one resource instance, by its contract with providers.
//
// Engine implements terraform.Executor. In: a resource type's schema, an instance, a
// configuration. Out: the instance to store, or a plan, and diagnostics with Terraform's own
// summaries. Values, private bytes and identity travel together in instance.Instance; the
// engine remembers nothing between calls and may be used concurrently.
//
// Where following Core to the letter would lose track of an object, the engine does the
// safer thing:
//
//   - An answer that cannot be read keeps the prior private bytes and identity, and a create
//     that ends so says OutcomeUnknown rather than nothing.
//   - Error answers without private bytes or identity do not clear the stored ones.
//   - Results that break the rules of write-only or of types are stored as far as they can be.
//   - A delete is always told the prior identity.
//   - An object that is gone takes its private bytes and identity with it.
//
// It never stores anything, never retries, and never puts a value into a diagnostic.
package engine

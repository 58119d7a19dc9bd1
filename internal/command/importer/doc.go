// Package importer writes the manifests that bring existing objects under management.
//
// In: objects, by identity, by id, or from a Terraform state (Items), and the providers that read
// them. Out: for each object a custom resource whose first reconcile changes nothing remotely, and
// the Secrets that it needs: the stored instance, in the format of internal/scheduler/store, and
// the sensitive inputs.
//
//	items ── read: import or refresh ── configurations ── plan each ── the first that changes nothing
//	                                                                 └─ none: the resource only observes
//
// Manifests are complete, files are written all or none, and in a cluster Secrets are created
// before their resource and deleted if it cannot be created. It never creates or changes a remote
// object. Sensitive values are in Secrets only, and only if they come from a state: those that a
// provider returned are not written at all.
package importer

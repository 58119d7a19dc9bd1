// Package importer writes the manifests that bring existing objects under management.
//
// In: objects, by identity, by id, or as a Terraform state has them (Items), and the providers
// to read them with. Out: for each a custom resource whose first reconcile changes nothing
// remotely, with what has to be there before it: the Secret that holds what the state
// remembered, in the form of internal/scheduler/store, and the Secret of its sensitive inputs.
//
//	items ── read: import or refresh ── configurations ── plan each ── the first that changes nothing
//	                                                                 └─ none: the resource only observes
//
// Nothing is half written: manifests are whole, files appear all or none, and in a cluster
// Secrets come before their resource and go if it cannot be made. No remote object is created
// or changed. A sensitive value is in Secrets only, and one that a provider told, rather than
// a state, in nothing at all.
package importer

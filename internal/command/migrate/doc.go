// Package migrate takes over the objects of Crossplane providers that Upjet has generated.
//
// In: their managed resources and provider configurations, of a cluster or a dump, and the same
// Terraform provider. Out: items for package importer, which reads the objects and plans the new
// resources against them; manifests with what else the old resources ask for: policies, references,
// Secrets, labels, and fields that apply at creation only; and manifests of the provider and its
// configurations.
//
//	hold ──▶ apply ──▶ release ──▶ await ──▶ finish
//	old: paused, orphans   new: paused   new: unpaused   new: ready   old: marked
//
// HandOver hands the objects over in a cluster. What is left to do is decided from what the cluster
// has, so it goes on after an interruption at any point. Until the old resource is deleted it can
// be undone. At no time do both resources manage an object: the old one is paused before the new
// one is unpaused, and the new one only observes before the old one is unpaused.
//
// It never calls a provider, and never writes a sensitive value anywhere but into Secrets.
package migrate

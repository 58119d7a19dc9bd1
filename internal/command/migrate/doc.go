// Package migrate turns managed resources of Crossplane providers that Upjet has generated into those of Landbridge.
//
// In: the managed resources, as the API server has them, and the same Terraform provider. Out: items for package importer,
// which reads the objects and finds configurations that change nothing; and its manifests with what else the old resources
// ask for: policies, references, Secrets, labels, and fields that apply at creation only.
//
// It never calls a provider, and never changes the old resources.
package migrate

// Package export writes resources of a cluster as a Terraform configuration.
//
// In: a cluster with its custom resources and stored instances, a selection of resources, and the
// schemas of their providers. Out: files: the resources and their provider configurations in HCL,
// import blocks, and, in files of their own, the sensitive values and a Terraform state of format
// 4. A plan of all files changes nothing.
//
//	custom resources ── desired ──▶ HCL; references ──▶ expressions, depends_on
//	data sources that they refer to ──▶ data blocks
//	stored instances ── package state ──▶ terraform.tfstate
//
// No sensitive value is in HCL: variables have them. The package never calls a provider, and never
// changes the cluster.
package export

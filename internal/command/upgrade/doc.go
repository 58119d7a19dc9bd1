// Package upgrade previews a new version of a provider on the live resources of a cluster.
//
// In: a cluster with custom resources and stored instances, and both versions of the provider,
// which run on this machine. Out: a report of package internal/upgrade. A plan of upgrades tells
// which newer versions there are, and what resources use that is deprecated in the installed one.
//
// It reads resources and records in pages, and keeps little of each, so that memory is bounded. It
// writes nothing: neither to the cluster, nor to what is stored, nor to remote objects.
package upgrade

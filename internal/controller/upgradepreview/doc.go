// Package upgradepreview previews a new version of a provider on the live resources of a cluster.
//
// In: a reader of custom resources and stored instances, and executors of the installed version and
// of the new one. Out: a report of package internal/upgrade, of which the finished resource types
// can be told meanwhile, so that a preview that was interrupted goes on after the last one.
//
// It reads resources and records in pages, and keeps little of each, so that memory is bounded. It
// writes nothing: neither to the cluster, nor to what is stored, nor to remote objects.
package upgradepreview

// Package status shows the status of managed resources in a cluster, and makes requests to the
// controller, for the command line.
//
// In: a cluster, the names of kinds and resources. Out: rows (Row), once or on every change, and
// the outcome of requests. It reads the resources' status and sets annotations, as kubectl or
// GitOps can do too, and needs permissions for the resources only. It never calls a provider, and
// writes nothing but those annotations.
package status

// Package diff plans manifests against a cluster: what applying them would change of remote
// objects.
//
// In: manifests, a cluster with its custom resources and stored instances, and providers that run
// on this machine. Out: one plan for all manifests, in the order of their references, and messages
// with the paths of fields in the manifests. The API server applies the manifests in dry runs, so
// that its defaults and checks count; package local plans.
//
// It writes nothing: neither to the cluster, nor to what is stored, nor to remote objects. No
// message holds a secret.
package diff

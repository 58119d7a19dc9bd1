// Package playground runs a Kubernetes control plane inside the calling
// process: etcd, the API server of upstream's generic control plane, and the
// controllers of kube-controller-manager for namespace deletion, garbage
// collection, service accounts and aggregated cluster roles.
//
// In: a directory for the data. Out: a kubeconfig for a cluster administrator
// and a way to stop. It is the real API server: server-side apply, CEL,
// watches, RBAC, webhooks and custom resources behave as in any cluster. There
// are no pods, nodes, services or deployments. A conversion webhook is called
// on this machine, whatever the name of its Service.
//
// It never installs Landbridge into the cluster and never uses the network
// outside of this machine: etcd listens on a unix socket, the API server on
// 127.0.0.1.
//
// The package is in a Go module of its own, so that programs that import
// Landbridge do not have k8s.io/kubernetes in their module graph.
package playground

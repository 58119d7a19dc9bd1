// Package playground runs a Kubernetes control plane inside the calling
// process: etcd, the API server of upstream's generic control plane, and those
// controllers of kube-controller-manager without which the API server alone
// surprises users (namespace deletion, garbage collection, service accounts,
// aggregated cluster roles).
//
// In goes a directory for the data; out come a kubeconfig for a cluster
// administrator and a way to stop. It is the real API server: server-side
// apply, CEL, watches, RBAC, webhooks and custom resources behave as in any
// cluster. There are no pods, nodes, services or deployments; webhooks that convert custom
// resources are looked for on this machine, whatever their Service is called.
//
// It never installs Landbridge into the cluster and never reaches out of this
// machine: etcd listens on a unix socket, the API server on 127.0.0.1.
//
// The package lives in a Go module of its own, so that nobody who uses
// Landbridge as a library has k8s.io/kubernetes in their module graph.
package playground

// Package kubeconfig connects to the cluster that a user means.
//
// In: the kubeconfig file, context and namespace that flags name. Out: the configuration of a
// client, and the namespace. It connects to nothing itself.
package kubeconfig

// Package terraform is the operations that Terraform carries out on one resource instance,
// and the ways to carry them out.
//
// Executor is implemented by engine (Terraform Core's contract over a provider server) and
// by cli (the terraform or tofu command line). Values in, values out: an Executor holds no
// state of a resource; state, private bytes and identity always travel together in an
// instance.Instance. It never talks to Kubernetes.
package terraform

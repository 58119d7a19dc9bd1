// Package terraform defines the operations of Terraform on one resource instance.
//
// Executor is implemented by engine (Terraform Core's contract over a provider server), by cli (the
// tofu or terraform command line) and by module (a whole module by the command line).
//
// In: an instance.Instance, which holds state, private bytes and identity together, and a
// configuration. Out: plans and instances. An Executor keeps no state of a resource, and never
// talks to Kubernetes.
package terraform

// Package desired reads what a custom resource asks for: the configuration of its object, which
// object it imports or is known by, what may be done to that object, and how long operations
// may take.
//
// In: the spec and annotations of a custom resource, from a cluster or a manifest, and its
// model. Out: values that the scheduler and the command line act on. The controller and
// landbridge plan both read with it, so that they agree.
//
// It never calls a provider or Kubernetes, and holds no state. The values of Secrets come in
// as a function.
package desired

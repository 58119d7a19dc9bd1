// Package desired describes what a custom resource asks for: which object it imports or is
// known by, what may be done to that object, and how long operations may take.
//
// In: the spec and annotations of a custom resource or manifest, and its model. Out: values
// that the scheduler and the command line act on.
//
// It never calls a provider or Kubernetes, and holds no state.
package desired

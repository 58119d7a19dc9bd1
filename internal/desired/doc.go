// Package desired reads the request of a custom resource: the configuration of its object, the
// object to import or the known object, the policies for it, and the timeouts of operations.
//
// In: the spec and annotations of a custom resource, from a cluster or a manifest, and its
// model. Out: the input of the scheduler and the command line. The controller and landbridge
// plan both use it, so that they agree.
//
// It never calls a provider or Kubernetes, and holds no state. The values of Secrets come in
// as a function.
package desired

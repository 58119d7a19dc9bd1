// Package managed is the one controller for every kind of managed resource.
//
// In: a kind (package model) and a way to acquire its provider. Out: a running controller on
// crossplane-runtime's managed.Reconciler, with the Crossplane Resource Model's finalizer,
// conditions, pause, management policies and connection Secret. The scheduler decides what is done
// to a remote object. This package reads the custom resource (package desired), calls the
// scheduler, and writes the status.
//
// An unchanged resource causes no writes: client.go drops writes without changes. The journal in
// the store replaces Crossplane's create protocol, which is three annotations around each create;
// it is written before and after each operation and holds more (contract § 3.14). The package
// writes only missing values to spec: those of references and, if configured, values that the
// provider chose (late initialization). It never calls a provider.
//
// The files use each other downward in this order:
//
//   - start.go runs the controller of a kind, and claims the objects of existing resources.
//   - reconcile.go is one reconcile: package turns admits it, belonging.go decides whether this
//     shard has the resource, and rest.go and look.go whether it is unchanged.
//   - external.go is what managed.Reconciler calls, with references.go, finalizer.go and client.go.
//   - request.go makes the scheduler's request; status.go, events.go and explain.go tell the
//     outcome.
//   - tracked.go has everything that is remembered of a resource between reconciles.
package managed

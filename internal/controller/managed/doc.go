// Package managed is the one controller for every kind of managed resource.
//
// In: a kind (package model) and how to get at its provider. Out: a running controller on
// crossplane-runtime's managed.Reconciler, with the Crossplane Resource Model's finalizer,
// conditions, pause, management policies and connection Secret. What is to be done about a
// remote object is the scheduler's business; this package reads the custom resource, asks the
// scheduler, and writes down the answer.
//
// It costs the API server nothing while nothing changes: client.go drops writes that would
// change nothing, and the create protocol of Crossplane, three annotations around each
// create, is replaced by the journal in the store, which is written before and after as well,
// but says more (contract § 3.14). It writes to spec only what is missing there: values of
// references, and those that the provider chose, where that is configured (late initialisation).
package managed

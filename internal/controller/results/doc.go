// Package results is the one controller for the kind of every data source and every ephemeral
// resource.
//
// In: a kind (package model) and a way to acquire its provider. Out: a running controller that
// reads data sources when they are created or changed, at their intervals and on request, and
// writes the results into their status, and the sensitive parts into the Secrets that they name.
//
// Nothing of a data source is stored but that, and nothing is ever changed remotely: there is no
// journal, no finalizer, and nothing to do when an object is deleted. References are resolved in
// memory with each look. Read and unchanged data sources cause no writes.
//
// Ephemeral resources differ in what a look does: ephemeral.go opens, renews and closes them as
// package ephemeral decides, with opener.go. lease.go stores what that needs before publish.go
// writes the result into the Secret that the object names, and a finalizer holds the object until
// all is closed.
//
// kind.go has what the controllers of all data sources need, start.go runs one, and reconcile.go is
// one look: resolve.go and configuration.go make the arguments, due.go decides whether to read,
// read.go reads, and status.go and failure.go write what came of it.
package results

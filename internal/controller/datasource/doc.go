// Package datasource is the one controller for the kind of every data source.
//
// In: a kind (package model) and a way to acquire its provider. Out: a running controller that
// reads data sources when they are created or changed, at their intervals and on request, and
// writes the results into their status, and the sensitive parts into the Secrets that they name.
//
// Nothing is stored but that, and nothing is ever changed remotely: there is no journal, no
// finalizer, and nothing to do when an object is deleted. References are resolved in memory with
// each look. Read and unchanged data sources cause no writes.
//
// kind.go has what the controllers of all data sources need, start.go runs one, and reconcile.go is
// one look: resolve.go and configuration.go make the arguments, due.go decides whether to read,
// read.go reads, and status.go and failure.go write what came of it.
package datasource

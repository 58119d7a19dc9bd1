// Package ui is a page about the resources of a cluster, for a person on the same machine, or for
// people who have tokens of the cluster.
//
// In: the configuration of a client with the person's permissions. Out: an HTTP handler: views as
// HTML, the same views as JSON, and a stream that says when they have changed.
//
//	cluster ── follow ──▶ Index of Entries ── views: pure functions ──▶ models ──▶ HTML, JSON
//	                                    └── version ──▶ stream ──▶ the browser asks for its view again
//
// What may not be listed is not in the index, so it is in no view. Of Secrets, only change records
// are read, for figures, if the person may. What needs providers is left to the commands discover,
// import and upgrade plan of a program, with the person's permissions. The only write is the
// approval of a plan, as landbridge approve does it, with the person's permissions. Each request
// needs the token of the process (guard.go), or of a person (people.go), which has a Server of its
// own then. Everything is in memory, and ends with the process.
package ui

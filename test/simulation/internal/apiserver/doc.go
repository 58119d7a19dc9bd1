// Package apiserver has the clients by which simulated processes use simulated API servers.
//
// In: a Process, which knows its cache and its API server, and decides what happens to each call.
// Out: the clients of controller-runtime that controllers work with. It has no state.
package apiserver

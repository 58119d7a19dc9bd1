// Package nettest finds local addresses that no process listens on.
//
// In: nothing. Out: an address or a port. It never listens for longer than it takes to find one, so
// another process may take it before the caller does.
package nettest

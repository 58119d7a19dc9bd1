// Package ephemeral decides when an ephemeral resource is opened, renewed, opened anew and closed.
//
// In: the times of what is open, and what its object asks for. Out: the next step, or until when
// there is none. Everything is a pure function: nothing here calls, waits or remembers, and no
// secret is needed.
//
// An ephemeral resource is renewed before the provider demands it, at a time that differs between
// objects and between renewals, so that many that were opened together are not renewed together.
// One that cannot be renewed is opened anew. What it replaces may still be in use, so it is closed
// only when it would have had to be renewed.
package ephemeral

// Package invocation decides what happens next with one invocation of an action.
//
// In: what is stored of the invocation, what its object asks for, and the time. Out: what is to be
// stored, and the next step once that is stored. Everything is a pure function: nothing here calls,
// waits or remembers.
//
// An invocation is stored as Running before it is requested of the provider, so that at most one
// outcome is unknown. One that was interrupted, or of which the provider has not said how it ended,
// is Unknown and is never repeated. One that the provider says has failed is repeated if the retry
// policy permits it.
package invocation

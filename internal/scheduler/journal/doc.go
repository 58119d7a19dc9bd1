// Package journal is what is stored of an operation before it begins, how its outcome is stored,
// and what an intent without an outcome proves.
//
// In: what an operation is asked to do, and records of the store. Out: intents (token.go,
// listing.go, timeout.go, handover.go), outcomes (writer.go, outcome.go), and what is known of an
// operation while it runs (interruption.go, progress.go). It never decides what is done next, and
// knows nothing of what memory has of a resource.
package journal

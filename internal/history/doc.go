// Package history is the change record of a resource: what happened to its object, when, by whose
// wish, and with which outcome.
//
// In: entries, each of which describes one operation or event. Out: a bounded log, its compressed
// encoding, which is stored beside the state (package store), the values that were known at a time,
// and tables. Entries have no sensitive values: whoever makes one leaves them out, and sets a flag
// instead. It never reads or writes anything.
package history

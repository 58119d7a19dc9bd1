// Package discover finds out which remote objects there are, and who manages them.
//
// In: a configured provider server, resource types with the arguments of their list resources,
// and what is known of those who manage objects (Owner). Out: the objects, by identity.
//
// A provider lists what its API lists for the configured account, so an object that is not
// found may still exist. It creates, changes and imports nothing, and does not read the
// objects themselves.
package discover

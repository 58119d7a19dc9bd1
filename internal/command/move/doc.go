// Package move moves managed resources with what is stored of their objects to another cluster, for
// the command line.
//
// In: two clusters, and a selection of resources. Out: the same resources in the other cluster, and
// nothing of them in the first one. The remote objects are not touched.
//
//	lock ──▶ pause ──▶ copy: stored instance, then resource, paused ──▶ release ──▶ unlock ──▶ unpause
//	source   source    target                                           source      source     target
//
// The lock is an operation of kind Move in the journal of the stored instance (instance.Move). It
// is written only when no other operation has begun, with the store's optimistic lock: from then on
// a controller of the source can neither store an intent, with an older version, nor load the
// instance and act on it. So at no time two controllers write, even if one was suspended or the
// resource is unpaused by hand. The resource is unpaused in the target after it is gone from the
// source.
//
// What is left to do is decided from what both clusters have, so a move that was interrupted at any
// point goes on when it is repeated. Until the resource is released it can be undone. It never
// calls a provider, and never copies Secrets or provider configurations.
package move

// Package store keeps instances between operations.
//
// In: an instance and the key of its custom resource. Out: the same instance, with the version that
// fences concurrent writers: a writer that has not seen the latest version is refused. Secrets
// keeps each instance in a Secret of Landbridge's own namespace, which tenants can neither read nor
// forge. Large ones are compressed (content.go) and divided among several Secrets, of which one is
// replaced atomically (parts.go). It never caches Secrets, lists only its own, and never logs their
// content or returns it in an error.
package store

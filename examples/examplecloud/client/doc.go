// Package client asks the example cloud for things, as its data plane does: it
// begins tasks, polls them until they end or the caller's context does, and
// repeats what may safely be repeated.
//
// In go an endpoint, a token and a default region; out come typed objects and
// errors (*api.Error for an answer, anything else for none). It knows nothing of
// Terraform and keeps nothing.
package client

// Package client is a client of the example cloud's HTTP API. It starts tasks, polls
// them until they or the caller's context end, and repeats requests that are safe to
// repeat.
//
// In: an endpoint, a token and a default region. Out: typed objects and errors
// (*api.Error for a response, any other error without one). It does not depend on
// Terraform and has no state.
package client

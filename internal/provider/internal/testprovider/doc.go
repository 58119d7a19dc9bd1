// Package testprovider is a provider for tests, well-behaved or not, in protocols 5 and 6.
//
// A test binary calls Main from its TestMain, and starts itself as a provider with the environment
// that Env returns. Tests without a process use Server, the same provider as a Go value. Server
// records every request and answers with values of Fill, so that a test can check whether every
// field of every message arrived.
package testprovider

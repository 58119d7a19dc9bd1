// Package testprovider is a provider for tests, well-behaved or not, in protocols 5 and 6.
//
// A test binary becomes it by calling Main from its TestMain, and starts itself with the
// environment that Env makes. Server, the same provider as a Go value, is for tests without
// a process. Server records every request and answers with values that Fill made, so that a
// test can tell of every field of every message whether it arrived.
package testprovider

// Package examplecloudtest gives tests of the root module the example cloud and its providers.
//
// In goes nothing; out come the address of a cloud of the test's own, and paths of provider
// binaries in each of its forms. Both are processes, built first if need be: the module they
// are of needs SDKs that the root module must not depend on.
package examplecloudtest

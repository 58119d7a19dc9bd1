// Package servertest checks that a provider.Server passes on every call, and every field of every
// message, to its provider.
//
// In: a server of testprovider. Out: test failures. It finds the methods by reflection, so that
// calls added to the interface are checked, too. It never starts a server.
package servertest

// Package servertest checks a provider.Server against the provider it serves: every method
// there is, and every field of every message.
//
// In: a server of testprovider. Out: test failures. It finds the methods by reflection, so
// that a call that the interface gains is checked at once. It never starts a server.
package servertest

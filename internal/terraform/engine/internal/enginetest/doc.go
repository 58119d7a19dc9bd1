// Package enginetest is a scripted provider server, for tests of the engine with answers that a
// correct provider never gives.
//
// In: a function per call. Out: a provider.Server that records every request. It never
// checks requests, and is for tests only.
package enginetest

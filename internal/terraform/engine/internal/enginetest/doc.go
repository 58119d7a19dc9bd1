// Package enginetest is a provider server that does as it is told, for tests of how the
// engine takes the answers that no well-behaved provider gives.
//
// In: a function per call. Out: a provider.Server that records every request. It never
// checks what it is asked, and is not for use outside of tests.
package enginetest

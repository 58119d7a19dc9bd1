// Package waittest waits in tests for what must become true.
//
// In: a condition. Out: a return when it holds, or a failed test. It never waits for a time: how
// long something takes depends on the machine.
package waittest

// Package fencetest suspends a process at each call of an operation for longer than its lease, for
// tests.
//
// In: an operation of the process, and what another process does that takes over. Out: an error for
// each change that the first process requests of a provider after that, and the calls of the
// operation. Another process is another server and another lease: it never suspends an operating
// system's process.
package fencetest

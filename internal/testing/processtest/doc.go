// Package processtest finds processes, for tests and benchmarks. Linux only.
//
// In: the id of a process. Out: the ids of its children. It never starts or ends a process.
package processtest

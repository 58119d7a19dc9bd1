// Package processtest finds processes, for tests and benchmarks alone. Linux only.
package processtest

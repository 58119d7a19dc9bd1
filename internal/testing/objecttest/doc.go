// Package objecttest reads unstructured objects of a cluster, for tests and benchmarks alone: what is at
// a path, conditions, whether the status is about the spec.
package objecttest

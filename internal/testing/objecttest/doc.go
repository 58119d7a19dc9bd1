// Package objecttest makes and reads unstructured objects of a cluster, for tests and benchmarks.
//
// In: an object. Out: the value at a path, its conditions, and whether its status is current. It
// never talks to a cluster: see clustertest.
package objecttest

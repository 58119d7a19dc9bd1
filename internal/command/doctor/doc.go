// Package doctor finds out why Landbridge does not work here.
//
// In: Facts, which are read of a cluster and of this machine. Out: Findings, each with what to do.
// Files: facts.go reads, checks.go decides.
//
// It changes nothing, neither in the cluster nor on this machine.
package doctor

// Package pki makes the certificates and keys of a control plane on one machine.
//
// In: a directory. Out: PEM files in it, which later starts reuse. It never
// signs anything for others.
package pki

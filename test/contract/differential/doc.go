// Package differential compares Landbridge with OpenTofu. Both drive the same provider through the
// same life of a resource. The provider must get the same requests in the same order, and the
// results must be the same.
//
// Landbridge's side is either the engine, linked into this program and driven as
// internal/command/local does (linked.go), with a provider that tofu attaches to; or the program
// landbridge, which runs `plan` and `apply` with the provider binary that tofu runs (programs.go).
//
// In: cases (internal/cases). Out: the differences that are not on the list of deliberate ones
// (deliberate.go). Many cases share one run of tofu, as resources of one configuration.
//
// It never decides which side is right: a difference is a bug in the engine, or belongs on the list
// with its reason.
package differential

// Package differential compares the engine with the real command line, OpenTofu: the same
// provider is driven once by each, through the same life of a resource, and must be asked the
// same in the same order, and leave behind the same.
//
// Our side is the engine linked into this program, as package standalone drives it (linked.go), with a
// provider that tofu is told to talk to as well; or landbridge as a program, which is started for `plan`
// and `apply` with the provider binary that tofu starts, too (programs.go).
//
// In go cases (internal/cases); out come the differences between the two that are not on the
// list of deliberate ones (deliberate.go). Many cases share one run of tofu, as resources of one
// configuration. What it never does: decide who is right. A difference is a bug in the engine, or
// belongs on the list with its reason.
package differential

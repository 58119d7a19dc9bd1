// Package world tries Landbridge in a cluster against clouds as they are: late, forgetful, and
// inexact.
//
// In: the catalogue of behaviours in examplecloudtest. Each is tried in every way in which
// Landbridge runs a provider: as a plugin, by the command line (spec.execution: CLI), and in a
// module. In each way, two resources are created while the cloud behaves so; one is changed, the
// other is reconciled on request, the controller is restarted, and both are deleted. Out: what was
// lost, what exists twice, and which resources are not as docs/faults.md says, judged by the
// cloud's own record.
package world

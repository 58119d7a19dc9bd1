// Package chaos uses Landbridge as users do while everything around it fails, and then checks
// whether anything was lost.
//
// In: a number of operations and a seed. Out: a Report of duplicates, orphans, lost secrets, stuck
// resources, and of the fault points at which the controller died. The API server, the controller,
// the providers and the cloud are real, separate processes. The cloud's audit log shows what
// happened.
//
//	world.go       the API server, the cloud, and access to them
//	controller.go  processes of the controller
//	kind.go        the kinds of resources: one for each way to find objects again
//	module.go      a Terraform module as a kind, with small and with large states
//	slot.go        one resource of a user
//	operation.go   the operations on resources, including those without the user
//	user.go        how users resolve creates with unknown outcome, as documented
//	agenda.go      the order of faults; the faults are in point.go, process.go, outage.go, estate.go
//	cli.go         faults for execution by the command line
//	judge.go       the checks at the end
//
// The seed determines what happens, but not when: the timing of processes varies.
//
// Faults that only the provider could handle are left out. The response to a create request is not
// lost on the way to the provider if only the cloud knows the id, because the provider would report
// a failure without the object. The cloud never reports an existing object as missing.
package chaos

// Package chaos works with Landbridge as its users do while everything around it breaks, and
// then judges whether anything was lost.
//
// In: a number of operations and a seed. Out: a Report of duplicates, orphans, lost secrets, stuck
// resources, and of the fault points at which the controller died. Everything is real, and a
// process of its own: the API server, the controller, the providers, and the cloud, whose
// records say what really happened.
//
//	world.go       the API server, the cloud, and how to talk to them
//	controller.go  processes of the controller
//	kind.go        what resources there are: one kind for each way to be found again
//	slot.go        one resource of a user, and what the user does with it
//	operation.go   the operations, and what happens to a resource behind everybody's back
//	user.go        what a user does about creates of unknown outcome, by the documentation
//	agenda.go      which faults happen, in which order; point.go, process.go, outage.go, estate.go: the faults
//	cli.go         more of them, where Terraform's work is done by a program
//	judge.go       what is wrong at the end
//
// What happens follows from the seed, when it happens does not: the processes run as they do.
//
// Faults that nobody but the provider could survive are left out: the answer to a request to
// create something of an id that only the cloud knows is not lost on its way to the provider
// (which would say that it failed, and not what it made), and what exists is not said to be gone.
package chaos

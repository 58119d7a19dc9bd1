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
//
// # What happens
//
// make chaos OPS=n SEED=s EXECUTION=Plugin|CLI lets users create, update, replace, taint and delete
// resources of six types, which differ in how their objects can be found again, of a provider on
// the framework and one on the legacy SDK, and of a Terraform module, some of them with states that
// do not fit into one Secret. With RACE=-race, as in make verify, the controller has the race
// detector. Meanwhile faults happen one after the other:
//
//   - The controller is killed at each of the instants between the steps of the journal that
//     internal/faultpoint names, in every kind of operation and of recovery, and at random
//     instants. It is stopped, with and without enough time for its operations; it hands over to
//     another controller; it is suspended for longer than its lease.
//   - Providers are killed in the middle of calls, and suspended.
//   - With EXECUTION=CLI, where OpenTofu does the work, its programs are killed at any age, and at
//     the instants of a change: before the provider is asked, while it creates, and when it has
//     answered and the program does not know yet. The controller is killed at the same instants.
//     The programs are also suspended, and their directories are removed while they run.
//   - The API server is stopped, killed and suspended.
//   - The cloud is killed, drops connections, loses answers, throttles, is slow, fails tasks or
//     never ends them, and shows late what it created.
//   - Status, stored state and connection Secrets are lost; stored state is restored from a backup;
//     others write at the same time; objects are changed and removed by hand; endpoints and tokens
//     change; namespaces and credentials are deleted while in use.
//
// Processes, API server and cloud are real. When a message asks the user for the outcome of a
// create, the user looks it up and answers, as soon as nothing is under way any more, neither in
// the cloud nor in a controller that is only suspended. The user does nothing else. At the end, the
// objects that exist are compared with what users wanted, with what is stored, and with the cloud's
// own records of every create and delete:
//
//	chaos: 1000 operations, 0 duplicates, 0 orphans, 0 lost secrets, 0 stuck, 50 of 50 fault points
//
// With REPLICAS=3, that many controllers share the work of three shards. They are killed one by one
// and all at once, stopped, and suspended beyond their leases; resources get provider
// configurations of other shards, and configurations move and are divided by kind. Fault points are
// not tried then.
//
// It fails if a count is not 0, if an object was destroyed without a request, or if a secret is in
// a log, event or status. From 1,000 operations on, it tries all faults, and fails if one of the
// fault points was not reached; with fewer operations it tries some of them. The seed decides what
// users do and which faults happen. The processes run at their own pace, so the same seed finds the
// same problem again often, not always. A failure keeps its logs and prints where they are;
// go run ./test/chaos/cmd/chaos -h explains how to try one fault alone.
package chaos

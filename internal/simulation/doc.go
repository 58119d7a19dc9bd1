// Package simulation runs the real scheduler, store and reconciler of managed resources, and the
// executor of modules, against a simulated API server and a simulated cloud, in virtual time, and
// checks from the outside that nothing is lost.
//
// In: a seed and a number of operations. Out: a Result with the violations of the invariants, and a
// trace of each. A schedule is one world: two controllers with a lease, or replicas that share the
// work by shards, users, and faults, until all operations are done and the faults have ended. The
// same choices always give the same trace.
//
// Every call of the API server and of the provider waits for the driver, which lets one continue at
// a time (driver.go). It may also let the call fail, lose its answer, or kill, suspend or replace
// the controller. All that depends on chance is drawn from one sequence of choices, so that a
// failing schedule can be had again, and shrunk (shrink.go).
//
// It never starts a process, opens a connection or waits for real time.
package simulation

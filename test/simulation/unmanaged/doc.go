// Package unmanaged simulates the controllers of actions, ephemeral resources and data sources.
//
// In: a seed and a number of operations of users. Out: a simulation.Result with the violations of
// the invariants, and a trace of each schedule. A schedule is one world: controllers that lead one
// after the other, an API server, a cloud, users and faults, in virtual time. The same seed has the
// same trace.
//
// Every call of the API server and of the provider waits for the driver (driver.go), which lets one
// continue at a time, refuses it, loses its answer, or ends or suspends the process at that moment.
// The cloud can be out of reach for longer than what is open lasts. Caches lag behind.
//
// After every step it checks from the outside (check.go) that
//   - no action is invoked again, but after the provider has said that it failed, where its retry
//     policy has it;
//   - no invocation is lost: what the status says of it is what has happened, and is Unknown only
//     where no process could know;
//   - nothing opened is left open without a record of it, except where the answer was lost, or the
//     process has ended or lost its lease before it could be stored;
//   - nothing is closed while a Secret shows it as in use;
//   - no secret is in an object or an event.
//
// In the end, all faults have ended. Each action is over, each ephemeral resource is open and its
// Secret has what is open, each data source has what the cloud has, and what is deleted is gone and
// closed.
//
// It never starts a process, opens a connection or waits for real time.
package unmanaged

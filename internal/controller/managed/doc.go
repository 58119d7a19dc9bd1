// Package managed is the one controller for every kind of managed resource.
//
// In: a kind (package model) and a way to acquire its provider. Out: a running controller that
// follows the Crossplane Resource Model: finalizer, conditions, events, pause, management policies
// and connection Secret. The scheduler decides what is done to a remote object. This package reads
// the custom resource (package desired), calls the scheduler, and writes the status. It writes only
// missing values to spec: those of references and, if configured, values that the provider chose
// (late initialization). It never calls a provider.
//
// # The loop
//
// loop.go has the steps of crossplane-runtime's managed.Reconciler, in its order. That reconciler
// itself cannot be told the truth about these resources:
//
//   - It knows of an object whether it exists and is up to date, and not that an operation runs or
//     waits. Each answer of the two would have it begin something, or report what is not so.
//   - It writes annotations before and after each create, which no option turns off. The journal
//     holds more (contract § 3.14).
//   - It writes the status at each end, also when nothing has changed, and before an operation ends
//     that takes less than a second.
//   - It reconciles again at once, after a growing delay, or at the next poll. The scheduler and the
//     pool know the time at which a failed operation or a provider is tried again.
//   - Its condition Synced has one reason for all failures.
//   - Its events tell of each request and of each attempt, and not of outcomes.
//
// TestConformsToCrossplane runs both in the same situations: they lead to the same conditions,
// finalizers, events, connection Secrets and next reconciles, but for the differences named there.
//
// # The files
//
// They use each other downward in this order:
//
//   - start.go runs the controller of a kind (controller.go), and claims the objects of existing
//     resources.
//   - reconcile.go is one reconcile: package turns admits it, unchanged.go finds most resources
//     unchanged by a look, belonging.go decides whether this shard has the resource, and loop.go does
//     the rest.
//   - loop.go uses steps.go for what is the same in each step, and references.go, external.go,
//     connection.go and finalizer.go for the steps themselves.
//   - external.go observes, creates, updates and destroys by the scheduler, with look.go for the
//     observation, annotations.go for the external name and status.go for the status. request.go
//     makes the scheduler's request; events.go and explain.go tell the outcome, and synced.go the
//     condition Synced.
//   - triggers.go has the actions invoked that precede and follow operations (package trigger), with
//     triggered.go for the objects of these.
//   - client.go reads and writes the custom resource. An unchanged one causes no writes.
//   - tracked.go has everything that is remembered of a resource between reconciles.
package managed

// Package turns decides which resources of a kind are reconciled next, and how many at once.
//
// In: events of resources, and what reconciles have found. Out: the order of the kind's work queue,
// and Admit, which each reconcile asks before it works and answers with Done. Requests that must
// wait are queued again when their turn comes.
//
//   - Resources that were changed, are new, or are looked at periodically alternate (lanes.go).
//   - The workers are divided among namespaces and provider configurations, and those that hang are
//     replaced (share.go, worker.go).
//   - When a controller starts, changed and new resources come before the cache is filled
//     (early.go), and looks at unchanged ones come after their records were loaded.
//   - Work that is not urgent waits as long as many other resources do.
//
// It never reads or writes a resource, and knows nothing of what a reconcile does.
package turns

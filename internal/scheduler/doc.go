// Package scheduler carries out long operations on remote objects in the background.
//
// In: a Request, which has a custom resource (Resource), access to its object (Access), its desired
// object (Desired), what annotations request (Asked), and what to ask and tell (Hooks). Out: at
// once, what is known (Observation), or that an operation was started, is running, or how it ended.
// Reads and plans are carried out while the caller waits; creates, updates and deletes never are.
// At most one operation runs per resource.
//
// Pure functions of a snapshot decide the next step (package decision). Observe, Apply and Delete
// carry it out.
//
//	Observe (observe.go) ── loads, claims, recovers, finds, reads, plans ──▶ Observation
//	Apply, Delete (apply.go) ──▶ start ──▶ intent stored ──▶ provider called ──▶ outcome stored ──▶ Wake
//
// Nothing is lost (operation.go, run.go, package journal): the intent is stored before a provider
// is called, and the outcome is stored before it is reported. The next Observe recovers operations
// that an earlier process began and did not conclude (recovery.go).
//
// A replacement may create before it destroys (deposed.go). The request of an annotation is carried
// out once (asked.go), and events are reported once, after they are stored (event.go).
//
// The object of an interrupted create is found by a handle (ownership/handle.go), or by listing
// (listing.go). If the kind is configured for it, one list of a type answers the looks at its
// unchanged objects (confirm.go, package survey).
//
// Memory has a place of each resource, and its entry unless the resource is at rest (entry.go,
// entries.go, memory.go). Most looks find one at rest and unchanged (rest.go). What survives a
// process is loaded and stored in record.go, and removed in leave.go.
//
// A remote object has one owner among the resources (package ownership; claims.go, rivals.go), and
// an existing object is only adopted on request (existing.go, import.go). What fails again and
// again after making an object, what is changed back again and again, and what never settles is
// noticed (attempts.go, flap.go, package settling).
//
// It never uses Kubernetes except through store.Store, and of custom resources it knows only the
// key.
package scheduler

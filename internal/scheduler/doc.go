// Package scheduler carries out long operations on remote objects without blocking who asks.
//
// In: a Request, which says which custom resource it is about, what the object is to be, and
// how to get at its provider. Out: at once, what is known (Observation), or that an operation
// was started, goes on, or how it ended. Reads and plans are carried out while the caller
// waits; creates, updates and deletes never are. At most one operation runs per resource.
//
// Nothing is lost (the journal): before a provider is asked to change the world, the intent is
// written to the store; after it answered, the answer is written before anyone is told. What
// an earlier process began and did not conclude is recovered at the next Observe.
//
//	Observe ── nothing stored, import asked for ──▶ import ──▶ stored
//	   │
//	   ├─ an operation runs here ──▶ answered from memory
//	   ├─ an unconcluded operation of another process ──▶ recover (recovery.go)
//	   └─ refresh ──▶ unchanged and same configuration: the previous answer
//	                └▶ stored, planned
//	Apply, Delete ──▶ started ──▶ intent stored ──▶ provider called ──▶ answer stored ──▶ Wake
//
// A replacement may create before it destroys (deposed.go). What somebody asks for by annotation
// is done once (asked.go), and what happens is told once, after it is stored (event.go).
//
// A remote object has one owner among the resources (claims.go), and nothing is taken over
// that nobody asked for (existing.go).
//
// It never talks to Kubernetes but through store.Store, and knows nothing of custom resources
// but their key.
package scheduler

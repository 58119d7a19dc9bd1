package simulation

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// A schedule suspends controllers by chance. A suspension does it at a certain call: another
// process takes over, changes the object, and when it is done the first one continues.

// Suspension is an operation on one resource, and the call at which its controller is suspended.
type Suspension struct {
	// Type is the resource type.
	Type string
	// Operation is Create, Update or Delete.
	Operation string
	// At is the number of the call, from 0.
	At int
	// Deleted has the resource deleted meanwhile, and the other process end as soon as it has
	// released it. Records are divided among small parts.
	Deleted bool
}

// Types returns the resource types.
func Types() []string { return slices.Clone(resourceTypes) }

// Run carries out the operation, and returns the call and the trace. call is empty if the operation
// has fewer calls.
func (s Suspension) Run(t *testing.T) (call string, violations []Violation, text string) {
	tr := &trace{}
	synctest.Test(t, func(*testing.T) {
		w := newWorld(replay(nil, 0), tr)
		if s.Deleted {
			w.partSize = 32
		}
		call = w.suspend(s)
		violations = w.check.violations
	})
	return call, violations, tr.String()
}

// suspend carries out an operation, suspends the leader, and returns the call at which it was.
func (w *world) suspend(s Suspension) (call string) {
	w.start()
	w.start()
	for w.leader() == nil {
		w.sleep()
	}
	old := w.leader()
	k := w.keyOf(s.Type)
	if w.users.create(k); s.Operation != "Create" {
		w.until(w.done(k), nil)
	}
	w.begin(k, s.Operation)
	calls := 0
	w.until(func() bool { return old.suspended || w.done(k)() }, func(x *waiter) bool {
		if x.p != old {
			return true
		}
		if calls == s.At {
			w.note("%s is suspended at: %s", old, x.what)
			call, old.suspended = strings.TrimPrefix(x.what, old.name+" "), true
		}
		calls++
		return !old.suspended
	})
	if old.suspended {
		w.until(func() bool { return w.leader() != old }, nil)
		if s.Deleted {
			w.releasedAndKilled(k)
		} else {
			w.edited(k, 3) // so that the new leader has something to write
			w.completeSlowly()
		}
	}
	w.finish()
	return call
}

// releasedAndKilled has a user delete a resource, and kills the leader as soon as it has released
// it. The suspended process continues before there is another leader.
func (w *world) releasedAndKilled(k store.Key) {
	w.users.delete(k, w.users.current[k])
	w.until(func() bool { return w.users.resource(k) == nil }, nil)
	w.note("%s is killed", w.leader())
	w.kill(w.leader(), false)
	w.start()
}

// completeSlowly lets the cloud complete what it has accepted, and the leader do what follows.
func (w *world) completeSlowly() {
	for until := w.now().Add(2 * cloudTakes); w.now().Before(until); w.until(w.quiet, nil) {
		w.sleep()
		w.completeAll()
	}
}

// keyOf returns the key of the first resource of a type.
func (w *world) keyOf(resourceType string) store.Key {
	return w.keys[slices.IndexFunc(w.keys, func(k store.Key) bool { return k.Kind == w.model.Resources[resourceType].Kind })]
}

// begin has a user do what an Update or a Delete of a resource follows from. A Create follows from
// the resource itself.
func (w *world) begin(k store.Key, operation string) {
	switch operation {
	case "Update":
		w.edited(k, 2)
	case "Delete":
		w.users.delete(k, w.users.current[k])
	}
}

// edited sets the size of a resource, unless it is being deleted.
func (w *world) edited(k store.Key, size int64) {
	if r := w.users.resource(k); r != nil && r.GetDeletionTimestamp() == nil {
		w.note("user sets the size of %s to %d", k.Name, size)
		w.users.edit(k, size, "spec", "forProvider", "size")
	}
}

// completeAll lets the cloud complete what it has accepted long ago: it does not wait for who
// asked.
func (w *world) completeAll() {
	for _, x := range slices.Clone(w.cloud.pending) {
		if w.now().Sub(x.since) > cloudTakes {
			w.note("the cloud completes %s", x.o)
			w.cloud.complete(x)
		}
	}
}

// done returns a function that reports whether a resource is as it is wanted, or gone, and nothing
// is to be done right now.
func (w *world) done(k store.Key) func() bool {
	return func() bool {
		r := w.users.resource(k)
		if !w.quiet() || r == nil {
			return r == nil && w.quiet()
		}
		ready, _ := condition(r, "Ready")
		synced, _ := condition(r, "Synced")
		wanted, _, _ := unstructured.NestedInt64(r.Object, "spec", "forProvider", "size")
		return ready == "True" && synced == "True" && slices.ContainsFunc(w.cloud.objects, func(o *object) bool { return o.size == wanted })
	}
}

// until lets things happen, one after the other and without faults, until a condition holds. may is
// asked before a call continues; nil means that it may.
func (w *world) until(holds func() bool, may func(*waiter) bool) {
	for end := w.now().Add(settling); !holds() && w.now().Before(end) && w.busy <= busyLoop; w.check.step() {
		calls := w.calls()
		switch {
		case len(calls) == 0 || w.unheard():
			w.move()
		case may != nil && !may(calls[0]):
		case calls[0].kind == change:
			w.busy++
			w.release(calls[0], slow) // so that it can be suspended while the cloud works
		default:
			w.move()
		}
	}
}

// unheard reports whether a process has not heard of an event.
func (w *world) unheard() bool {
	return slices.ContainsFunc(w.processes, func(p *process) bool { return !p.suspended && p.term > 0 && p.heard < len(w.api.log) })
}

package simulation

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Move is an operation on one resource of a shard, of which one call takes long. Meanwhile the
// resource gets a configuration of another shard.
type Move struct {
	Suspension
	// Deleted is set if the user deletes the resource then. Otherwise it is edited.
	Deleted bool
}

// Run carries out the operation, and returns the call and the trace. call is empty if the operation
// has fewer calls.
func (m Move) Run(t *testing.T) (call string, violations []Violation, text string) {
	tr := &trace{}
	synctest.Test(t, func(*testing.T) {
		w := newWorld(replay(nil, 2), tr)
		call = w.moved(m)
		violations = w.check.violations
	})
	return call, violations, tr.String()
}

// callTakes is how long the call takes, which is less than the timeout of a request.
const callTakes = 10 * time.Second

// moved carries out an operation, and moves the resource at a call.
func (w *world) moved(m Move) (call string) {
	w.startAll()
	for len(w.leaders()) < w.shards {
		w.sleep()
	}
	k, other := w.keyOf(m.Type), w.keyOf(resourceTypes[(slices.Index(resourceTypes, m.Type)+1)%len(resourceTypes)])
	// Each shard has a resource, and therefore a configuration.
	w.users.create(other)
	w.until(w.done(other), nil)
	w.users.create(k)
	if w.users.refer(k, w.users.current[k], "c1"); m.Operation != "Create" {
		w.until(w.done(k), nil)
	}
	w.begin(k, m.Operation)
	calls := 0
	w.until(func() bool { return call != "" || w.done(k)() }, func(x *waiter) bool {
		if !strings.HasSuffix(x.p.name, "s1") {
			return true
		}
		if calls++; calls <= m.At {
			return true
		}
		w.note("delayed: %s", x.what)
		call = strings.TrimPrefix(x.what, x.p.name+" ")
		x.delayed = w.now().Add(callTakes)
		return false
	})
	if call != "" && w.users.resource(k) != nil {
		w.users.refer(k, w.users.current[k], "c0")
		if m.Deleted {
			w.users.delete(k, w.users.current[k])
		} else {
			w.edited(k, 3)
		}
		for until := w.now().Add(callTakes); w.now().Before(until); w.until(w.quiet, nil) {
			w.sleep()
		}
	}
	w.finish()
	return call
}

package simulation

import (
	"slices"
	"testing/synctest"
	"time"

	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// A schedule has two phases. In the first one, users operate and faults happen, all by chance. In
// the second one there are no more faults, users do what conditions ask for, and everything must
// settle.

// settling bounds the second phase, in virtual time. It is longer than all timeouts and backoffs
// together.
const settling = 30 * time.Minute

// helping is how often users look at conditions in the second phase.
const helping = 20 * time.Second

// busyLoop is a number of moves, without any time between them, that only an endless loop needs.
const busyLoop = 5000

// run carries out a schedule of a number of operations.
func (w *world) run(operations int) {
	w.startAll()
	often, rare := 12, 25
	if w.shards > 0 { // more happens in between
		often, rare = 30, 70
	}
	if w.choices.modules { // each operation of one takes many moves
		often, rare = 40, 120
	}
	for operations > 0 && w.busy <= busyLoop && !w.check.found && !w.choices.over() {
		if w.shards > 0 && w.choices.one(40) {
			w.delay()
		}
		if w.choices.rests && w.choices.one(20*often) {
			w.rest()
		}
		if outdated := w.cloud.outdated(); len(outdated) > 0 && w.choices.one(3) {
			w.users.touch(pick(w.choices, outdated...))
		}
		if w.choices.one(often) {
			w.users.operate()
			operations--
		} else if w.choices.one(rare) {
			w.fault()
		} else {
			w.move()
		}
		w.check.step()
	}
	w.finish()
}

// resting is for how long nothing happens, so that resources are looked at several times.
const resting = 5 * pollInterval

// repeating is for how long nothing happens where reads alternate, so that it shows whether objects
// are updated at every other look.
const repeating = 30 * pollInterval

// rest lets resources come to rest. Afterwards a user may do something, and the controllers may
// start again.
func (w *world) rest() {
	w.doNothing()
	if w.choices.one(2) {
		w.users.operate()
	}
	if w.choices.one(3) {
		return
	}
	for _, p := range slices.Clone(w.leaders()) {
		if !p.dead.Load() {
			w.note("%s is killed", p)
			w.kill(p, false)
		}
	}
}

// doNothing lets the controllers look at their resources several times.
func (w *world) doNothing() {
	w.note("nothing happens for a while")
	w.rested = w.now().Add(resting)
	if slices.Contains(w.choices.behaviours, oscillatingValues) {
		w.rested = w.now().Add(repeating)
	}
	for w.now().Before(w.rested) && w.busy <= busyLoop && !w.check.found {
		w.move()
		w.check.step()
	}
}

// finish is the second phase.
func (w *world) finish() {
	w.calmDown()
	if w.versions != nil {
		w.goBack()
	}
	if w.settle() && w.choices.rests {
		w.doNothing()
		w.users.moveAll() // what is changed of resources at rest is noticed
		w.calmed = w.now()
		w.settle()
	}
	if w.busy > busyLoop {
		w.check.violated(Stuck, "loop", "the controllers work without a pause, and without an end")
	}
	if !w.check.found {
		w.check.end()
	}
	for len(w.processes) > 0 {
		w.kill(w.processes[0], false)
	}
	w.replicas = nil
	w.pass(time.Hour) // what still waits for a time ends, too
}

// settle waits until nothing will change any more, and reports whether that was reached.
func (w *world) settle() bool {
	for until := w.now().Add(settling); w.now().Before(until) && !w.check.found && w.busy <= busyLoop; {
		if w.settledDown() {
			return true
		}
		w.move()
		w.check.step()
	}
	return false
}

// calmDown ends all faults.
func (w *world) calmDown() {
	w.calm, w.calmed = true, w.now()
	w.note("faults end")
	w.cloud.throttled, w.cloud.unstarted = time.Time{}, time.Time{}
	// Else users raise it when they are told. A resource whose record cannot be left to another
	// shard does not tell.
	if w.shards > 0 || !w.choices.one(3) {
		w.api.limit = maxObject
	}
	for _, p := range w.processes {
		p.suspended = false
	}
	for _, r := range w.replicas {
		r.suspended, r.silent = false, time.Time{}
	}
	w.choices.random = nil
}

// settledDown reports whether nothing will change any more. It asks rarely, since time has to pass.
func (w *world) settledDown() bool {
	if w.now().Sub(w.calmed) < pollInterval+helping || !w.quiet() || len(w.cloud.pending) > 0 {
		return false // each resource is reconciled once more, since its status may be of before
	}
	if w.now().Sub(w.helped) >= helping {
		w.helped = w.now()
		w.users.help()
		return false
	}
	for _, k := range w.keys {
		r := w.api.resources[k]
		if r == nil {
			continue
		}
		ready, _ := condition(r, "Ready")
		synced, _ := condition(r, "Synced")
		if r.GetDeletionTimestamp() != nil || ready != "True" || synced != "True" || w.outdated(k) {
			return false
		}
	}
	if slices.ContainsFunc(w.leaders(), func(p *process) bool { return len(p.unclaimed) > 0 }) {
		return false
	}
	// Of a resource that is gone; while the outcome is refused, the operation does not end.
	running := slices.ContainsFunc(w.leaders(), func(p *process) bool { return p.scheduler.Running() > 0 })
	return !running || w.api.limit < maxObject
}

// outdated reports whether a resource may be ready only for what it was before.
func (w *world) outdated(k store.Key) bool {
	i := w.users.current[k]
	return slices.ContainsFunc(w.users.types(k), func(t string) bool {
		return !slices.ContainsFunc(w.cloud.objects, func(o *object) bool {
			return o.account == w.users.accountOf(i.configuration) && o.resourceType == t && o.tag == i.tag && o.zone == i.zone && o.name == i.name
		})
	})
}

// move lets one thing happen that is not a fault. The first one that is possible is the harmless
// choice.
func (w *world) move() {
	var moves []func()
	add := func(f func()) { moves = append(moves, f) }
	for _, p := range w.processes {
		if p.active() && p.heard < len(w.api.log) {
			add(func() {
				e := w.api.log[p.heard]
				p.heard++
				p.hear(e)
			})
		}
	}
	if p := w.outdatedProcess(); p != nil {
		add(p.adopt)
	}
	for _, r := range w.replicas {
		if !r.suspended && r.heard < len(w.api.tables) {
			add(r.hear)
		}
	}
	for _, x := range w.calls() {
		if w.shards > 0 && x.kind == lasting && !w.calm && w.choices.next(10) > 0 {
			continue // so that much happens meanwhile
		}
		add(func() { w.release(x, w.verdict(x)) })
	}
	for _, p := range w.processes {
		if !p.active() {
			continue
		}
		for _, k := range w.keys {
			if p.unclaimed[k] && !p.working[k] && !w.now().Before(p.claimAt[k]) {
				add(func() { p.claim(k) })
			}
		}
		for _, k := range p.due() {
			add(func() { p.reconcile(k) })
		}
	}
	moves = append(moves, w.actions.moves()...)
	for _, x := range slices.Clone(w.cloud.pending) {
		if x.abandoned && !w.calm {
			add(func() {
				w.note("the cloud completes %s", x.o)
				w.cloud.complete(x)
			})
		}
	}
	if len(moves) == 0 || !w.calm && w.choices.one(40) {
		w.sleep()
		return
	}
	w.busy++
	moves[w.choices.next(len(moves))]()
	synctest.Wait()
	for _, p := range slices.Clone(w.processes) {
		p.resume()
	}
}

// verdict decides about a call. Creates that fail halfway are frequent where objects are shown
// late, since what is tainted and not visible is easily lost.
func (w *world) verdict(x *waiter) verdict {
	if x.kind == change && w.cloud.behaves(lateRead, 8) {
		return half
	}
	often := 30
	if x.kind == answering {
		often = 6
	}
	if w.calm || w.now().Before(w.rested) || !w.choices.one(often) {
		if x.kind == change && !w.calm && w.choices.one(3) {
			return slow
		}
		return proceed
	}
	if x.kind == change {
		return pick(w.choices, proceed, refuse, lose, half, slow, throttle)
	}
	return pick(w.choices, proceed, refuse, lose, throttle)
}

// sleep lets time pass: until the next thing is due, or longer.
func (w *world) sleep() {
	w.busy = 0
	d := w.next()
	if !w.calm && !w.now().Before(w.rested) {
		d = pick(w.choices, d, d, d, 100*time.Millisecond, time.Second, 5*time.Second, 20*time.Second)
	}
	for d > 0 {
		step := min(d, leasePeriod)
		w.pass(step)
		d -= step
		w.tick()
	}
}

// pass lets time pass, and what waited for it happen.
func (w *world) pass(d time.Duration) {
	w.trace.during(func() {
		time.Sleep(d)
		synctest.Wait()
	})
}

// tick lets processes renew their leases, and the cloud complete what it began long ago.
func (w *world) tick() {
	if w.shards > 0 {
		w.tickReplicas()
		return
	}
	for _, p := range slices.Clone(w.processes) {
		if !p.suspended && !p.dead.Load() && w.now().Sub(p.ticked) >= leasePeriod {
			p.tick()
			synctest.Wait()
		}
	}
	w.completeAll()
	for len(w.processes) < 2 {
		w.start()
	}
}

// fault lets something go wrong.
func (w *world) fault() {
	if w.versions != nil && w.choices.one(2) {
		w.switchVersion(!w.versions.later)
		return
	}
	if w.shards > 0 && w.choices.one(2) {
		w.faultOfReplicas()
		return
	}
	p := w.leader()
	if w.shards == 0 && (p == nil || p.dead.Load() || w.choices.one(5)) {
		p = pick(w.choices, w.processes...)
	}
	switch w.faultOfAll() {
	case 0:
	case 1, 2:
		w.note("%s is killed", p)
		w.kill(p, true)
		w.start()
	case 3:
		if !p.suspended {
			w.note("%s is suspended", p)
			p.suspended = true
		}
	case 4:
		for _, p := range w.processes {
			if p.suspended {
				w.note("%s continues", p)
				p.suspended = false
			}
		}
	case 5:
		d := pick(w.choices, 5*time.Second, 30*time.Second, 2*time.Minute)
		w.note("the cloud throttles for %s", d)
		w.cloud.throttled = w.now().Add(d)
	case 6:
		w.api.limit = pick(w.choices, maxObject, maxObject, 200, 600)
		w.note("the API server accepts Secrets of %d bytes", w.api.limit)
	case 7:
		d := pick(w.choices, 5*time.Second, 30*time.Second, 2*time.Minute)
		w.note("providers cannot be started for %s", d)
		w.cloud.unstarted = w.now().Add(d)
	}
}

// faultOfAll returns which fault happens. Kept schedules are without the last one. Those of single
// processes are not of replicas.
func (w *world) faultOfAll() int {
	switch {
	case w.shards > 0:
		return 5 + w.choices.next(3)
	case w.choices.approvals:
		return w.choices.next(8)
	}
	return w.choices.next(7)
}

// startAll starts the first processes.
func (w *world) startAll() {
	if w.shards > 0 {
		w.musterReplicas()
		return
	}
	w.start()
	w.start()
}

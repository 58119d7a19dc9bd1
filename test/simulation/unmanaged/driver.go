package unmanaged

import (
	"slices"
	"testing/synctest"
	"time"

	"github.com/landbridge-io/landbridge/test/simulation"
)

// A schedule has two phases. In the first one, users operate and faults happen, all by chance. In
// the second one there are no more faults, and everything must settle; then users delete
// everything.

const (
	// settling is how long the second phase takes, in virtual time: longer than all delays.
	settling = 15 * time.Minute
	// deleting bounds how long it takes until what is deleted is gone.
	deleting = 15 * time.Minute
	// busyLoop is a number of moves, without any time between them, that only an endless loop
	// needs.
	busyLoop = 5000
)

// run carries out a schedule of a number of operations.
func (w *world) run(operations int) {
	w.start()
	for operations > 0 && w.goesOn() {
		switch {
		case w.one(12):
			w.operate()
			operations--
		case w.one(25):
			w.fault()
		default:
			w.move()
		}
		w.check()
	}
	w.calmDown()
	w.moveFor(settling)
	if w.goesOn() {
		w.checkSettled()
	}
	for _, k := range w.keys {
		if w.objects[k] != nil {
			w.delete(k)
		}
	}
	for end := time.Now().Add(deleting); time.Now().Before(end) && len(w.objects) > 0 && w.goesOn(); {
		w.move()
		w.check()
	}
	if w.goesOn() {
		w.checkGone()
	}
	if w.busy > busyLoop {
		w.violated(simulation.Stuck, "loop", "the controllers work without a pause, and without an end")
	}
	for len(w.processes) > 0 {
		w.end(w.processes[0])
	}
	time.Sleep(3 * time.Hour) // what still waits for a time ends, too
	synctest.Wait()
}

func (w *world) goesOn() bool { return len(w.violations) == 0 && w.busy <= busyLoop }

func (w *world) moveFor(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end) && w.goesOn(); {
		w.move()
		w.check()
	}
}

// calmDown ends all faults, and former leaders when they have noticed that they are.
func (w *world) calmDown() {
	w.note("faults end")
	w.calm, w.down, w.cloud.outage = true, time.Time{}, time.Time{}
	for _, p := range w.processes {
		p.suspended = false
	}
	w.moveFor(time.Minute)
	for _, p := range slices.Clone(w.processes) {
		if p != w.leader {
			w.end(p)
		}
	}
	w.resumeAll()
}

// move lets one thing happen that is not a fault.
func (w *world) move() {
	if w.leader == nil && !time.Now().Before(w.down) {
		w.start()
	}
	var moves []func()
	for _, p := range w.processes {
		if p.suspended {
			continue
		}
		if p.heard < len(w.log) {
			moves = append(moves, p.hear)
		}
		for _, k := range p.due() {
			moves = append(moves, func() { p.reconcile(k) })
		}
	}
	for _, c := range w.waiting() {
		if !c.p.suspended {
			moves = append(moves, func() { w.resume(c, w.verdict(c)) })
		}
	}
	if len(moves) == 0 || !w.calm && w.one(40) {
		w.sleep()
		return
	}
	w.busy++
	pick(w, moves...)()
}

// verdict decides about a call.
func (w *world) verdict(c *call) verdict {
	switch {
	case w.calm || len(c.verdict) == 0:
		return proceed
	case slices.Contains(c.verdict, slow) && w.one(3):
		return slow
	case !w.one(10):
		return proceed
	}
	return pick(w, c.verdict...)
}

// sleep lets time pass: until the next look is due, or longer.
func (w *world) sleep() {
	w.busy = 0
	w.collect()
	d := 5 * time.Second
	for _, p := range w.processes {
		for _, at := range p.queue {
			if wait := time.Until(at); !p.suspended && wait > 0 {
				d = min(d, wait)
			}
		}
	}
	if !w.calm {
		d = pick(w, d, d, d, 100*time.Millisecond, time.Second, 5*time.Second, 20*time.Second, 2*time.Minute)
	}
	time.Sleep(d)
	synctest.Wait()
}

// fault lets something go wrong.
func (w *world) fault() {
	p := w.leader
	switch w.random.IntN(6) {
	case 0, 1:
		if p != nil {
			w.down = time.Now().Add(pick(w, 0, 5*time.Second, time.Minute, 10*time.Minute))
			w.end(p)
		}
	case 2:
		if p != nil {
			w.note("%s is suspended, and another one takes over", p.name)
			p.suspended = true
			time.Sleep(20 * time.Second) // longer than its lease
			synctest.Wait()
			w.start()
		}
	case 3:
		for _, p := range slices.Clone(w.processes) {
			switch {
			case p.suspended:
				w.note("%s continues", p.name)
				p.suspended = false
			case p != w.leader:
				w.end(p)
			}
		}
	case 4:
		d := pick(w, 10*time.Second, 2*time.Minute, time.Hour)
		w.note("the cloud cannot be reached for %s", d)
		w.cloud.outage = time.Now().Add(d)
	case 5:
		for _, t := range w.cloud.tokens {
			if t.live() && w.one(4) {
				w.note("the cloud revokes %s", t.id)
				t.expires, t.revoked = time.Now(), true
			}
		}
	}
}

package turns

import (
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
)

const (
	// Postponement is how long looks wait at most for the records that are listed.
	Postponement = 10 * time.Second
	// LongestWait is how long non-urgent work waits for other resources.
	LongestWait = time.Minute
	// ComeBackAfter is the delay before non-urgent work.
	ComeBackAfter = 15 * time.Second
	// busyThreshold is the pending work above which a kind is busy. People apply fewer resources by
	// hand, and expect their external names as soon as they are ready.
	busyThreshold = 32
)

// Queue is what is used of a work queue.
type Queue interface {
	Add(reconcile.Request)
	Len() int
}

// Turns are those of the resources of one kind.
type Turns struct {
	now     func() time.Time
	running func() int
	queue   Queue
	lanes   *lanes

	mu sync.Mutex
	// turns has what is known of each resource for which anything is to be done.
	turns map[reconcile.Request]turn
	share share
	early early
	// postponing is set while looks at unchanged resources wait until the records that can be
	// listed were loaded. A look that does not wait loads its record by itself, and takes the
	// processor time that changes wait for. postponed are the looks that wait.
	postponing bool
	postponed  []reconcile.Request
}

// turn is what is known of the next reconcile of a resource.
type turn struct {
	// lane is that of a resource that was changed, or is new, until it is found unchanged; periodic
	// otherwise.
	lane lane
	// next is the lane in which the request is queued next.
	next lane
	// waits is since when only non-urgent work is left; zero if there is other work. It is urgent
	// when it has waited for long.
	waits time.Time
	// heard is when the controller heard of a change, or of the new resource, for which no
	// reconcile has begun. answering is when it heard of the one for which a reconcile runs, which
	// answers it unless it fails.
	heard, answering time.Time
}

// New returns the turns of a kind with a number of workers. running returns how many operations
// run. Use or Work has to be called before anything else.
func New(workers int, running func() int) *Turns {
	t := &Turns{now: time.Now, running: running, turns: map[reconcile.Request]turn{}, share: newShare(workers)}
	t.lanes = newLanes(t)
	return t
}

// Use sets the work queue.
func (t *Turns) Use(q Queue) { t.queue = q }

// Outcome is that of a reconcile.
type Outcome struct {
	// Unchanged is set if nothing is left to do.
	Unchanged bool
	// NotUrgent is set if only non-urgent work is left.
	NotUrgent bool
	// Failed is set if the reconcile could not be completed, and changes of before remain
	// unanswered.
	Failed bool
}

// Take has the calling worker work on a request, if it may now, and returns when the request is due
// again. of is that of Admit.
func (t *Turns) Take(
	req reconcile.Request, of func() providerconfig.Reference, work func(*Outcome) (reconcile.Result, error),
) (_ reconcile.Result, err error) {
	admitted, again := t.Admit(req, of)
	if !admitted {
		return reconcile.Result{RequeueAfter: again}, nil
	}
	var o Outcome
	defer func() {
		o.Failed = err != nil
		t.Done(req, o)
	}()
	return work(&o)
}

// Admit reports whether the calling worker may work on a request now. If so, it must call Done.
// Otherwise the request is queued again when its turn comes, or has to be after a time, if that is
// not zero. of returns the provider configuration of the resource; it is called at most once, and
// not for what waits anyway.
func (t *Turns) Admit(req reconcile.Request, of func() providerconfig.Reference) (admitted bool, again time.Duration) {
	switch {
	case t.postpones(req):
		return false, 0
	case t.defers(req):
		return false, ComeBackAfter
	}
	ref := of()
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	if !t.share.enter(ref, req, now) {
		return false, 0
	}
	if t.share.watches() {
		time.AfterFunc(longStay, t.watch)
	}
	if now, ok := t.turns[req]; ok && !now.heard.IsZero() {
		now.answering, now.heard = now.heard, time.Time{}
		t.set(req, now)
	}
	return true, 0
}

// postpones reports whether a look at an unchanged resource waits for the records that are listed.
func (t *Turns) postpones(req reconcile.Request) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.postponing || t.turns[req].lane != periodic {
		return false
	}
	t.postponed = append(t.postponed, req)
	return true
}

// defers reports whether only non-urgent work is left of a request, and waits for other resources.
func (t *Turns) defers(req reconcile.Request) bool {
	if !t.waits(req) || !t.Busy() {
		return false
	}
	t.change(req, goOn)
	return true
}

// waits reports whether only non-urgent work is left of a request, and has not waited for long.
func (t *Turns) waits(req reconcile.Request) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	since := t.turns[req].waits
	return !since.IsZero() && t.now().Sub(since) < LongestWait
}

// Done ends what Admit has admitted. Whatever is not done yet goes on in the same lane.
func (t *Turns) Done(req reconcile.Request, o Outcome) {
	t.mu.Lock()
	now := t.turns[req]
	if o.NotUrgent {
		now = t.wait(now)
	}
	if o.Failed && !now.answering.IsZero() {
		now.heard = now.answering
	}
	now.answering = time.Time{}
	if o.Unchanged {
		now.lane, now.waits = periodic, time.Time{}
	} else {
		now = goOn(now)
	}
	t.set(req, now)
	next := t.share.leave(req, t.now())
	t.mu.Unlock()
	t.requeue(next)
}

// watch has workers replaced that work on one request for long.
func (t *Turns) watch() {
	t.mu.Lock()
	next, after := t.share.watch(t.now())
	if after > 0 {
		time.AfterFunc(after, t.watch)
	}
	t.mu.Unlock()
	t.requeue(next)
}

// requeue queues resources to continue with what was begun. The mutex is not locked, since the
// queue asks for their lanes.
func (t *Turns) requeue(all []reconcile.Request) {
	for _, req := range all {
		t.change(req, goOn)
		t.queue.Add(req)
	}
}

// change replaces what is known of a request by what f makes of it.
func (t *Turns) change(req reconcile.Request, f func(turn) turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.set(req, f(t.turns[req]))
}

// set replaces what is known of a request. The mutex is locked.
func (t *Turns) set(req reconcile.Request, now turn) {
	if now != (turn{}) {
		t.turns[req] = now
		return
	}
	if _, known := t.turns[req]; !known {
		return
	}
	if delete(t.turns, req); len(t.turns) == 0 {
		t.turns = map[reconcile.Request]turn{} // a map keeps the memory of what was deleted
	}
}

// wait notes that only non-urgent work is left of a request that has a lane, unless it was queued
// again meanwhile.
func (t *Turns) wait(now turn) turn {
	if now.lane != periodic && now.next == periodic && now.waits.IsZero() {
		now.waits = t.now()
	}
	return now
}

// goOn puts a request, which is queued next, into the lane of what it continues.
func goOn(now turn) turn {
	switch {
	case now.lane == periodic:
	case now.waits.IsZero():
		now.next = now.lane
	default:
		now.next = unhurried
	}
	return now
}

// begin has a request, which is queued next, in the lane of what was begun, if it has a lane. There
// may be other work for it than that which waits.
func begin(now turn) turn {
	now.waits = time.Time{}
	if now.lane != periodic {
		now.next = begun
	}
	return now
}

// Wake queues a resource for an immediate reconcile.
func (t *Turns) Wake(req reconcile.Request) {
	t.change(req, begin)
	t.queue.Add(req)
}

// Busy reports whether the pending work of the kind, without that which is not urgent, exceeds a
// threshold.
func (t *Turns) Busy() bool {
	return t.queue.Len()-int(t.lanes.unhurried.Load())+t.running() > busyThreshold
}

// OldestChange returns how long ago the controller heard of the oldest change or new resource that
// no reconcile has answered; 0 if there is none.
func (t *Turns) OldestChange() (out time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	for _, x := range t.turns {
		for _, since := range []time.Time{x.heard, x.answering} {
			if !since.IsZero() {
				out = max(out, now.Sub(since))
			}
		}
	}
	return out
}

// Begin has looks at unchanged resources wait until RecordsListed is called, and changed and new
// resources kept until CacheFilled is.
func (t *Turns) Begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.postponing = true
	t.early.begin()
}

// RecordsListed queues the looks that wait, and has none wait any more.
func (t *Turns) RecordsListed() {
	t.mu.Lock()
	looks := t.postponed
	t.postponing, t.postponed = false, nil
	t.mu.Unlock()
	for _, req := range looks {
		t.queue.Add(req)
	}
}

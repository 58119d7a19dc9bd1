package scheduler

import (
	"time"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// An API may show an object some time after it has made it, and its replicas may answer differently
// meanwhile. So within a grace period after a create, an object that is not found may still exist:
//
//	nothing is asked of it              it is looked at again soon, and neither created again nor forgotten
//	it is to be destroyed               its destruction is requested with what is stored. Providers report success if they do
//	                                    not find the object, so if no read has found it since its create, it is looked for until
//	                                    the period ends, and destroyed when it is found
//	its create failed (tainted)         likewise, as long as a create may take: it may still be under way
//
// After the period, two looks apart have to agree.

// DefaultCreationGracePeriod is that of modules, too.
const DefaultCreationGracePeriod = terraform.DefaultCreationGracePeriod

// looksApart is the least time between two looks that have to agree, and maxLookBackoff the longest
// time between looks at an object that is not visible yet.
const (
	looksApart     = 2 * time.Second
	maxLookBackoff = 8 * time.Second
)

// meaning is what it means that an object is not found.
type meaning uint8

const (
	// gone: it does not exist.
	gone meaning = iota
	// hidden: it may exist. It is looked at again.
	hidden
	// doomed: it may exist, and is to be destroyed with what is stored.
	doomed
)

// notFound notes that an object was not found, and returns what that means. The key is that of a
// deposed object, or "" for the current one.
func (s *Scheduler) notFound(e *entry, r *Request, key string, in instance.Instance) meaning {
	now := s.o.Clock.Now()
	a := e.absent(key, now)
	if a.looks == 1 {
		a.recent = s.isRecent(r, &in, now)
	}
	mayDestroy := key != "" || r.Deleted && r.Policies.Delete
	// If the clock was set back, the period ends by the time since it was not found first.
	within := s.isRecent(r, &in, now) && now.Sub(a.since) < s.gracePeriod(r)
	switch {
	case in.Status == instance.Tainted && !a.destroyed && now.Sub(a.since) < s.timeout(r, instance.Create, in.State, in.Private):
		return doomed
	case within && mayDestroy && !a.destroyed:
		return doomed
	case within:
		return hidden
	case a.recent && (a.looks < 2 || now.Sub(a.since) < looksApart):
		return hidden
	}
	return gone
}

// absent notes that an object was not found.
func (e *entry) absent(key string, now time.Time) *absence {
	a := e.missing[key]
	if a == nil {
		a = &absence{since: now}
		if e.missing == nil {
			e.missing = map[string]*absence{}
		}
		e.missing[key] = a
	}
	a.looks++
	a.lookAt = now.Add(min(time.Second<<min(a.looks-1, 10), maxLookBackoff))
	return a
}

// isRecent reports whether an object is within its grace period.
func (s *Scheduler) isRecent(r *Request, in *instance.Instance, now time.Time) bool {
	return !in.CreatedAt.IsZero() && now.Sub(in.CreatedAt) < s.gracePeriod(r)
}

// gracePeriod returns the grace period of a resource.
func (s *Scheduler) gracePeriod(r *Request) time.Duration {
	if r.CreationGracePeriod != nil {
		return *r.CreationGracePeriod
	}
	return s.o.CreationGracePeriod
}

// found notes that a read has found the current object.
func (e *entry) found(in *instance.Instance) {
	delete(e.missing, "")
	e.seen = in.CreatedAt
}

// unproven reports whether the success of an operation that has destroyed an object does not prove
// that it is gone: no read has found it since its create, and it may not be visible yet.
func (s *Scheduler) unproven(r *Request, t *task, in *instance.Instance) bool {
	return t.kind == instance.Delete && t.unseen && s.isRecent(r, in, s.o.Clock.Now())
}

// unseen reports whether no read has found the current object since its create, and whether it may
// not be visible yet for that reason. If it is destroyed without being read, its destruction is
// requested again until the period ends.
func (s *Scheduler) unseen(e *entry, r *Request) bool {
	in, now := &e.record.Instance, s.o.Clock.Now()
	if r.Consists != nil || !s.isRecent(r, in, now) || e.seen.Equal(in.CreatedAt) {
		return false
	}
	if !r.WithoutRefresh {
		return true
	}
	a := e.missing[""]
	if a != nil && now.Sub(a.since) >= s.gracePeriod(r) {
		return false // the clock was set back
	}
	e.absent("", now)
	return true
}

// unread is the result of not reading an object that is to be destroyed as it is stored. If its
// destruction was requested and proves nothing, it is requested again after a while.
func (s *Scheduler) unread(e *entry, r *Request, err error) (decision.ReadResult, error) {
	a := e.missing[""]
	if err != nil || a == nil || !a.destroyed || !s.o.Clock.Now().Before(a.lookAt) {
		return decision.ReadUnchanged, err
	}
	out := decision.Failed(decision.ReasonNotVisibleYet, diagnostic.Errorf("Object not visible yet",
		"The remote object was made a short time ago, and its API may not have shown it when its destruction was "+
			"requested. It is destroyed again until the time for that is over."))
	out.LookAt, out.Repeated = a.lookAt, a.looks > 1
	return decision.NotRead, out
}

// dated returns what the provider has left of an object, with the time of its create. An object
// whose destruction is not proven is left.
func (s *Scheduler) dated(r Request, t *task, in, out instance.Instance, diags diagnostic.Diagnostics) instance.Instance {
	if r.Consists != nil {
		out.CreatedAt = in.CreatedAt // when it was adopted: its objects have times of their own
		return out
	}
	before := in
	if i := in.DeposedIndex(t.deposed); t.kind == instance.Delete && i >= 0 {
		before = in.Deposed[i].Instance()
	}
	switch {
	case t.kind == instance.Create && out.Exists():
		out.CreatedAt = s.o.Clock.Now()
	case t.kind == instance.Delete && !diags.HasErrors() && s.unproven(&r, t, &before):
		out = before
	case out.Exists():
		out.CreatedAt = before.CreatedAt
	}
	return out
}

// datedNow returns an object that was imported or recovered, which others may have made a short
// time ago. It is visible, but replicas of an API may differ.
func (s *Scheduler) datedNow(e *entry, r *Request, in instance.Instance) instance.Instance {
	if r.Consists == nil && in.Exists() {
		in.CreatedAt = s.o.Clock.Now()
		e.found(&in)
	}
	return in
}

// datedAdopted returns the instance of a record. One that was written by hand has no owner yet:
// others may have made its object a short time ago.
func (s *Scheduler) datedAdopted(rec store.Record) instance.Instance {
	if in := rec.Instance; rec.Version != "" && rec.Owner == "" && in.Exists() && in.CreatedAt.IsZero() {
		in.CreatedAt = s.o.Clock.Now()
		return in
	}
	return rec.Instance
}

// absentOf is the key of an interrupted create whose object was not found.
func absentOf(op *instance.Operation) string { return "created by " + op.ID }

// mayAppear notes that the object of an interrupted create was not found, and returns an error as
// long as this does not prove that there is none. The process that asked for it has ended before it
// was looked for first.
func (s *Scheduler) mayAppear(e *entry, r *Request, op *instance.Operation) error {
	now := s.o.Clock.Now()
	if now.After(op.Deadline.Add(s.gracePeriod(r))) {
		return nil
	}
	a := e.absent(absentOf(op), now)
	until := a.since.Add(s.gracePeriod(r))
	if !now.Before(until) {
		return nil
	}
	out := decision.Failed(decision.ReasonNotVisibleYet, decision.Awaited(op, until))
	if out.LookAt = a.lookAt; out.LookAt.After(until) {
		out.LookAt = until
	}
	return out
}

// shows reports whether an object that was found is the one that was destroyed, which does not
// exist any more.
func (d *destroyed) shows(found instance.Instance, now time.Time, within time.Duration) bool {
	return d != nil && now.Sub(d.at) < within && instance.Instance{Deposed: []instance.Deposed{d.object}}.IsDeposed(found)
}

// shownOutdated reports whether what is stored is not what the last read has shown. Then a plan of
// it does not show that the update has settled.
func (e *entry) shownOutdated(now time.Time, within time.Duration) bool {
	u := e.updated
	return u != nil && u.shown && now.Sub(u.at) < within
}

// outdatedRead reports whether a read has answered with what the object was before it was updated.
func (e *entry) outdatedRead(read *instance.Instance, now time.Time, within time.Duration) bool {
	u := e.updated
	return u != nil && now.Sub(u.at) < within && read.Exists() && instance.Known(read.State) && read.State.RawEquals(u.before)
}

// noteOutdated notes such a read. If it goes on, it is what the update has left.
func (e *entry) noteOutdated() {
	e.updated.shown = true
	e.lastApply.ReadOutdated(e.updated.before)
}

// noteUpdated notes what an operation has updated.
func (e *entry) noteUpdated(res result, prior instance.Instance, now time.Time) {
	switch {
	case res.undispatched, res.op.Kind == instance.Delete && res.op.Deposed != "":
	case res.op.Kind == instance.Update && !res.diags.HasErrors() && instance.Known(prior.State):
		e.updated = &updated{before: prior.State, at: now}
	default:
		e.updated = nil
	}
}

// noteCreated forgets what was known of the object before the one that an operation has created,
// which may have been made at the same time.
func (e *entry) noteCreated(res result) {
	if res.op.Kind == instance.Create && !res.undispatched {
		e.seen = time.Time{}
		delete(e.missing, "")
	}
}

// noteDestroyed notes what an operation has destroyed. prior is the instance before it.
func (e *entry) noteDestroyed(res result, prior instance.Instance, now time.Time) {
	op := res.op
	switch {
	case res.undispatched, res.diags.HasErrors():
	case op.Kind == instance.Create:
		e.destroyed = nil
	case op.Kind == instance.Delete && op.Deposed == "" && instance.Present(prior.State):
		e.destroyed = &destroyed{object: prior.Depose(""), at: now}
	}
}

// notVisible is the error for a current object that is not visible yet.
func (e *entry) notVisible() *Error {
	a := e.missing[""]
	out := decision.Failed(decision.ReasonNotVisibleYet, diagnostic.Errorf("Object not visible yet",
		"The remote object was made a short time ago, and its API does not show it. It is looked at again, and "+
			"nothing is done to it until it is visible or the time for that is over."))
	out.LookAt, out.Repeated = a.lookAt, a.looks > 1
	return out
}

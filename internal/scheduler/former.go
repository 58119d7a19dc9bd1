package scheduler

import (
	"context"
	"time"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/journal"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/schema"
)

// A provider cannot read what a later version of it has upgraded. So the object as it was stored
// before is kept in the record, until the upgrade is confirmed, or a change of the object is about
// to begin: what was stored before does not describe the object any more then. A provider of an
// earlier version goes on with it. It is written together with what the upgrade has made of it.

// DefaultConfirmAfter is after which time upgrades are confirmed unless something else is set.
const DefaultConfirmAfter = 7 * 24 * time.Hour

// Upgrades is which upgrades of stored objects are confirmed.
type Upgrades struct {
	// ConfirmAfter is after which time one is. With 0, nothing is kept.
	ConfirmAfter time.Duration
	// Confirmed is until when upgrades are confirmed by hand; zero for none.
	Confirmed time.Time
}

// confirmed reports whether an upgrade is confirmed.
func (u Upgrades) confirmed(at, now time.Time) bool {
	return !now.Before(at.Add(u.ConfirmAfter)) || !at.After(u.Confirmed)
}

// rewrite is a change of what is stored of an object.
type rewrite struct {
	before, after instance.Instance
	schema        *schema.Resource
	// kept is what is kept before the change.
	kept *store.Former
	now  time.Time
}

// former returns the former object to keep with what is stored afterwards; nil if there is none. Of
// several upgrades, it is that before the first one.
func (w rewrite) former(upgrades Upgrades) *store.Former {
	out := w.kept
	if out != nil && upgrades.confirmed(out.At, w.now) {
		out = nil
	}
	upgraded := w.before.Older(w.schema) && !w.after.Older(w.schema)
	switch {
	case !unchangedObject(w.before, w.after):
		return nil
	case out == nil && upgraded && !upgrades.confirmed(w.now, w.now):
		return store.NewFormer(w.before, w.schema, w.now)
	}
	return out
}

// unchangedObject reports whether the current object of two instances, of which one was stored
// after the other, is the same, and nothing was begun to change it.
func unchangedObject(before, after instance.Instance) bool {
	return before.Exists() && after.Exists() && before.Operation == nil && after.Operation == nil && len(before.Deposed) == len(after.Deposed)
}

// formerOf returns the former object to keep when an instance is stored.
func (s *Scheduler) formerOf(e *entry, r *Request, after instance.Instance) *store.Former {
	if r.Consists != nil {
		return nil // its objects are of several versions
	}
	w := rewrite{before: e.record.Instance, after: after, schema: e.schema, kept: e.record.Former, now: s.o.Clock.Now()}
	return w.former(r.Upgrades)
}

// rollBack stores a record as the provider of a request can read it, if that is an earlier version
// than the one which has upgraded the object.
func (s *Scheduler) rollBack(ctx context.Context, r *Request, rec store.Record) (store.Record, error) {
	back, ok := rec.RolledBack(r.Type.Schema)
	if !ok {
		return rec, nil
	}
	if !s.o.Leads() {
		return rec, &Error{Reason: decision.ReasonStore, Err: journal.ErrSuccessor}
	}
	back, err := s.store(ctx, r, back)
	if err != nil {
		return rec, &Error{Reason: storeReason(err), Err: err}
	}
	s.o.Logger.Info("An earlier version of the provider goes on with the object as it was stored before the upgrade",
		"resource", r.Key, "uid", r.UID)
	return back, nil
}

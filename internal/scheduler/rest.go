package scheduler

import (
	"context"
	"errors"
	"time"
	"unique"

	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Most resources are at rest: their objects are read again and again, and are unchanged. Of such a
// resource, memory keeps the object as the provider has sent it, which is what the next read is
// compared with, and not the decoded values, which take several times as much. Whatever finds more
// to do than that read decodes them first.

// Rest implements Interface.
func (s *Scheduler) Rest(r Request) bool {
	e := s.placeOf(&r).lockAtRest()
	defer e.unlock()
	if !e.mayRest(&r) {
		return e.resting
	}
	now := s.o.Clock.Now()
	if s.isRecent(&r, &e.record.Instance, now) || e.updated != nil && now.Sub(e.updated.at) < s.gracePeriod(&r) {
		return false // a read may not show it as it is
	}
	packed, ok := e.record.Instance.Packed()
	if ok {
		packed.CreatedAt, e.seen, e.destroyed, e.updated = time.Time{}, time.Time{}, nil, nil // long ago
		e.record.Instance, e.view.observation, e.resting = packed, Rested, true
	}
	return ok
}

// Recall implements Interface.
func (s *Scheduler) Recall(k store.Key, uid types.UID) (in instance.Instance) {
	for _, x := range s.placesOf(k) {
		if x.uid == uid {
			e := x.lock()
			in = e.record.Instance
			e.unlock()
		}
	}
	return in
}

// Look is a look at a resource at rest, which needs nothing of the custom resource but its name.
type Look struct {
	Key store.Key
	UID types.UID
	// Type and Handles are as in Resource.
	Type    terraform.ResourceType
	Handles *ownership.Handles
	Access
}

// ErrNotAtRest is the answer of Look for a resource that is not at rest, or not any more. Nothing
// was done to the object or its record.
var ErrNotAtRest = errors.New("the resource is not at rest")

// Look implements Interface.
func (s *Scheduler) Look(ctx context.Context, l Look) error {
	e := s.place(l.Key, l.UID).lockAtRest()
	defer e.unlock()
	if !e.rests(&l) || s.noteworthy(e, l.StoredAccount) {
		return ErrNotAtRest
	}
	if rival, ok := s.rival(ctx, e); ok && e.contested(rival) {
		return ErrNotAtRest
	}
	ex, release, diags := l.Acquire(ctx)
	if diags.HasErrors() {
		return decision.Failed(decision.ReasonProviderUnavailable, diags)
	}
	defer release()
	read, diags := ex.Refresh(ctx, l.Type, e.record.Instance)
	unchanged := e.keepsRest(read, diags)
	if !unchanged {
		e.decode()
	}
	switch {
	case diags.HasErrors():
		return readFailed(&read, diags)
	case !unchanged:
		return ErrNotAtRest // it is read again, by Observe
	}
	e.noteUnchanged(&read.Instance, s.o.Clock.Now())
	return nil
}

// rests reports whether a resource is at rest, and nothing has changed since but what a look finds.
func (e *entry) rests(l *Look) bool {
	through := claimedThrough{configuration: l.ProviderConfiguration, account: l.Account, manages: true, maps: l.Handles.Maps()}
	return e.resting && e.state == loaded && e.schema == l.Type.Schema && !e.lost.Load() && !e.replans.Load() &&
		!e.view.unplanned && e.view.through(l.Configurations) &&
		e.claimed.through == unique.Make(through) && e.claimed.named == l.Handles.Named(e.claimed.named) && e.inAccount(l.StoredAccount)
}

// mayRest reports whether the observation of a resource can be made again from what the provider
// has sent. Anything out of the ordinary keeps it awake. What an operation has made, or an earlier
// process has planned, may rest until it is planned with the next look.
func (e *entry) mayRest(r *Request) bool {
	in, o := &e.record.Instance, e.view.observation
	return !e.resting && !e.unstable && e.state == loaded && e.view.fits(r) && e.view.state == decision.Planned &&
		r.Policies.Manage && !r.Deleted && r.ListRefresh == nil && r.Consists == nil && e.hasClaimed(r) &&
		atRest(in) &&
		o.Steady() && !o.Imported && o.Reapply == "" && o.PlanHash == "" && o.Contradiction == "" && o.Last == e.last && len(o.Warnings) == 0
}

// staysAtRest reports whether a deed leaves a resource at rest.
func (o *observing) staysAtRest(r *Request, next decision.Deed) bool {
	switch next {
	case decision.Claim: // there is nothing more to claim
		return r.Resting && o.claims == decision.ClaimedNothing && o.e.hasClaimed(r)
	case decision.Acquire, decision.Answer:
		return r.Resting
	case decision.Read:
		return r.Resting && !r.Deleted
	default:
		return false
	}
}

// keepsRest reports whether what was read of a resource at rest is what was read before, byte for
// byte. A resource whose objects are sent with other bytes each time is not put to rest again.
func (e *entry) keepsRest(read terraform.Refreshed, diags diagnostic.Diagnostics) bool {
	e.unstable = e.unstable || read.Unchanged && !read.Instance.IsPacked()
	return read.Unchanged && read.Instance.IsPacked() && diags.Warnings().String() == e.readWarned.String()
}

package scheduler

import (
	"context"

	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Most resources are at rest: their objects are read again and again, and are unchanged. Of such a resource, memory keeps the object as
// the provider has sent it, which is what the next read is compared with, and not the decoded values, which take several times as
// much. Whatever finds more to do than that read decodes them first.

// Rested is the observation of each resource at rest. It lacks the values of the object.
var Rested = &Observation{Instance: instance.Instance{State: undecoded, Status: instance.Full}, Plan: &upToDate}

// undecoded stands for the values of an object at rest.
var undecoded = cty.DynamicVal

// Rest implements Interface.
func (s *Scheduler) Rest(r Request) bool {
	e := s.entry(&r)
	e.turn.Lock()
	defer e.turn.Unlock()
	if !e.mayRest(&r) {
		return e.resting
	}
	in := &e.record.Instance
	if in.State = undecoded; in.Identity != cty.NilVal {
		in.Identity = undecoded
	}
	e.view.observation, e.resting = Rested, true
	return true
}

// Recall implements Interface.
func (s *Scheduler) Recall(k store.Key, uid types.UID) (in instance.Instance) {
	for _, e := range s.entriesOf(k) {
		if e.uid == uid {
			e.lock()
			in = e.record.Instance
			e.turn.Unlock()
		}
	}
	return in
}

// mayRest reports whether the observation of a resource can be made again from what the provider has sent. Anything out of the
// ordinary keeps it awake.
func (e *entry) mayRest(r *Request) bool {
	in, o := &e.record.Instance, e.view.observation
	return !e.resting && e.state == loaded && e.view.fits(r.ConfigHash) && e.view.state == planned && !e.view.unplanned &&
		r.Policies.Manage && !r.Deleted && r.ListRefresh == nil && r.Consists == nil && e.claimed == claimedFor(r) &&
		atRest(in) && in.Wire != nil && len(in.Wire.State) > 0 && (in.Identity == cty.NilVal || known(in.Identity) && len(in.Wire.Identity) > 0) &&
		o.Steady() && !o.Resumed && !o.Imported && o.Reapply == "" && o.PlanHash == "" && o.Contradiction == "" && o.Last == e.last && len(o.Warnings) == 0
}

// wake decodes the values of an object at rest. If that is not possible, the record is loaded again.
func (e *entry) wake() {
	if !e.resting {
		return
	}
	e.resting = false
	in := &e.record.Instance
	state, identity, err := in.Wire.Decode(e.schema)
	if err != nil {
		e.distrust(outdated)
		e.view.discard()
		return
	}
	if in.State = state; in.Identity != cty.NilVal {
		in.Identity = identity
	}
	e.view.observation = &Observation{Instance: *in, Plan: &upToDate, Last: e.last}
}

// lock locks the entry, with the values of its object.
func (e *entry) lock() {
	e.turn.Lock()
	e.wake()
}

// rests reports whether a deed leaves a resource at rest.
func (o *observing) rests(r *Request, next deed) bool {
	switch next {
	case deedClaim: // there is nothing more to claim
		return r.Resting && o.claims == claimedNothing && o.e.claimed == claimedFor(r)
	case deedAcquire, deedAnswer:
		return r.Resting
	case deedRead:
		return r.Resting && !r.Deleted
	default:
		return false
	}
}

// readAtRest reads the object of a resource at rest. It is false if there is more to do than to note that nothing has changed.
func (s *Scheduler) readAtRest(ctx context.Context, e *entry, r *Request, ex terraform.Executor) bool {
	refreshed, diags := ex.Refresh(ctx, r.Resource, e.record.Instance)
	if !refreshed.Unchanged || diags.HasErrors() || diags.Warnings().String() != e.readWarned.String() {
		return false
	}
	e.flap.unchanged()
	e.matched = s.o.Clock.Now()
	return true
}

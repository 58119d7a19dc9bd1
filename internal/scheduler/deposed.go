package scheduler

import (
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// A replacement that creates before it destroys (contract § 3.9) is two operations:
//
//	current: old ── Create ──▶ current: none, deposed: old   intent, in the same write
//	                    ├─ made it ──▶ current: new, deposed: old ── Delete of old ──▶ current: new
//	                    └─ made nothing ──▶ current: old
//
// There is no current object only while that Create is under way: whenever the current object
// turns out to be gone, the last deposed one takes its place again. So who deletes a resource
// deletes all its objects, one after the other, and nothing need be known of deposed ones for
// that.

// destroyDeposed starts to destroy a deposed object, if its successor is as it should be. It
// says whether it did. The entry's lock is held by the caller.
func (s *Scheduler) destroyDeposed(e *entry, r Request) (bool, error) {
	in := e.record.Instance
	switch {
	case len(in.Deposed) == 0 || !in.Exists() || in.Status == instance.Tainted:
		return false, nil
	case !r.Policies.Delete:
		return false, &Error{Reason: ReasonReplaceRefused, Diagnostics: diagnostic.Errorf("Replaced object kept",
			"The object that was replaced (deposed object %s) has to be destroyed, which spec.managementPolicies do not allow. Allow Delete.", in.Deposed[0].Key)}
	}
	if err := s.backoff(&e.deposedFailed, r); err != nil {
		return false, err
	}
	key := in.Deposed[0].Key
	return true, s.start(e, r, task{kind: instance.Delete, deposed: key, replacement: true, mayAppear: func(in instance.Instance) bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		return s.mayAppear(e, r, key, in)
	}})
}

// replace starts a replacement. A tainted object for which another one was deposed goes first,
// so that their number does not grow with each failure, and so does one that is not to be found.
func (s *Scheduler) replace(e *entry, r Request, p terraform.Plan) error {
	in := e.record.Instance
	_, missing := e.missing[""]
	if p.Action == terraform.CreateThenDelete && !missing && (in.Status != instance.Tainted || len(in.Deposed) == 0) {
		return s.start(e, r, task{kind: instance.Create, plan: &p, deposed: in.NewDeposedKey(), replacement: true})
	}
	return s.start(e, r, task{kind: instance.Delete, replacement: true})
}

package scheduler

import (
	"context"
	"fmt"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/policy"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Policies decide about a plan as a whole when it is about to begin, and again right before its
// intent is written, since it may have waited for its turn. A replacement is one plan: neither the
// create that completes it nor the destruction of a deposed object is decided about again.

// decide returns what the policies decide about a plan. It reports warnings, once for each plan.
func (s *Scheduler) decide(ctx context.Context, e *entry, r *Request, p *terraform.Plan) (policy.Verdict, error) {
	if r.Decide == nil || p == nil || p.Action == terraform.NoOp {
		return policy.Verdict{}, nil
	}
	v, err := r.Decide(ctx, p)
	if err != nil {
		return v, &Error{Reason: decision.ReasonStore, Err: fmt.Errorf("the PlanPolicies cannot be read, so nothing is changed: %w", err)}
	}
	if o := e.view.observation; len(v.Warnings) > 0 && o != nil && e.policyWarned != o.PlanHash {
		e.policyWarned = o.PlanHash
		for _, w := range v.Warnings {
			s.tell(*r, Event{Kind: Warned, Why: w.String(), Action: p.Action})
		}
	}
	return v, nil
}

// stillPermitted returns why policies do not permit an operation that is about to begin; nil if
// they do. p is its plan.
func (s *Scheduler) stillPermitted(
	ctx context.Context, r *Request, t *task, before instance.Instance, p terraform.Plan,
) diagnostic.Diagnostics {
	if t.decided == nil || r.Decide == nil {
		return nil
	}
	whole := *t.decided
	if t.kind == instance.Create && t.deposed != "" { // planned again
		whole.State, whole.SensitivePaths, whole.Prior = p.State, p.SensitivePaths, before
	}
	v, err := r.Decide(ctx, &whole)
	switch {
	case err != nil:
		return diagnostic.Errorf("Operation not started", "The PlanPolicies cannot be read: %s.", err)
	case len(v.Denied) > 0:
		return diagnostic.Errorf("Operation not started", "%s", v.Denied[0])
	case len(v.Approval) > 0 && !r.Consented && (t.approval == nil || t.approval.unasked):
		return diagnostic.Errorf("Operation not started", "The plan needs an approval by now. %s", v.Approval[0])
	}
	return nil
}

// destroyPlan returns the plan that destroys the object of a deleted resource.
func (r *Request) destroyPlan(in instance.Instance) *terraform.Plan {
	return &terraform.Plan{Resource: r.Type, Action: terraform.Delete, Prior: in}
}

// WakePending wakes the resources whose plans policies deny or wait for approval, and those that
// wait because operations are paused. It is called when policies change, and when others than
// before are paused.
func (s *Scheduler) WakePending() {
	s.mu.Lock()
	var pending []*place
	for _, e := range s.places.byUID {
		if e.awaits.Load() || e.denied.Load() {
			pending = append(pending, e)
		}
	}
	s.mu.Unlock()
	for _, e := range pending {
		s.o.Wake(e.key)
	}
}

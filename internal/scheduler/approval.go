package scheduler

import (
	"fmt"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/keyed"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// A plan that needs approval waits until an annotation has its hash. The hash covers everything
// that decides the apply, and the approval that was used last: so each approval is used once, and
// the same change after it is another plan. The approval is recorded in the write of the intent, so
// that a crash uses it up rather than forgets it.
//
// A replacement that destroys first is two operations. The intent of the first one records which
// create completes it; another create waits again. A deposed object is destroyed without an
// approval of its own, since it was in the plan of the replacement.

// approvalOf returns which plans need approval. With the drift policy, a plan does that changes
// drift back, whatever else it changes.
func approvalOf(p desired.Policies, o *Observation) desired.Approval {
	if p.Drift == desired.ApproveDrift && o != nil && o.Drift != nil {
		return desired.ApproveEverything
	}
	return p.Approval
}

// stricter returns which plans need approval with what they destroy.
func (c Cascade) stricter(a desired.Approval) desired.Approval {
	if c.Approval {
		return desired.ApproveEverything
	}
	return a
}

// NeedsApproval reports whether what is to be done waits for approval.
func (o *Observation) NeedsApproval(p desired.Policies) bool {
	return o.PlanHash != "" && decision.MustApprove(o.Cascade.stricter(approvalOf(p, o)), o.PlanAction,
		o.Plan != nil && len(o.Plan.Destroys()) > 0)
}

// approval is the decision about a plan that needs approval.
type approval struct {
	// hash of the plan; empty if it was not planned.
	hash   string
	action terraform.Action
	// create identifies the create that completes a replacement; empty for other plans.
	create string
	by     string
	// completes is set for the create that completes an approved replacement.
	completes bool
	// unasked is set for a replacement that needs no approval. Only its create is recorded, which
	// policies have permitted with it.
	unasked bool
}

// unaskedCreate precedes the hash of the create that completes a replacement that needed no
// approval.
const unaskedCreate = "permitted/"

// completes reports whether a plan is the create that completes a replacement which policies have
// permitted, and whether the replacement was approved.
func (s *Scheduler) completes(e *entry, r *Request, p *terraform.Plan) (permitted, approved bool) {
	recorded := e.record.Handled.ApprovedCreate
	if p == nil || p.Action != terraform.Create || recorded == "" {
		return false, false
	}
	hash := s.createHash(r, p)
	return recorded == hash || recorded == unaskedCreate+hash, recorded == hash
}

// approved returns the approval of a plan, if the request has one that was not used.
func (s *Scheduler) approved(e *entry, r *Request, o *Observation, p *terraform.Plan) (*approval, bool) {
	if o == nil || o.PlanHash == "" {
		return nil, false
	}
	handled := &e.record.Handled
	a := &approval{hash: o.PlanHash, action: o.PlanAction, by: r.Asked.ApprovedBy}
	_, completes := s.completes(e, r, p)
	switch {
	case completes:
		a.completes = true
	case r.Asked.Approve != a.hash || handled.Approve == a.hash:
		return a, false
	case p != nil && p.Action.IsReplace():
		a.create = s.createHash(r, p)
	}
	return a, true
}

// approve adds to a decision what is known of the approval of a plan, and returns the approval.
func (s *Scheduler) approve(e *entry, r *Request, p *terraform.Plan, in *decision.Approval) *approval {
	given, approved := s.approved(e, r, e.view.observation, p)
	if in.Approved = approved; given != nil {
		in.Hash, in.Action = given.hash, given.action
		in.Other = r.Asked.Approve != "" && r.Asked.Approve != e.record.Handled.Approve
	}
	return given
}

// use records in the tokens of an intent that an approval is used.
func (a *approval) use(handled *store.Tokens, now time.Time) {
	handled.ApprovedCreate = ""
	if a == nil || a.completes {
		return
	}
	if handled.ApprovedCreate = a.create; a.unasked {
		return
	}
	handled.Approve, handled.ApprovedAction, handled.ApprovedBy = a.hash, string(a.action), a.by
	handled.ApprovedAt = now.UTC().Format(time.RFC3339)
}

// permits reports whether the plan of an operation is the approved one. Only a create that deposes
// the current object is planned again when it begins.
func (a *approval) permits(s *Scheduler, r *Request, t *task, p *terraform.Plan) bool {
	return a == nil || t.kind != instance.Create || t.deposed == "" || a.create == s.createHash(r, p)
}

// propose puts the hash of what is to be done into an observation.
func (s *Scheduler) propose(e *entry, r *Request, o *Observation) {
	p := o.Plan
	switch {
	case p != nil && p.Action != terraform.NoOp:
	case r.Deleted && r.Config == nil && o.Exists() && r.Policies.Delete:
		p = r.destroyPlan(o.Instance)
	default:
		if len(o.Instance.Deposed) == 0 {
			s.withdrawDestroy(e.place)
		}
		return
	}
	o.PlanHash, o.PlanAction = s.planHash(r, e.record.Handled.Approve, p), p.Action
}

// planHash identifies a plan of a resource, after the last approval that was used. Only the holder
// of the key can make it, so it tells nothing of the values.
func (s *Scheduler) planHash(r *Request, used string, p *terraform.Plan) string {
	h := keyed.New(s.o.PlanKey)
	h.Text("plan", string(r.UID), used, r.Type.Schema.Type, string(p.Action), string(p.Reason), fmt.Sprint(p.CreateBeforeDestroy))
	h.Configurations(r.Configurations)
	h.Value(r.withoutToken(p, p.Config))
	h.Instance(p.Prior)
	h.Value(r.withoutToken(p, p.State))
	h.Value(p.Identity)
	h.Bytes(p.Private)
	h.Bytes(p.Content)
	if p.PriorSent != cty.NilVal {
		h.Text("reapply")
		h.Value(p.PriorSent)
	}
	for _, path := range p.RequiresReplace {
		h.Text(fmt.Sprintf("%#v", path))
	}
	for _, c := range p.Contained {
		h.Text(c.Address, string(c.Action), string(c.Reason))
	}
	if hash := r.cascade(p).Hash; hash != "" {
		h.Text("dependents", hash)
	}
	return h.String()
}

// createHash identifies the create of a plan, whether or not it is planned while the object that it
// replaces exists. The private bytes and the identity are left out: a provider may plan them from
// those of the earlier object.
func (s *Scheduler) createHash(r *Request, p *terraform.Plan) string {
	h := keyed.New(s.o.PlanKey)
	h.Text("create", string(r.UID), r.Type.Schema.Type)
	h.Configurations(r.Configurations)
	h.Value(r.withoutToken(p, p.Config))
	h.Value(r.withoutToken(p, p.State))
	h.Bytes(p.Content)
	return h.String()
}

// withoutToken returns a value without the generated create token, which is another one for each
// create.
func (r *Request) withoutToken(p *terraform.Plan, v cty.Value) cty.Value {
	if v == cty.NilVal || v.IsNull() || r.token().Generated(*p) == "" {
		return v
	}
	v, _ = v.UnmarkDeep()
	values := v.AsValueMap()
	values[r.CreateToken.Attribute] = cty.NullVal(cty.String)
	return cty.ObjectVal(values)
}

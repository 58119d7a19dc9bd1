package decision

import (
	"errors"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/policy"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Approval is what is known of the approval of a plan.
type Approval struct {
	// Policy is which plans wait for approval.
	Policy desired.Approval
	// Approved is set when the plan was approved, or completes a replacement that was.
	Approved bool
	// Hash identifies the plan; empty if it was not made for the request. Action is what it does.
	Hash   string
	Action terraform.Action
	// Other is set when another plan was approved.
	Other bool
}

// MustApprove reports whether a plan waits for approval.
func MustApprove(approval desired.Approval, action terraform.Action, destroys bool) bool {
	switch {
	case action == terraform.NoOp:
		return false
	case approval == desired.ApproveEverything:
		return true
	case approval == desired.ApproveDestructive:
		return action == terraform.Delete || action.IsReplace() || destroys
	default:
		return false
	}
}

// Stricter returns the approval policy of a plan about which policies have decided.
func Stricter(a desired.Approval, v policy.Verdict) desired.Approval {
	if len(v.Approval) > 0 {
		return desired.ApproveEverything
	}
	return a
}

// unapproved refuses what waits for approval.
func (a Approval) unapproved() Step {
	why := Failed(ReasonAwaitingApproval, diagnostic.Errorf("Approval needed",
		"%s waits until its plan %s is approved, with landbridge approve, or the annotation landbridge.io/approve.", a.Action, a.Hash))
	switch {
	case a.Hash == "":
		why = &Error{Reason: ReasonStore, Err: errUnobserved}
	case a.Other:
		why = Failed(ReasonPlanChanged, diagnostic.Errorf("Approved plan changed",
			"The annotation landbridge.io/approve names another plan than the current one, %s. Look at status.plan, "+
				"and approve the current one.",
			a.Hash))
	}
	return Step{Deed: RefuseUnapproved, Refusal: why}
}

// errUnobserved is the error for a plan that was not made for the request.
var errUnobserved = errors.New("the resource changed since it was observed")

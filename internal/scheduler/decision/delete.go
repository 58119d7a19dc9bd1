package decision

import (
	"errors"

	"github.com/landbridge-io/landbridge/internal/policy"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// DeleteInput is the input of the decisions of Delete.
type DeleteInput struct {
	// Running is set while an operation runs.
	Running bool
	// Observed is set when the record is known and its last operation was concluded.
	Observed bool
	// Exists is set when there is a current object.
	Exists bool
	// Protected is set when the object may not be destroyed. Deleted is set when the resource is
	// being deleted, and its object not just replaced together with another.
	Protected, Deleted bool
	// Failed is the failure of an earlier attempt while it is too early to try again; nil if it is
	// not.
	Failed *Error
	// Held is set when an operation was interrupted and the resource has not changed since.
	Held bool
	// Stopped is why no operation may begin; empty if one may.
	Stopped string
	// Approval is what is known of the approval of a plan that destroys the object.
	Approval Approval
	// Denied are the policies that deny that the object is destroyed.
	Denied []policy.Result
}

// DeleteRules decide what Delete does.
var DeleteRules = Rules[DeleteInput, Step]{
	deleteRuns,
	deleteUnobserved,
	deleted,
	deleteProtected,
	deleteHeld,
	deleteStopped,
	deleteFailed,
	deleteDenied,
	deleteUnapproved,
	destroyOtherwise,
}

// Delete returns what Delete does.
func Delete(in DeleteInput) Step {
	step, _ := DeleteRules.Decide(in)
	return step
}

// deleteRuns: at most one operation runs for a resource.
func deleteRuns(in DeleteInput) (Step, bool) { return Step{Deed: Nothing}, in.Running }

// deleteUnobserved: a delete needs the record, and the outcome of its last operation.
func deleteUnobserved(in DeleteInput) (Step, bool) {
	if in.Observed {
		return nothing()
	}
	return refuse(&Error{Reason: ReasonStore, Err: errors.New("the resource was not observed since its last operation")})
}

// deleted: nothing is left to destroy.
func deleted(in DeleteInput) (Step, bool) { return Step{Deed: Nothing}, !in.Exists }

// deleteProtected: an object that is protected stays.
func deleteProtected(in DeleteInput) (Step, bool) {
	if !in.Protected {
		return nothing()
	}
	return keep(Failed(ReasonDeletionProtected, deletionProtected(in.Deleted)))
}

// deleteHeld: after an interrupt nothing begins.
func deleteHeld(in DeleteInput) (Step, bool) {
	if !in.Held {
		return nothing()
	}
	return refuse(interrupted())
}

// deleteStopped: while operations are paused nothing begins.
func deleteStopped(in DeleteInput) (Step, bool) { return paused(in.Stopped) }

// deleteFailed: a failed delete is not tried again too early.
func deleteFailed(in DeleteInput) (Step, bool) {
	return Step{Deed: Refuse, Refusal: in.Failed}, in.Failed != nil
}

// deleteDenied: a policy may deny that the object is destroyed.
func deleteDenied(in DeleteInput) (Step, bool) { return denied(in.Denied) }

// deleteUnapproved: destroying the object needs approval as in other plans.
func deleteUnapproved(in DeleteInput) (Step, bool) {
	if in.Approval.Approved || !MustApprove(in.Approval.Policy, terraform.Delete, true) {
		return nothing()
	}
	return in.Approval.unapproved(), true
}

// destroyOtherwise: the object is destroyed.
func destroyOtherwise(DeleteInput) (Step, bool) { return Step{Deed: Destroy, Destroys: true}, true }

package decision

import (
	"strings"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/policy"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// ApplyInput is the input of the decisions of Apply.
type ApplyInput struct {
	// Running is set while an operation runs.
	Running bool
	// Conflict is the owner of an object that this resource claims; nil if it has all of them.
	Conflict *Conflict
	// Plan is the plan for the configuration of the request; nil if there is none.
	Plan *terraform.Plan
	// MayReplace and MayReplaceTainted are the policies of the resource; MayDelete applies to
	// deposed objects.
	MayReplace, MayReplaceTainted, MayDelete bool
	// Protected is set when nothing may be destroyed.
	Protected bool
	// Failed and DeposedFailed are the failures of earlier attempts while it is too early to try
	// again; nil if it is not.
	Failed, DeposedFailed *Error
	// Exists is set when there is a current object. Deposed is the key of the first deposed one;
	// empty if there is none.
	Exists  bool
	Deposed string
	// Tainted is set when the current object is tainted, and Missing when it is not found.
	Tainted, Missing bool
	// Stalled is how often creates of the configuration have failed, if that is too often; else 0.
	Stalled int64
	// Inconsistent is set when the object is tainted only because its create has left another one
	// than was planned. InconsistentObjects are the addresses of such objects of a module.
	Inconsistent        bool
	InconsistentObjects []string
	// NeverSettles is set when the object would be replaced again and again, or objects of a
	// module, which are Repeated then.
	NeverSettles bool
	Repeated     []terraform.Contained
	// Waits is set when it is too early to update again what did not settle.
	Waits bool
	// Unresolved is an interrupted create that may still make another object than this one; nil if
	// there is none.
	Unresolved *instance.Operation
	// Held is set when an operation was interrupted and the resource has not changed since.
	Held bool
	// Stopped is why no operation may begin; empty if one may.
	Stopped string
	// Gone is set when the object was destroyed outside Landbridge, and the policy is that drift
	// stays.
	Gone bool
	// DriftGone is set when the object was destroyed outside Landbridge, whatever the policy.
	DriftGone bool
	// Approval is what is known of the plan's approval.
	Approval Approval
	// Denied are the policies that deny the plan.
	Denied []policy.Result
}

// ApplyRules decide what Apply does.
var ApplyRules = Rules[ApplyInput, Step]{
	applyRuns,
	applyContested,
	applyHeld,
	applyStopped,
	deposedDue,
	applyFailed,
	applyUnobserved,
	onlyDeposedForbidden,
	onlyDeposedFailed,
	upToDateAlready,
	applyProtected,
	replaceForbidden,
	containedForbidden,
	createStalled,
	createInconsistent,
	updateWaits,
	replacementRepeats,
	goneReported,
	applyDenied,
	applyUnapproved,
	createFirst,
	destroyFirst,
	createUnresolved,
	createMissing,
	updateOtherwise,
}

// Apply returns what Apply does.
func Apply(in ApplyInput) Step {
	step, _ := ApplyRules.Decide(in)
	return step
}

// action returns the action of the plan; empty if there is no plan.
func (in ApplyInput) action() terraform.Action {
	if in.Plan == nil {
		return ""
	}
	return in.Plan.Action
}

// replaces reports whether the plan replaces the object.
func (in ApplyInput) replaces() bool { return in.action().IsReplace() }

// destroys reports whether the plan destroys objects within the object.
func (in ApplyInput) destroys() bool { return in.Plan != nil && len(in.Plan.Destroys()) > 0 }

// upToDate reports whether the plan has nothing to do.
func (in ApplyInput) upToDate() bool { return in.action() == terraform.NoOp }

// deposedOpen reports whether a deposed object has to be destroyed, because its successor is
// complete.
func (in ApplyInput) deposedOpen() bool {
	return in.Plan != nil && in.Deposed != "" && in.Exists && !in.Tainted
}

// nothingDue reports whether there is nothing to do.
func (in ApplyInput) nothingDue() bool { return in.upToDate() && !in.deposedOpen() }

// applyRuns: at most one operation runs for a resource.
func applyRuns(in ApplyInput) (Step, bool) { return Step{Deed: Nothing}, in.Running }

// applyContested: only the owner of an object changes it.
func applyContested(in ApplyInput) (Step, bool) {
	if in.Conflict == nil {
		return nothing()
	}
	return refuse(in.Conflict.Refusal())
}

// applyHeld: after an interrupt nothing begins, unless there is nothing to do.
func applyHeld(in ApplyInput) (Step, bool) {
	if !in.Held || in.nothingDue() {
		return nothing()
	}
	return refuse(interrupted())
}

// applyStopped: while operations are paused nothing begins.
func applyStopped(in ApplyInput) (Step, bool) {
	if in.nothingDue() {
		return nothing()
	}
	return paused(in.Stopped)
}

// deposedDue: deposed objects are destroyed before the current object is changed.
func deposedDue(in ApplyInput) (Step, bool) {
	return Step{Deed: DestroyDeposed, Destroys: true}, in.deposedOpen() && in.MayDelete && !in.Protected && in.DeposedFailed == nil
}

// applyFailed: a failed operation is not tried again too early.
func applyFailed(in ApplyInput) (Step, bool) {
	return Step{Deed: Refuse, Refusal: in.Failed}, in.Failed != nil
}

// applyUnobserved: nothing is done without a plan for this configuration.
func applyUnobserved(in ApplyInput) (Step, bool) {
	if in.Plan != nil {
		return nothing()
	}
	return refuse(&Error{Reason: ReasonStore, Err: errUnobserved})
}

// onlyDeposedForbidden: a deposed object that must not be destroyed is reported if nothing else is
// due.
func onlyDeposedForbidden(in ApplyInput) (Step, bool) {
	switch {
	case !in.upToDate() || !in.deposedOpen():
		return nothing()
	case in.Protected:
		return keep(Failed(ReasonDeletionProtected, diagnostic.Errorf("Replaced object kept",
			"The object that was replaced (deposed object %s) has to be destroyed, which "+
				"spec.lifecycle.deletionProtection forbids. Set it to false.",
			in.Deposed)))
	case !in.MayDelete:
		return keep(Failed(ReasonReplaceRefused, diagnostic.Errorf("Replaced object kept",
			"The object that was replaced (deposed object %s) has to be destroyed, which spec.managementPolicies do "+
				"not allow. Allow Delete.",
			in.Deposed)))
	}
	return nothing()
}

// onlyDeposedFailed: a deposed object that cannot be destroyed yet is reported likewise.
func onlyDeposedFailed(in ApplyInput) (Step, bool) {
	return Step{Deed: Refuse, Refusal: in.DeposedFailed}, in.upToDate() && in.deposedOpen() && in.DeposedFailed != nil
}

// upToDateAlready: a plan may have nothing to do.
func upToDateAlready(in ApplyInput) (Step, bool) { return Step{Deed: Nothing}, in.upToDate() }

// applyProtected: nothing of an object that is protected is destroyed, also within it.
func applyProtected(in ApplyInput) (Step, bool) {
	if !in.Protected || !in.replaces() && !in.destroys() {
		return nothing()
	}
	return keep(Failed(ReasonDeletionProtected, changeProtected(in.Plan)))
}

// replaceForbidden: replacements need a policy that allows them; tainted objects have their own
// policy.
func replaceForbidden(in ApplyInput) (Step, bool) {
	if !in.replaces() || in.MayReplace && (in.Plan.Reason != terraform.ReplaceBecauseTainted || in.MayReplaceTainted) {
		return nothing()
	}
	return keep(Failed(ReasonReplaceRefused, replaceRefused(in.Plan)))
}

func replaceRefused(p *terraform.Plan) diagnostic.Diagnostics {
	if p.Reason == terraform.ReplaceBecauseTainted {
		return diagnostic.Errorf("Replacement refused",
			"The remote object is tainted, because its creation failed or was interrupted. It would be destroyed "+
				"and recreated, which spec.lifecycle.taintPolicy, spec.lifecycle.replacePolicy or "+
				"spec.managementPolicies do not allow. Allow it, or untaint the resource.")
	}
	var out diagnostic.Diagnostics
	for _, path := range p.RequiresReplace {
		out = append(out, diagnostic.AttributeErrorf(path, "Replacement refused",
			"This change would destroy and recreate the remote object, which spec.lifecycle.replacePolicy or "+
				"spec.managementPolicies do not allow. Allow it, or revert the change.")...)
	}
	if out == nil {
		out = diagnostic.Errorf("Replacement refused", "This change would destroy and recreate the remote object, "+
			"which spec.lifecycle.replacePolicy or spec.managementPolicies do not allow.")
	}
	return out
}

// containedForbidden: updates that destroy objects within the object need the same policy.
func containedForbidden(in ApplyInput) (Step, bool) {
	if !in.destroys() || in.MayReplace {
		return nothing()
	}
	return keep(Failed(ReasonReplaceRefused, diagnostic.Errorf("Replacement refused",
		"This change would destroy %s, which spec.lifecycle.replacePolicy or spec.managementPolicies do not allow. "+
			"Allow it, or revert the change.",
		strings.Join(in.Plan.Destroys(), ", "))))
}

// createStalled: a tainted object stays if its replacement would most likely fail as well.
func createStalled(in ApplyInput) (Step, bool) {
	if in.Stalled == 0 {
		return nothing()
	}
	if of := in.Plan.Tainted(); len(of) > 0 {
		return refuse(Failed(ReasonCreateAttemptsExhausted, diagnostic.Errorf("Create attempts exhausted",
			"Creating these objects of the module has failed %d times after it had made them; the last ones are "+
				"tainted and stay: %s. Change the module or its variables, or request a retry with the annotation "+
				"landbridge.io/retry.",
			in.Stalled, strings.Join(of, ", "))))
	}
	return refuse(Failed(ReasonCreateAttemptsExhausted, diagnostic.Errorf("Create attempts exhausted",
		"Creating this object has failed %d times after it had made an object; the last one is tainted and stays. "+
			"Change the configuration, request a retry with the annotation landbridge.io/retry, or untaint the "+
			"object to keep it.",
		in.Stalled)))
}

// createInconsistent: creating an object again would give the same one, unless its replacement was
// approved.
func createInconsistent(in ApplyInput) (Step, bool) {
	switch {
	case in.Approval.Approved:
		return nothing()
	case len(in.InconsistentObjects) > 0:
		return refuse(Failed(ReasonInconsistentResult, diagnostic.Errorf("Objects not replaced",
			"The provider has made these objects of the module without an error, but not as planned, so they are "+
				"tainted, and others would be the same: %s. Change their arguments in the module to what the "+
				"provider makes of them, or the provider's version; landbridge retry replaces them.",
			strings.Join(in.InconsistentObjects, ", "))))
	case in.Inconsistent:
		return refuse(Failed(ReasonInconsistentResult, diagnostic.Errorf("Object not replaced",
			"The provider has made the object without an error, but not as planned, so it is tainted, and another "+
				"one would be the same. Change an argument or the provider's version, or keep the object with "+
				"landbridge untaint; landbridge retry replaces it.")))
	}
	return nothing()
}

// updateWaits: what did not settle is updated more and more seldom.
func updateWaits(in ApplyInput) (Step, bool) {
	return Step{Deed: Nothing}, in.Waits && !in.Approval.Approved
}

// replacementRepeats: an object is not replaced if its successor would be replaced likewise, unless
// that was approved.
func replacementRepeats(in ApplyInput) (Step, bool) {
	if !in.NeverSettles || in.Approval.Approved {
		return nothing()
	}
	step, _ := refuse(neverSettles(in.Plan, in.Repeated))
	return as(RefuseRepeat, step), true
}

// goneReported: an object that was destroyed outside Landbridge is drift.
func goneReported(in ApplyInput) (Step, bool) {
	if !in.Gone || in.action() != terraform.Create {
		return nothing()
	}
	return refuse(Failed(ReasonDrifted, diagnostic.Errorf("Object not recreated",
		"The remote object was destroyed outside of this resource, and spec.lifecycle.driftPolicy is Report. To "+
			"create it again, use landbridge reapply, or set the policy to Repair.")))
}

// applyDenied: what a policy denies is not carried out, approved or not.
func applyDenied(in ApplyInput) (Step, bool) { return denied(in.Denied) }

// applyUnapproved: what needs approval waits for it.
func applyUnapproved(in ApplyInput) (Step, bool) {
	if in.Approval.Approved || !MustApprove(in.Approval.Policy, in.action(), in.destroys()) {
		return nothing()
	}
	return in.Approval.unapproved(), true
}

// createFirst: the plan creates before it destroys. Exceptions, which are destroyed first, are a
// tainted object for which another one was deposed, so that the number of deposed objects does not
// grow with each failure, and an object that is not found.
func createFirst(in ApplyInput) (Step, bool) {
	return Step{Deed: CreateFirst}, in.action() == terraform.CreateThenDelete && !in.Missing && (!in.Tainted || in.Deposed == "")
}

// destroyFirst: any other replacement destroys first.
func destroyFirst(in ApplyInput) (Step, bool) {
	return Step{Deed: DestroyFirst, Destroys: true}, in.replaces()
}

// createUnresolved: a create waits while an interrupted one may make another object.
func createUnresolved(in ApplyInput) (Step, bool) {
	if in.action() != terraform.Create || in.Unresolved == nil {
		return nothing()
	}
	return refuse(Failed(ReasonCreateOutcomeUnknown, Awaited(in.Unresolved, in.Unresolved.Deadline)))
}

// createMissing: without an object, one is created.
func createMissing(in ApplyInput) (Step, bool) {
	return Step{Deed: Create, Keeps: true}, in.action() == terraform.Create
}

// updateOtherwise: an object is updated in place.
func updateOtherwise(in ApplyInput) (Step, bool) {
	return Step{Deed: Update, Destroys: in.destroys(), Keeps: !in.destroys()}, true
}

package scheduler

import (
	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Chains of rules decide the next step. A rule is a pure function of an input, which is a snapshot
// of everything that decisions depend on. The first rule that applies selects a deed, which is
// carried out elsewhere (observe.go, apply.go).
//
// Observe decides again after each deed until one of them answers. This terminates: each deed
// either answers or prevents its own rule from applying again in the same call. The exception is
// deedRead, which repeats when a deposed object takes the place of one that is gone, at most once
// for each deposed object.

// deed is the next step.
type deed string

// rule selects a deed if its condition applies.
type rule[Input any] struct {
	deed deed
	when func(Input) bool
}

// chain is a list of rules in the order of their precedence.
type chain[Input any] []rule[Input]

// decide returns the deed of the first rule that applies. The last rule of a chain always does.
func (c chain[Input]) decide(in Input) deed {
	for i := range c {
		if c[i].when(in) {
			return c[i].deed
		}
	}
	return ""
}

// Deeds of Observe.
const (
	// deedInterrupt interrupts the running operation.
	deedInterrupt deed = "interrupt"
	// deedIgnoreInterrupt records the request to interrupt something where nothing runs.
	deedIgnoreInterrupt deed = "ignore an interrupt"
	// deedAnswer answers with the view.
	deedAnswer deed = "answer"
	// deedAnswerApplied answers with the result of the last operation.
	deedAnswerApplied deed = "answer with what was applied"
	// deedAnswerNothing answers that there is nothing to delete.
	deedAnswerNothing deed = "answer that there is nothing"
	// deedRefuseConflict refuses because the object belongs to another resource.
	deedRefuseConflict deed = "refuse because of the owner"
	// deedRefuseForeign refuses because another process may conclude the operation.
	deedRefuseForeign deed = "refuse because of another process"
	// deedRefuseMoving refuses because the resource is being moved to another cluster.
	deedRefuseMoving deed = "refuse because of a move"
	// deedRefuseMoved refuses because another resource has taken the object over.
	deedRefuseMoved deed = "refuse because the object was moved"
	// deedRefuseAccount refuses because the object is in another account.
	deedRefuseAccount deed = "refuse because of the account"
	// deedProve determines whether the object is in the account that the provider configuration
	// gives access to.
	deedProve deed = "prove the account"
	// deedHandOver determines the outcome of a move of the object to another resource.
	deedHandOver deed = "hand over"
	// deedTakeOver takes the object of another resource over.
	deedTakeOver deed = "take over"
	// deedLetGo makes the resource let the object go that this one has taken over.
	deedLetGo deed = "let go"
	// deedLoad loads the record from the store.
	deedLoad deed = "load"
	// deedClaim claims the objects of the record, of the read, or of the plan.
	deedClaim deed = "claim"
	// deedRetry forgets failures, so that failed operations are tried again.
	deedRetry deed = "retry"
	// deedResume looks for the mark of an earlier process.
	deedResume deed = "resume"
	// deedConfirm looks for the object, as it is stored, in a list of all objects.
	deedConfirm deed = "confirm by a list"
	// deedAcquire acquires the provider.
	deedAcquire deed = "acquire"
	// deedRecover determines the outcome of an interrupted operation.
	deedRecover deed = "recover"
	// deedMark carries out the requests of annotations, and stores the result.
	deedMark deed = "mark"
	// deedFind looks up an object of which nothing is stored.
	deedFind deed = "find"
	// deedImport imports an object although the record has none.
	deedImport deed = "import"
	// deedFallBack makes a deposed object the current one.
	deedFallBack deed = "fall back"
	// deedRead reads the object.
	deedRead deed = "read"
	// deedPlan plans, and makes the plan the view.
	deedPlan deed = "plan"
)

// claimStage is the latest input of claims in this call of Observe.
type claimStage uint8

const (
	claimedNothing claimStage = iota
	claimedRecord             // the record
	claimedRead               // the object as read
	claimedPlan               // the object, and the identities that its plan wants
)

// readResult is the result of reading the object in this call of Observe.
type readResult uint8

const (
	notRead readResult = iota
	readUnchanged
	readChanged
)

// observeInput is the input of the decisions of Observe.
type observeInput struct {
	// Deleted is set when the custom resource is being deleted, and Desired when it has a
	// configuration to compare the object with.
	Deleted, Desired bool
	// Named is set when the resource names an object to import or to look up.
	Named bool
	// RetryAsked, MarkAsked and InterruptAsked are set when an annotation has a request that was
	// not carried out.
	RetryAsked, MarkAsked, InterruptAsked bool

	// Loaded is set when the record in memory can be used with the schema at hand.
	Loaded bool
	View   viewState
	// Fits is set when the view was made for the configuration of the request.
	Fits bool
	// Unplanned is set when no plan was made since the last operation, or since it was allowed to
	// try again.
	Unplanned bool

	// Stored is set when there is a record in the store.
	Stored bool
	// Exists and Deposed are set when there is a current object, and deposed objects.
	Exists, Deposed bool
	// Interrupted is set when the record has an operation. Foreign is set when another process
	// began it and may still conclude it.
	Interrupted, Foreign bool
	// Moving is set when the resource is being moved to another cluster. HandingOver is set when
	// its object is being moved to another resource, and Moved when that was done.
	Moving, HandingOver, Moved bool
	// TakeOver is set when the resource asks for the object of another one, which was not done yet.
	// LettingGo is set when the other one may not have let it go yet.
	TakeOver, LettingGo bool

	// Account is what is known of the account of the object. MayDestroy is set if the policies
	// allow to destroy it.
	Account    accountState
	MayDestroy bool

	// Claims is the stage of the claims. Contested is set when another resource owns an object, and
	// Disowned when that one has all that this resource may have.
	Claims              claimStage
	Contested, Disowned bool
	// Suspected is set when the object is read as soon as an operation has ended, because an
	// earlier one did not settle.
	Suspected bool
	// Resumable is set when the mark of an earlier process may show that there is nothing to plan.
	Resumable bool
	// Confirmable is set when a list may show that the object is unchanged, and Confirmed when it
	// has.
	Confirmable, Confirmed bool
	// Acquired, Recovered, Sought and Planned are set when that was done in this call.
	Acquired, Recovered, Sought, Planned bool
	Read                                 readResult
}

// observeChain decides what Observe does next.
var observeChain = chain[observeInput]{
	{deedInterrupt, interruptRunning},
	{deedAnswer, operationRuns},
	{deedLoad, recordUnknown},
	{deedHandOver, handingOver},
	{deedLetGo, lettingGo},
	{deedAnswerNothing, strangeAndKept},
	{deedRefuseAccount, accountOther},
	{deedClaim, recordUnclaimed},
	{deedRefuseMoving, resourceMoving},
	{deedRefuseMoved, objectMoved},
	{deedAnswerNothing, nothingOwnToDelete},
	{deedRefuseConflict, ownedByAnother},
	{deedAcquire, proofNeedsProvider},
	{deedRefuseForeign, proofAwaitsOther},
	{deedProve, accountOpen},
	{deedAnswerApplied, operationJustEnded},
	{deedIgnoreInterrupt, interruptAsked},
	{deedRetry, retryAsked},
	{deedAnswerNothing, nothingToDelete},
	{deedResume, markPossible},
	{deedConfirm, listable},
	{deedAnswer, listedUnchanged},
	{deedAcquire, providerMissing},
	{deedRefuseForeign, operationForeign},
	{deedRecover, operationInterrupted},
	{deedMark, markAsked},
	{deedTakeOver, takeOverAsked},
	{deedImport, importOpen},
	{deedFind, objectUnknown},
	{deedFallBack, onlyDeposedLeft},
	{deedRead, objectUnread},
	{deedAnswer, nothingChanged},
	{deedClaim, readUnclaimed},
	{deedPlan, planMissing},
	{deedClaim, planUnclaimed},
	{deedAnswer, otherwise[observeInput]},
}

// interruptRunning: a running operation is interrupted at once.
func interruptRunning(in observeInput) bool { return in.InterruptAsked && operationRuns(in) }

// operationRuns: while an operation runs, answers come from memory.
func operationRuns(in observeInput) bool { return in.View == running }

// recordUnknown: decisions need the record.
func recordUnknown(in observeInput) bool { return !in.Loaded }

// recordUnclaimed: the stored objects are claimed before the provider is called.
func recordUnclaimed(in observeInput) bool { return in.Claims < claimedRecord }

// resourceMoving: the other cluster may act on the object already.
func resourceMoving(in observeInput) bool { return in.Moving }

// handingOver: whether the object was moved is determined before anything else.
func handingOver(in observeInput) bool { return in.HandingOver }

// lettingGo: nothing is done to an object before the resource that had it has let it go.
func lettingGo(in observeInput) bool { return in.LettingGo }

// strangeAndKept: an object that is to stay is let go without a look at it.
func strangeAndKept(in observeInput) bool {
	return accountOther(in) && in.Deleted && !in.MayDestroy && !in.Interrupted
}

// accountOther: nothing is asked of another account than the object's.
func accountOther(in observeInput) bool {
	return in.Account == accountIsOther && !in.Moving
}

// accountOpen: the object is looked at before anything else is done by a configuration that may be
// for another account.
func accountOpen(in observeInput) bool { return in.Account == accountIsOpen }

// proofNeedsProvider: that look needs the provider.
func proofNeedsProvider(in observeInput) bool { return accountOpen(in) && !in.Acquired }

// proofAwaitsOther: so does the end of another process's operation.
func proofAwaitsOther(in observeInput) bool { return accountOpen(in) && operationForeign(in) }

// objectMoved: a resource whose object was moved makes no other one.
func objectMoved(in observeInput) bool { return in.Moved && !in.Deleted && !in.Exists }

// takeOverAsked: an object is taken over by a resource that has none, and had none.
func takeOverAsked(in observeInput) bool {
	return in.TakeOver && nothingThere(in) && !in.Interrupted && !in.Deleted
}

// nothingOwnToDelete: the object of a resource that is being deleted stays with its owner.
func nothingOwnToDelete(in observeInput) bool {
	return in.Contested && in.Disowned && in.Deleted && !in.Deposed
}

// ownedByAnother: an object has one owner.
func ownedByAnother(in observeInput) bool { return in.Contested }

// operationJustEnded: the answer to an apply was checked against the plan and is the new state. As
// in Terraform, it is not read right away.
func operationJustEnded(in observeInput) bool {
	return in.View == applied && in.Fits && in.Desired && !in.Suspected
}

// interruptAsked: where nothing runs, an interrupt does nothing, now or later.
func interruptAsked(in observeInput) bool { return in.InterruptAsked }

// retryAsked: a retry only changes memory, so it works even if everything else fails.
func retryAsked(in observeInput) bool { return in.RetryAsked }

// markPossible: what an earlier process has planned need not be planned again at once.
func markPossible(in observeInput) bool { return in.Resumable && in.Desired }

// nothingToDelete: if the record has no object, the answer needs no provider.
func nothingToDelete(in observeInput) bool {
	return !in.Acquired && !in.Desired && !in.Exists && !in.Deposed && !in.Interrupted && (in.Stored || !in.Named)
}

// providerMissing: everything from here on needs the provider.
func providerMissing(in observeInput) bool { return !in.Acquired }

// operationForeign: the process that began an operation may still conclude it.
func operationForeign(in observeInput) bool { return in.Foreign && !in.Recovered }

// operationInterrupted: the outcome of an interrupted operation is determined before anything else.
func operationInterrupted(in observeInput) bool { return in.Interrupted && !in.Recovered }

// markAsked: tainting precedes the read, so that the plan accounts for it.
func markAsked(in observeInput) bool { return in.MarkAsked }

// nothingThere reports whether no object is known, and none was looked up or read in this call.
func nothingThere(in observeInput) bool {
	return !in.Exists && !in.Deposed && !in.Sought && in.Read == notRead
}

// importOpen: an import may be requested after the record was stored without an object.
func importOpen(in observeInput) bool {
	return in.Stored && nothingThere(in)
}

// objectUnknown: the resource may name an object of which nothing is stored.
func objectUnknown(in observeInput) bool {
	return !in.Stored && nothingThere(in)
}

// onlyDeposedLeft: without a current object, a deposed one takes its place, unless a create that
// may replace it is unresolved.
func onlyDeposedLeft(in observeInput) bool {
	return !in.Exists && in.Deposed && !in.Interrupted && in.Read == notRead
}

// objectUnread: a plan needs the current state of the object.
func objectUnread(in observeInput) bool { return in.Exists && in.Read == notRead }

// nothingChanged: the same object and configuration have the same plan. The first read after an
// operation is planned, as by Terraform's next run: some providers plan a change of, or an error
// in, what they have applied.
func nothingChanged(in observeInput) bool {
	return in.Read == readUnchanged && in.Fits && !in.Planned && !in.Unplanned
}

// readUnclaimed: reading may show another identity, which is claimed before the plan.
func readUnclaimed(in observeInput) bool { return in.Exists && in.Claims < claimedRead }

// planMissing: the object is compared with its configuration.
func planMissing(in observeInput) bool { return !in.Planned }

// planUnclaimed: the identities that a plan wants are claimed before the plan is shown.
func planUnclaimed(in observeInput) bool { return in.Claims < claimedPlan }

func otherwise[Input any](Input) bool { return true }

// Deeds of Apply and Delete.
const (
	// deedNothing reports success: there is nothing to do, or the operation runs.
	deedNothing deed = "nothing"
	// deedCreate, deedUpdate and deedDelete start an operation on the current object.
	deedCreate deed = "create"
	deedUpdate deed = "update"
	deedDelete deed = "delete"
	// deedDestroyDeposed starts to destroy a deposed object.
	deedDestroyDeposed deed = "destroy a deposed object"
	// deedCreateFirst and deedDestroyFirst start a replacement.
	deedCreateFirst  deed = "replace, create first"
	deedDestroyFirst deed = "replace, destroy first"
	// The others refuse, with a reason.
	deedRefuseUnobserved   deed = "refuse because of the observation"
	deedRefuseEarly        deed = "refuse because of an earlier failure"
	deedRefuseReplace      deed = "refuse the replacement"
	deedRefuseProtected    deed = "refuse to destroy what is protected"
	deedRefuseContained    deed = "refuse to destroy contained objects"
	deedRefuseDoubted      deed = "refuse because of an interrupted create"
	deedRefuseStalled      deed = "refuse because of many failed creates"
	deedRefuseInconsistent deed = "refuse to replace what would be the same again"
	deedRefuseRepeat       deed = "refuse to replace again what did not settle"
	deedRefuseStopped      deed = "refuse because operations are paused"
	deedRefuseHeld         deed = "refuse because of an interrupt"
	deedRefuseGone         deed = "refuse to create again what was destroyed outside"
	deedRefuseUnapproved   deed = "refuse because it is not approved"
	deedRefuseDenied       deed = "refuse because of a policy"
	// These concern a deposed object, and leave the current one alone.
	deedRefuseDeposed      deed = "refuse to destroy a deposed object"
	deedRefuseDeposedEarly deed = "refuse because of an earlier failure to destroy a deposed object"
)

// applyInput is the input of the decisions of Apply.
type applyInput struct {
	// Running is set while an operation runs.
	Running bool
	// Contested is set when another resource owns an object that this one claims.
	Contested bool
	// Observed is set when there is a plan for the configuration of the request. Action and
	// Reason are the plan's, and Destroys is set when it destroys objects within the object.
	Observed bool
	Action   terraform.Action
	Reason   terraform.Reason
	Destroys bool
	// MayReplace and MayReplaceTainted are the policies of the resource; MayDelete applies to
	// deposed objects.
	MayReplace, MayReplaceTainted, MayDelete bool
	// Protected is set when nothing may be destroyed.
	Protected bool
	// Failed and DeposedFailed are set when it is too early to try again.
	Failed, DeposedFailed bool
	// Exists and Deposed are set when there is a current object, and deposed objects.
	Exists, Deposed bool
	// Tainted is set when the current object is tainted, and Missing when it is not found.
	Tainted, Missing bool
	// Stalled is set when creates of the configuration have failed too often.
	Stalled bool
	// Inconsistent is set when the object is tainted only because its create has left another one
	// than was planned.
	Inconsistent bool
	// NeverSettles is set when the object would be replaced again and again. Waits is set when it
	// is too early to update again what did not settle.
	NeverSettles, Waits bool
	// Doubted is set when an interrupted create may still make another object than this one.
	Doubted bool
	// Held is set when an operation was interrupted and the resource has not changed since.
	Held bool
	// Stopped is set when no operation may begin.
	Stopped bool
	// Gone is set when the object was destroyed outside Landbridge, and the policy is that drift
	// stays.
	Gone bool
	// DriftGone is set when the object was destroyed outside Landbridge, whatever the policy.
	DriftGone bool
	// Approval is the approval policy. Approved is set when the plan was approved, or completes a
	// replacement that was.
	Approval desired.Approval
	Approved bool
	// Denied is set when a policy denies the plan.
	Denied bool
}

// applyChain decides what Apply does.
var applyChain = chain[applyInput]{
	{deedNothing, applyRuns},
	{deedRefuseConflict, applyContested},
	{deedRefuseHeld, applyHeld},
	{deedRefuseStopped, applyStopped},
	{deedDestroyDeposed, deposedDue},
	{deedRefuseEarly, applyFailed},
	{deedRefuseUnobserved, applyUnobserved},
	{deedRefuseDeposed, onlyDeposedForbidden},
	{deedRefuseDeposedEarly, onlyDeposedFailed},
	{deedNothing, upToDateAlready},
	{deedRefuseProtected, applyProtected},
	{deedRefuseReplace, replaceForbidden},
	{deedRefuseContained, containedForbidden},
	{deedRefuseStalled, createStalled},
	{deedRefuseInconsistent, createInconsistent},
	{deedNothing, updateWaits},
	{deedRefuseRepeat, replacementRepeats},
	{deedRefuseGone, goneReported},
	{deedRefuseDenied, applyDenied},
	{deedRefuseUnapproved, applyUnapproved},
	{deedCreateFirst, createFirst},
	{deedDestroyFirst, isReplace},
	{deedRefuseDoubted, createDoubted},
	{deedCreate, isCreate},
	{deedUpdate, otherwise[applyInput]},
}

// applyRuns: at most one operation runs for a resource.
func applyRuns(in applyInput) bool { return in.Running }

// applyContested: only the owner of an object changes it.
func applyContested(in applyInput) bool { return in.Contested }

// applyHeld: after an interrupt nothing begins, unless there is nothing to do.
func applyHeld(in applyInput) bool { return in.Held && !nothingDue(in) }

// applyStopped: while operations are paused nothing begins.
func applyStopped(in applyInput) bool { return in.Stopped && !nothingDue(in) }

// nothingDue reports whether there is nothing to do.
func nothingDue(in applyInput) bool { return in.Observed && upToDateAlready(in) && !deposedOpen(in) }

// deposedOpen reports whether a deposed object has to be destroyed, because its successor is
// complete.
func deposedOpen(in applyInput) bool { return in.Observed && in.Deposed && in.Exists && !in.Tainted }

// deposedDue: deposed objects are destroyed before the current object is changed.
func deposedDue(in applyInput) bool {
	return deposedOpen(in) && in.MayDelete && !in.Protected && !in.DeposedFailed
}

// applyFailed: a failed operation is not tried again too early.
func applyFailed(in applyInput) bool { return in.Failed }

// applyUnobserved: nothing is done without a plan for this configuration.
func applyUnobserved(in applyInput) bool { return !in.Observed }

// upToDateAlready: a plan may have nothing to do.
func upToDateAlready(in applyInput) bool { return in.Action == terraform.NoOp }

// onlyDeposedForbidden: a deposed object that must not be destroyed is reported if nothing else is
// due.
func onlyDeposedForbidden(in applyInput) bool {
	return upToDateAlready(in) && deposedOpen(in) && (!in.MayDelete || in.Protected)
}

// onlyDeposedFailed: a deposed object that cannot be destroyed yet is reported likewise.
func onlyDeposedFailed(in applyInput) bool {
	return upToDateAlready(in) && deposedOpen(in) && in.DeposedFailed
}

// applyProtected: nothing of an object that is protected is destroyed, also within it.
func applyProtected(in applyInput) bool {
	return in.Protected && (in.Action.IsReplace() || in.Destroys)
}

// replaceForbidden: replacements need a policy that allows them; tainted objects have their own
// policy.
func replaceForbidden(in applyInput) bool {
	return in.Action.IsReplace() && (!in.MayReplace || in.Reason == terraform.ReplaceBecauseTainted && !in.MayReplaceTainted)
}

// containedForbidden: updates that destroy objects within the object need the same policy.
func containedForbidden(in applyInput) bool { return in.Destroys && !in.MayReplace }

// createStalled: a tainted object stays if its replacement would most likely fail as well.
func createStalled(in applyInput) bool { return in.Stalled }

// createInconsistent: creating an object again would give the same one, unless its replacement was
// approved.
func createInconsistent(in applyInput) bool { return in.Inconsistent && !in.Approved }

// updateWaits: what did not settle is updated more and more seldom.
func updateWaits(in applyInput) bool { return in.Waits && !in.Approved }

// replacementRepeats: an object is not replaced if its successor would be replaced likewise, unless
// that was approved.
func replacementRepeats(in applyInput) bool { return in.NeverSettles && !in.Approved }

// goneReported: an object that was destroyed outside Landbridge is drift.
func goneReported(in applyInput) bool { return in.Gone && isCreate(in) }

// applyDenied: what a policy denies is not carried out, approved or not.
func applyDenied(in applyInput) bool { return in.Denied }

// applyUnapproved: what needs approval waits for it.
func applyUnapproved(in applyInput) bool {
	return !in.Approved && mustApprove(in.Approval, in.Action, in.Destroys)
}

// createFirst: the plan creates before it destroys. Exceptions, which are destroyed first, are a
// tainted object for which another one was deposed, so that the number of deposed objects does not
// grow with each failure, and an object that is not found.
func createFirst(in applyInput) bool {
	return in.Action == terraform.CreateThenDelete && !in.Missing && (!in.Tainted || !in.Deposed)
}

// isReplace: any other replacement destroys first.
func isReplace(in applyInput) bool { return in.Action.IsReplace() }

// createDoubted: a create waits while an interrupted one may make another object.
func createDoubted(in applyInput) bool { return isCreate(in) && in.Doubted }

// isCreate: without an object, one is created.
func isCreate(in applyInput) bool { return in.Action == terraform.Create }

// deleteInput is the input of the decisions of Delete.
type deleteInput struct {
	// Running is set while an operation runs.
	Running bool
	// Observed is set when the record is known and its last operation was concluded.
	Observed bool
	// Exists is set when there is a current object.
	Exists bool
	// Protected is set when the object may not be destroyed.
	Protected bool
	// Failed is set when it is too early to try again.
	Failed bool
	// Held is set when an operation was interrupted and the resource has not changed since.
	Held bool
	// Stopped is set when no operation may begin.
	Stopped bool
	// Approval is the approval policy. Approved is set when it was approved that the object is
	// destroyed.
	Approval desired.Approval
	Approved bool
	// Denied is set when a policy denies that the object is destroyed.
	Denied bool
}

// deleteChain decides what Delete does.
var deleteChain = chain[deleteInput]{
	{deedNothing, deleteRuns},
	{deedRefuseUnobserved, deleteUnobserved},
	{deedNothing, deleted},
	{deedRefuseProtected, deleteProtected},
	{deedRefuseHeld, deleteHeld},
	{deedRefuseStopped, deleteStopped},
	{deedRefuseEarly, deleteFailed},
	{deedRefuseDenied, deleteDenied},
	{deedRefuseUnapproved, deleteUnapproved},
	{deedDelete, otherwise[deleteInput]},
}

// deleteRuns: at most one operation runs for a resource.
func deleteRuns(in deleteInput) bool { return in.Running }

// deleteUnobserved: a delete needs the record, and the outcome of its last operation.
func deleteUnobserved(in deleteInput) bool { return !in.Observed }

// deleted: nothing is left to destroy.
func deleted(in deleteInput) bool { return !in.Exists }

// deleteProtected: an object that is protected stays.
func deleteProtected(in deleteInput) bool { return in.Protected }

// deleteHeld: after an interrupt nothing begins.
func deleteHeld(in deleteInput) bool { return in.Held }

// deleteStopped: while operations are paused nothing begins.
func deleteStopped(in deleteInput) bool { return in.Stopped }

// deleteDenied: a policy may deny that the object is destroyed.
func deleteDenied(in deleteInput) bool { return in.Denied }

// deleteUnapproved: destroying the object needs approval as in other plans.
func deleteUnapproved(in deleteInput) bool {
	return !in.Approved && mustApprove(in.Approval, terraform.Delete, true)
}

// deleteFailed: a failed delete is not tried again too early.
func deleteFailed(in deleteInput) bool { return in.Failed }

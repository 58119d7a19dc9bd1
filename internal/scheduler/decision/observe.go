package decision

// Deeds of Observe.
const (
	// Interrupt interrupts the running operation.
	Interrupt Deed = "interrupt"
	// IgnoreInterrupt records the request to interrupt something where nothing runs.
	IgnoreInterrupt Deed = "ignore an interrupt"
	// Answer answers with the view.
	Answer Deed = "answer"
	// AnswerApplied answers with the result of the last operation.
	AnswerApplied Deed = "answer with what was applied"
	// AnswerNothing answers that there is nothing to delete.
	AnswerNothing Deed = "answer that there is nothing"
	// RefuseConflict refuses because the object belongs to another resource.
	RefuseConflict Deed = "refuse because of the owner"
	// RefuseForeign refuses because another process may conclude the operation.
	RefuseForeign Deed = "refuse because of another process"
	// RefuseOtherVersion refuses because an operation runs that another version of the provider
	// began.
	RefuseOtherVersion Deed = "refuse because of another version"
	// RefuseMoving refuses because the resource is being moved to another cluster.
	RefuseMoving Deed = "refuse because of a move"
	// RefuseMoved refuses because another resource has taken the object over.
	RefuseMoved Deed = "refuse because the object was moved"
	// RefuseAccount refuses because the object is in another account.
	RefuseAccount Deed = "refuse because of the account"
	// Prove determines whether the object is in the account that the provider configuration
	// gives access to.
	Prove Deed = "prove the account"
	// HandOver determines the outcome of a move of the object to another resource.
	HandOver Deed = "hand over"
	// TakeOver takes the object of another resource over.
	TakeOver Deed = "take over"
	// Release makes the resource whose object this one has taken over release it.
	Release Deed = "release"
	// Load loads the record from the store.
	Load Deed = "load"
	// Claim claims the objects of the record, of the read, or of the plan.
	Claim Deed = "claim"
	// Retry forgets failures, so that failed operations are tried again.
	Retry Deed = "retry"
	// Resume looks for the mark of an earlier process.
	Resume Deed = "resume"
	// Confirm looks for the object, as it is stored, in a list of all objects.
	Confirm Deed = "confirm by a list"
	// Acquire acquires the provider.
	Acquire Deed = "acquire"
	// Recover determines the outcome of an interrupted operation.
	Recover Deed = "recover"
	// CarryOut carries out the requests of annotations, and stores the result.
	CarryOut Deed = "carry out requests"
	// Find looks up an object of which nothing is stored.
	Find Deed = "find"
	// Import imports an object although the record has none.
	Import Deed = "import"
	// FallBack makes a deposed object the current one.
	FallBack Deed = "fall back"
	// Read reads the object.
	Read Deed = "read"
	// Plan plans, and makes the plan the view.
	Plan Deed = "plan"
)

// View is the kind of answer that Observe has in memory.
type View uint8

const (
	// Stale: nothing; the object has to be read and planned.
	Stale View = iota
	// Imported: nothing. The object was imported, which the next observation reports.
	Imported
	// Running: the observation of the running operation.
	Running
	// Planned: the last observation, if the object is unchanged.
	Planned
	// Applied: the result of the last operation. Observe answers with it once, without reading.
	Applied
)

// Account is what is known of the account of a resource's object.
type Account uint8

const (
	// AccountIsSame: it is the one that the provider configuration gives access to, or there is no
	// object.
	AccountIsSame Account = iota
	// AccountIsOpen: a read shows whether it is.
	AccountIsOpen
	// AccountIsOther: it is another one.
	AccountIsOther
)

// Claims is what the latest claims in this call of Observe were made of.
type Claims uint8

const (
	// ClaimedNothing: there were none.
	ClaimedNothing Claims = iota
	// ClaimedRecord: the record.
	ClaimedRecord
	// ClaimedRead: the object as read.
	ClaimedRead
	// ClaimedPlan: the object, and the identities that its plan wants.
	ClaimedPlan
)

// ReadResult is the result of reading the object in this call of Observe.
type ReadResult uint8

const (
	// NotRead: it was not read.
	NotRead ReadResult = iota
	// ReadUnchanged: it is as it was.
	ReadUnchanged
	// ReadChanged: it has changed, or is gone.
	ReadChanged
)

// ObserveInput is the input of the decisions of Observe.
type ObserveInput struct {
	// Deleted is set when the custom resource is being deleted, and Desired when it has a
	// configuration to compare the object with.
	Deleted, Desired bool
	// Named is set when the resource names an object to import or to look up.
	Named bool
	// RetryAsked, Asked and InterruptAsked are set when an annotation has a request that was
	// not carried out.
	RetryAsked, Asked, InterruptAsked bool

	// Loaded is set when the record in memory can be used with the schema at hand. OtherVersion is
	// set when its values are those of another version of the schema.
	Loaded, OtherVersion bool
	View                 View
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
	// Releasing is set when the other one may not have released it yet.
	TakeOver, Releasing bool

	// Account is what is known of the account of the object. MayDestroy is set if the policies
	// allow to destroy it.
	Account    Account
	MayDestroy bool

	Claims Claims
	// Contested is set when another resource owns an object, and Disowned when that one has all
	// that this resource may have.
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
	Read                                 ReadResult
}

// ObserveRules decide what Observe does next.
var ObserveRules = Rules[ObserveInput, Deed]{
	interruptRunning,
	otherVersionRuns,
	operationRuns,
	recordUnknown,
	handingOver,
	releasing,
	elsewhereAndKept,
	accountOther,
	recordUnclaimed,
	resourceMoving,
	objectMoved,
	nothingOwnToDelete,
	ownedByAnother,
	proofNeedsProvider,
	proofAwaitsOther,
	accountOpen,
	operationJustEnded,
	interruptAsked,
	retryAsked,
	nothingToDelete,
	markPossible,
	listable,
	listedUnchanged,
	providerMissing,
	operationForeign,
	operationInterrupted,
	requestOpen,
	takeOverAsked,
	importOpen,
	objectUnknown,
	onlyDeposedLeft,
	objectUnread,
	nothingChanged,
	readUnclaimed,
	planMissing,
	planUnclaimed,
	otherwise,
}

// Observe returns what Observe does next.
func Observe(in ObserveInput) Deed {
	deed, _ := ObserveRules.Decide(in)
	return deed
}

// running reports whether an operation runs.
func (in ObserveInput) running() bool { return in.View == Running }

// elsewhere reports whether the object is in another account.
func (in ObserveInput) elsewhere() bool { return in.Account == AccountIsOther && !in.Moving }

// unproven reports whether it is open which account the object is in.
func (in ObserveInput) unproven() bool { return in.Account == AccountIsOpen }

// nothingThere reports whether no object is known, and none was looked up or read in this call.
func (in ObserveInput) nothingThere() bool {
	return !in.Exists && !in.Deposed && !in.Sought && in.Read == NotRead
}

// foreign reports whether another process may still conclude the operation.
func (in ObserveInput) foreign() bool { return in.Foreign && !in.Recovered }

// interruptRunning: a running operation is interrupted at once.
func interruptRunning(in ObserveInput) (Deed, bool) {
	return Interrupt, in.InterruptAsked && in.running()
}

// otherVersionRuns: what an operation of another version of the provider works on has the values of
// that version.
func otherVersionRuns(in ObserveInput) (Deed, bool) {
	return RefuseOtherVersion, in.running() && in.OtherVersion
}

// operationRuns: while an operation runs, answers come from memory.
func operationRuns(in ObserveInput) (Deed, bool) { return Answer, in.running() }

// recordUnknown: decisions need the record.
func recordUnknown(in ObserveInput) (Deed, bool) { return Load, !in.Loaded }

// recordUnclaimed: the stored objects are claimed before the provider is called.
func recordUnclaimed(in ObserveInput) (Deed, bool) { return Claim, in.Claims < ClaimedRecord }

// resourceMoving: the other cluster may act on the object already.
func resourceMoving(in ObserveInput) (Deed, bool) { return RefuseMoving, in.Moving }

// handingOver: whether the object was moved is determined before anything else.
func handingOver(in ObserveInput) (Deed, bool) { return HandOver, in.HandingOver }

// releasing: nothing is done to an object before the resource that had it has released it.
func releasing(in ObserveInput) (Deed, bool) { return Release, in.Releasing }

// elsewhereAndKept: an object that is to stay is left without a look at it.
func elsewhereAndKept(in ObserveInput) (Deed, bool) {
	return AnswerNothing, in.elsewhere() && in.Deleted && !in.MayDestroy && !in.Interrupted
}

// accountOther: nothing is asked of another account than the object's.
func accountOther(in ObserveInput) (Deed, bool) {
	return RefuseAccount, in.elsewhere()
}

// accountOpen: the object is looked at before anything else is done by a configuration that may be
// for another account.
func accountOpen(in ObserveInput) (Deed, bool) { return Prove, in.unproven() }

// proofNeedsProvider: that look needs the provider.
func proofNeedsProvider(in ObserveInput) (Deed, bool) { return Acquire, in.unproven() && !in.Acquired }

// proofAwaitsOther: so does the end of another process's operation.
func proofAwaitsOther(in ObserveInput) (Deed, bool) {
	return RefuseForeign, in.unproven() && in.foreign()
}

// objectMoved: a resource whose object was moved makes no other one.
func objectMoved(in ObserveInput) (Deed, bool) {
	return RefuseMoved, in.Moved && !in.Deleted && !in.Exists
}

// takeOverAsked: an object is taken over by a resource that has none, and had none.
func takeOverAsked(in ObserveInput) (Deed, bool) {
	return TakeOver, in.TakeOver && in.nothingThere() && !in.Interrupted && !in.Deleted
}

// nothingOwnToDelete: the object of a resource that is being deleted stays with its owner.
func nothingOwnToDelete(in ObserveInput) (Deed, bool) {
	return AnswerNothing, in.Contested && in.Disowned && in.Deleted && !in.Deposed
}

// ownedByAnother: an object has one owner.
func ownedByAnother(in ObserveInput) (Deed, bool) { return RefuseConflict, in.Contested }

// operationJustEnded: the answer to an apply was checked against the plan and is the new state. As
// in Terraform, it is not read right away.
func operationJustEnded(in ObserveInput) (Deed, bool) {
	return AnswerApplied, in.View == Applied && in.Fits && in.Desired && !in.Suspected
}

// interruptAsked: where nothing runs, an interrupt does nothing, now or later.
func interruptAsked(in ObserveInput) (Deed, bool) { return IgnoreInterrupt, in.InterruptAsked }

// retryAsked: a retry only changes memory, so it works even if everything else fails.
func retryAsked(in ObserveInput) (Deed, bool) { return Retry, in.RetryAsked }

// markPossible: what an earlier process has planned need not be planned again at once.
func markPossible(in ObserveInput) (Deed, bool) { return Resume, in.Resumable && in.Desired }

// nothingToDelete: if the record has no object, the answer needs no provider.
func nothingToDelete(in ObserveInput) (Deed, bool) {
	return AnswerNothing, !in.Acquired && !in.Desired && !in.Exists && !in.Deposed && !in.Interrupted && (in.Stored || !in.Named)
}

// listable: a list may take the place of a read whose result would be that nothing has changed.
func listable(in ObserveInput) (Deed, bool) {
	return Confirm, in.Confirmable && in.Loaded && in.Exists && in.View == Planned && in.Fits && !in.Unplanned && !in.Acquired &&
		!in.Deleted && !in.Deposed && !in.Interrupted && !in.Asked
}

// listedUnchanged: the same object and configuration have the same plan.
func listedUnchanged(in ObserveInput) (Deed, bool) { return Answer, in.Confirmed }

// providerMissing: everything from here on needs the provider.
func providerMissing(in ObserveInput) (Deed, bool) { return Acquire, !in.Acquired }

// operationForeign: the process that began an operation may still conclude it.
func operationForeign(in ObserveInput) (Deed, bool) { return RefuseForeign, in.foreign() }

// operationInterrupted: the outcome of an interrupted operation is determined before anything else.
func operationInterrupted(in ObserveInput) (Deed, bool) {
	return Recover, in.Interrupted && !in.Recovered
}

// requestOpen: tainting precedes the read, so that the plan accounts for it.
func requestOpen(in ObserveInput) (Deed, bool) { return CarryOut, in.Asked }

// importOpen: an import may be requested after the record was stored without an object.
func importOpen(in ObserveInput) (Deed, bool) {
	return Import, in.Stored && in.nothingThere()
}

// objectUnknown: the resource may name an object of which nothing is stored.
func objectUnknown(in ObserveInput) (Deed, bool) {
	return Find, !in.Stored && in.nothingThere()
}

// onlyDeposedLeft: without a current object, a deposed one takes its place, unless a create that
// may replace it is unresolved.
func onlyDeposedLeft(in ObserveInput) (Deed, bool) {
	return FallBack, !in.Exists && in.Deposed && !in.Interrupted && in.Read == NotRead
}

// objectUnread: a plan needs the current state of the object.
func objectUnread(in ObserveInput) (Deed, bool) { return Read, in.Exists && in.Read == NotRead }

// nothingChanged: the same object and configuration have the same plan. The first read after an
// operation is planned, as by Terraform's next run: some providers plan a change of, or an error
// in, what they have applied.
func nothingChanged(in ObserveInput) (Deed, bool) {
	return Answer, in.Read == ReadUnchanged && in.Fits && !in.Planned && !in.Unplanned
}

// readUnclaimed: reading may show another identity, which is claimed before the plan.
func readUnclaimed(in ObserveInput) (Deed, bool) { return Claim, in.Exists && in.Claims < ClaimedRead }

// planMissing: the object is compared with its configuration.
func planMissing(in ObserveInput) (Deed, bool) { return Plan, !in.Planned }

// planUnclaimed: the identities that a plan wants are claimed before the plan is shown.
func planUnclaimed(in ObserveInput) (Deed, bool) { return Claim, in.Claims < ClaimedPlan }

// otherwise the view is the answer.
func otherwise(ObserveInput) (Deed, bool) { return Answer, true }

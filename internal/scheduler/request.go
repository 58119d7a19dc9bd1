package scheduler

import (
	"context"
	"time"

	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/policy"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/tracing"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// Acquire returns a provider for one call or operation. Callers must call release afterwards.
// Background operations call it too, so it must stay usable after the request was answered.
type Acquire func(ctx context.Context) (ex terraform.Executor, release func(), diags diagnostic.Diagnostics)

// Request is a custom resource as the scheduler needs it.
type Request struct {
	Key        store.Key
	UID        types.UID
	Generation int64
	Resource   terraform.ResourceType
	Acquire    Acquire
	// Paused reports whether all operations of the provider configuration fail because of it, and
	// are delayed alike. It may be nil.
	Paused func() bool
	// Created is the creation time of the custom resource. If two claim the same remote object, the
	// older one owns it.
	Created time.Time
	// ProviderConfiguration is the name of the provider configuration. Operations are bounded per
	// configuration.
	ProviderConfiguration string
	// Configurations are the objects in the cluster that the provider configuration is made of. An
	// approval is for them.
	Configurations []policy.Configuration
	// Account is what the provider configuration has in common with others. Identities are unique
	// within an account.
	Account ownership.Account

	// StoredAccount is what is stored of the account of the objects that the provider configuration
	// gives access to, or of those of all of Accesses; empty if it is not known. ConfirmAccount is
	// the account that the user has confirmed to be the one that the resource is for.
	StoredAccount  instance.Account
	ConfirmAccount string

	// Consists returns the objects that an instance consists of, and those that an interrupted
	// operation may have created; nil if an instance is one object. Accesses are the provider
	// configurations of those objects, by terraform.Object.Configuration.
	Consists func(instance.Instance) (held, begun []terraform.Object)
	Accesses map[string]ownership.Access
	// sums makes the hashes of the configuration that are stored. It is set by entry.
	sums *sums
	// takes are the objects that the plan creates or imports among those that the instance consists
	// of.
	takes []terraform.Object

	// New is set when nothing was ever begun for the resource, so that nothing need be loaded from
	// the store. Deleted is set when it is being deleted. Both are set when a resource is deleted
	// that nothing was begun for.
	New     bool
	Deleted bool
	// Policies limit the operations on the object.
	Policies desired.Policies

	// Poll is the interval between looks at an unchanged object.
	Poll time.Duration
	// CreateAttempts is the number of creates of the same configuration that may fail after they
	// have made an object. Then the last object stays until the configuration changes or a retry is
	// asked for. 0 is no limit.
	CreateAttempts int64
	// CreationGracePeriod is that of the resource; nil for the one of the Options.
	CreationGracePeriod *time.Duration
	// WithoutRefresh is set when a deletion destroys the object without reading it first.
	WithoutRefresh bool

	// Config is the desired object; nil when it is only observed or deleted. Its Value may be left
	// out, if Whole returns the configuration with it: most looks at an object do not need it. Use
	// Configuration.
	Config *terraform.Config
	Whole  func() *terraform.Config
	// ConfigHash changes whenever Config does.
	ConfigHash string

	// Version is the resource version of the custom resource, and Release identifies the provider's
	// release with its configuration in Landbridge. They are part of the resource's Mark; there is
	// none if one of them is empty.
	Version, Release string
	// Resting is set if Observe may answer with Rested.
	Resting bool
	// AtRest is set if the resource was Rested with the last request, and nothing that a request is
	// made of has changed since but for the provider configuration. Such a request has only the
	// fields Key, UID, Resource, Handles, and those of the provider configuration. Observe answers
	// it with Rested or ErrNotAtRest.
	AtRest bool
	// Marked reports whether an earlier process has left a mark. It may be nil: there are none.
	Marked func(Mark) bool

	// Import is the request of spec.import. While the resource is being deleted, it only serves to
	// recover an interrupted create.
	Import desired.Import
	// MoveFrom is the resource whose object this one takes over; nil if it takes none over.
	MoveFrom *MoveFrom
	// Known is the object that the resource's annotations name; nil when they name none.
	Known *desired.KnownObject
	// Handles are the handles of objects that the configuration of the kind adds. It may be nil.
	Handles *Handles
	// NamedImport is the id by which the object can be imported as soon as it exists.
	NamedImport translate.NamedImport
	// CreateToken is the argument that makes creates idempotent; nil if there is none.
	CreateToken *desired.CreateToken
	// ListArguments returns the arguments with which the objects are listed among which a planned
	// one is, or the one that is not known. If it is set, the object of an interrupted create may
	// be found by listing. It may be nil.
	ListArguments func(planned cty.Value) (arguments map[string]cty.Value, missing string)
	// ListRefresh is how an unchanged object is looked at by listing; nil if it is read.
	ListRefresh *ListRefresh
	// LookRequested changes whenever a look at the resource is requested, which then reads the
	// object.
	LookRequested string
	// SpellImport returns the spec.import that would import an object. It may be nil.
	SpellImport func(terraform.ImportTarget) string
	// ConfirmCreate is the id of an operation of unknown outcome. The user confirms that a new
	// create is safe.
	ConfirmCreate string
	// Settled reports whether the objects of all resources of the type are claimed. Until then,
	// nothing is imported, and nothing is told of an object that is only observed. nil means they
	// are.
	Settled func() bool
	// Here returns an error unless the resource, as the API server has it now, is one to work on
	// here. It is nil where the work is not divided among shards.
	Here func(ctx context.Context) error
	// Decide returns what policies decide about a plan. It may be nil, and there are none.
	Decide func(context.Context, *terraform.Plan) (policy.Verdict, error)
	// Brake is what the brake has to know of the resource; nil if nothing limits how much is
	// destroyed.
	Brake *Brake
	// Stopped returns why no operation may begin now; empty if one may. It may be nil: one always
	// may.
	Stopped func() string
	// Dependents returns an error unless the resources that refer to the object are ready for a
	// step of its replacement. The observation is the one that the step follows from. It may be
	// nil: there are none.
	Dependents func(context.Context, ReplacementStep, *Observation) error
	// Cascade is what a replacement of the object destroys with it.
	Cascade Cascade
	// Consented is set when Delete is part of the replacement of another object, whose plan was
	// approved if it had to be.
	Consented bool
	// Asked are the tokens of annotations that request something.
	Asked store.Tokens
	// Told is what the status tells as handled: the taint token, and the approval that was used
	// last. A record from a backup may not know of them.
	Told store.Tokens
	// Timeouts bound the operations. DefaultTimeouts apply where neither Timeouts nor the arguments
	// of the object specify any.
	Timeouts, DefaultTimeouts desired.Timeouts
	// origin is the span of the reconcile that requests an operation, and then that of the
	// operation.
	origin tracing.Origin
	// Tell is called with each event of the resource. It may be nil, and must neither block nor
	// call the scheduler.
	Tell func(Event)
}

// said returns what the request contains and an error may quote.
func (r *Request) said() (said provider.Said) {
	if c := r.Configuration(); c != nil {
		said.Add(c.Value)
	}
	if target := r.Import.Target; target != nil {
		said.Add(target.Identity)
		said.AddText(target.ID)
	}
	return said
}

// Observation is the result of Observe.
type Observation struct {
	Instance instance.Instance
	// Plan is the plan for Apply; nil while an operation runs, and without a Config.
	Plan *terraform.Plan
	// PlanHash identifies what is to be done, and PlanAction is what it is: the plan, or that the
	// object of a deleted resource is destroyed. Empty if nothing is to be done.
	PlanHash   string
	PlanAction terraform.Action
	// Cascade is that of the request, if the plan is a replacement.
	Cascade Cascade
	// Resumed is set when an earlier process has made the plan. The next observation is another
	// one, with a plan of this process.
	Resumed bool
	// Unrivalled is set when the plan creates an object that no other resource can have: nothing
	// identifies it beforehand.
	Unrivalled bool
	// Imported is set when this Observe imported the object: the plan that follows from the import
	// was not reported yet.
	Imported bool
	// Reapply is the token of the request to set arguments again that the plan was made for; empty
	// if there was none.
	Reapply string
	// Stalled is set when a tainted object is not replaced any more, because creates of the
	// configuration have failed too often.
	Stalled bool
	// Inconsistent is set when a tainted object is not replaced, because its create has left
	// another one than was planned, and would again.
	Inconsistent bool
	// Held is set when nothing begins, because an operation was interrupted and the resource has
	// not changed since.
	Held bool
	// Contradiction is how the object contradicts the configuration of the kind, which makes
	// another identity or import id of it; empty if it does not.
	Contradiction string
	// Missing is set when the object is not found, and it is not known whether it exists.
	Missing bool
	// Drift is what was changed outside Landbridge and the configuration wants to be otherwise; nil
	// if there is none.
	Drift *instance.Drift
	// Unsettled is set when the configuration wants the object to be changed again and again.
	Unsettled *Unsettled
	// Flap is set when something else changes the object back again and again.
	Flap *Flap
	// Operation is the running operation, or the one whose outcome is unknown.
	Operation *instance.Operation
	// Interrupted is set when the running operation was interrupted and has not ended yet.
	Interrupted bool
	// Progress is the provider's latest message about the running operation. Secrets of the
	// resource are not redacted in it.
	Progress string
	// Unrecorded is set when the running operation has ended, but its outcome cannot be stored.
	Unrecorded *Error
	// Last is the outcome of the last operation of this process; nil when there was none.
	Last *Outcome
	// Warnings are the provider's.
	Warnings diagnostic.Diagnostics
}

// Exists reports whether there is a remote object.
func (o *Observation) Exists() bool { return o.Instance.Exists() }

// UpToDate reports whether the object matches its configuration, and no deposed object is left.
func (o *Observation) UpToDate() bool {
	return o.Plan != nil && o.Plan.Action == terraform.NoOp && len(o.Instance.Deposed) == 0
}

// Outcome is the result of an operation.
type Outcome struct {
	Kind instance.OperationKind
	// Generation is that of the spec that it was begun for.
	Generation  int64
	At          time.Time
	Diagnostics diagnostic.Diagnostics
	// RetryAt is the time at which a failed operation may be tried again.
	RetryAt time.Time
}

// Failed reports whether the operation failed.
func (o *Outcome) Failed() bool { return o != nil && o.Diagnostics.HasErrors() }

// Reason classifies errors of the scheduler.
type Reason string

// Reasons of errors.
const (
	// ReasonProviderUnavailable: the provider cannot be acquired.
	ReasonProviderUnavailable Reason = "ProviderUnavailable"
	// ReasonNotVisibleYet: the object was made a short time ago, or its create was interrupted, and
	// its API does not show it.
	ReasonNotVisibleYet Reason = "NotVisibleYet"
	// ReasonReadFailed: the object could not be read.
	ReasonReadFailed Reason = "ReadFailed"
	// ReasonInvalidConfiguration: the provider refuses the configuration, or cannot plan it.
	ReasonInvalidConfiguration Reason = "InvalidConfiguration"
	// ReasonDeferred: the provider does not act on the resource yet.
	ReasonDeferred Reason = "Deferred"
	// ReasonImportFailed: the object to import was not found, or cannot be imported.
	ReasonImportFailed Reason = "ImportFailed"
	// ReasonMoveFailed: the object of another resource cannot be taken over.
	ReasonMoveFailed Reason = "MoveFailed"
	// ReasonMoved: another resource has taken the object over.
	ReasonMoved Reason = "Moved"
	// ReasonAccountChanged: the object is not known to be in the account that the provider
	// configuration gives access to.
	ReasonAccountChanged Reason = "AccountChanged"
	// ReasonCreateOutcomeUnknown: a create was interrupted, and it is unknown whether it made an
	// object.
	ReasonCreateOutcomeUnknown Reason = "CreateOutcomeUnknown"
	// ReasonOperationFailed: the last operation failed, and it is too early to try again.
	ReasonOperationFailed Reason = "OperationFailed"
	// ReasonReplaceRefused: the change needs a replacement, which is not allowed.
	ReasonReplaceRefused Reason = "ReplaceRefused"
	// ReasonDeletionProtected: the object would be destroyed, and is protected from that.
	ReasonDeletionProtected Reason = "DeletionProtected"
	// ReasonCreateAttemptsExhausted: a tainted object is not replaced any more, because creates of
	// the same configuration have failed too often.
	ReasonCreateAttemptsExhausted Reason = "CreateAttemptsExhausted"
	// ReasonNeverSettles: the object is not replaced, because its successor would have to be
	// replaced likewise.
	ReasonNeverSettles Reason = "NeverSettles"
	// ReasonInconsistentResult: a tainted object is not replaced, because its successor would be
	// the same.
	ReasonInconsistentResult Reason = "InconsistentResult"
	// ReasonInterrupted: an operation was interrupted by request, and the resource has not changed
	// since.
	ReasonInterrupted Reason = "Interrupted"
	// ReasonAwaitingApproval: the plan waits for approval. ReasonPlanChanged: another plan was
	// approved.
	ReasonAwaitingApproval Reason = "AwaitingApproval"
	ReasonPlanChanged      Reason = "PlanChanged"
	// ReasonDrifted: the object was destroyed outside Landbridge, and the policy is that it stays
	// so.
	ReasonDrifted Reason = "Drifted"
	// ReasonAwaitingDependents: resources that refer to the object are not ready for its
	// replacement.
	ReasonAwaitingDependents Reason = "AwaitingDependents"
	// ReasonDenied: a policy denies the plan.
	ReasonDenied Reason = "DeniedByPolicy"
	// ReasonDestroyBrake: too much was destroyed within a minute, and the rest waits until it is
	// released. ReasonDestroyDelayed: the process has just begun, and does not know how much was
	// destroyed before.
	ReasonDestroyBrake   Reason = "DestroyBrake"
	ReasonDestroyDelayed Reason = "DestroyDelayed"
	// ReasonOperationsPaused: an administrator has paused operations.
	ReasonOperationsPaused Reason = "OperationsPaused"
	// ReasonIdentityConflict: the remote object belongs to another custom resource.
	ReasonIdentityConflict Reason = "IdentityConflict"
	// ReasonAlreadyExists: a remote object with the identity of the one to create exists already,
	// and no import of it is asked for.
	ReasonAlreadyExists Reason = "AlreadyExists"
	// ReasonIdentityUpgradeFailed: the stored identity has another schema version, and cannot be
	// upgraded.
	ReasonIdentityUpgradeFailed Reason = "IdentityUpgradeFailed"
	// ReasonUnexpectedIdentityChange: the provider reads another identity than the stored one, and
	// identities of the type do not change.
	ReasonUnexpectedIdentityChange Reason = "UnexpectedIdentityChange"
	// ReasonStore: the stored instance cannot be loaded, stored, or trusted.
	ReasonStore Reason = "StoreFailed"
	// ReasonStateTooLarge: the instance is too large to be stored.
	ReasonStateTooLarge Reason = "StateTooLarge"
)

// Error is the reason why a request cannot be carried out. Its diagnostics are complete.
type Error struct {
	Reason      Reason
	Diagnostics diagnostic.Diagnostics
	// RetryAt is the time at which to try again; zero if it is unknown.
	RetryAt time.Time
	// LookAt is the time at which to look again, if no operation has failed; zero if it is unknown.
	// Repeated is set when it is not the first look that finds the same.
	LookAt   time.Time
	Repeated bool
	// Err is set when the cause is not the provider's.
	Err error
}

// Error implements error.
func (e *Error) Error() string {
	if e.Err != nil {
		return e.Err.Error()
	}
	return e.Diagnostics.Errors().String()
}

// Unwrap returns the cause, if it is not the provider's.
func (e *Error) Unwrap() error { return e.Err }

func failed(reason Reason, diags diagnostic.Diagnostics) *Error {
	diags = diags.Errors()
	switch {
	case terraform.DeferralOf(diags) != terraform.NotDeferred:
		reason = ReasonDeferred
	case terraform.UnexpectedIdentityChange(diags):
		reason = ReasonUnexpectedIdentityChange
		if terraform.IdentityIncomplete(diags) {
			diags = append(diags, diagnostic.Errorf("Identity kept",
				"The stored identity stays as it is. Use the provider version that wrote it; or delete this resource with managementPolicies [\"Observe\"], which leaves the object, and import it anew.")...)
			break
		}
		diags = append(diags, diagnostic.Errorf("Identity kept",
			"By its provider, an object of this type never changes its identity, so the stored one is kept. Undo what changed it; or delete this resource with managementPolicies [\"Observe\"], which leaves the object, and import it anew.")...)
	case reason == ReasonIdentityUpgradeFailed:
		diags = append(diags, diagnostic.Errorf("Identity kept",
			"The stored identity stays as it is. Use the provider version that wrote it, or one that can upgrade it.")...)
	}
	return &Error{Reason: reason, Diagnostics: diags}
}

func known(v cty.Value) bool { return v != cty.NilVal && !v.IsNull() && v.IsWhollyKnown() }

// Configuration returns Config, with its Value; nil if there is none.
func (r *Request) Configuration() *terraform.Config {
	if r.Config != nil && r.Config.Value == cty.NilVal && r.Whole != nil {
		r.Config = r.Whole()
	}
	return r.Config
}

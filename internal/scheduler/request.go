package scheduler

import (
	"context"
	"time"

	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Acquire gets hold of a provider for one call or operation. release must be called when it
// is over. Background operations acquire for themselves, so it must stay usable after the
// request was answered.
type Acquire func(ctx context.Context) (ex terraform.Executor, release func(), diags diagnostic.Diagnostics)

// Request is a custom resource, as far as the scheduler is concerned.
type Request struct {
	Key        store.Key
	UID        types.UID
	Generation int64
	Resource   terraform.ResourceType
	Acquire    Acquire
	// Created is the creation time of the custom resource: of two that are about the same remote
	// object, the older owns it.
	Created time.Time
	// ProviderConfiguration names the provider configuration: operations are bounded per
	// configuration, and identities single out remote objects within one.
	ProviderConfiguration string

	// New says that nothing was ever begun for the resource, so that nothing need be looked for
	// in the store.
	New bool

	// Deleted says that the custom resource is being deleted.
	Deleted bool
	// Policies are what may be done to the object.
	Policies desired.Policies

	// Config is what the object is to be; nil when it is only to be observed or deleted.
	Config *terraform.Config
	// ConfigHash changes whenever Config does.
	ConfigHash string

	// Import is what spec.import asks for.
	Import desired.Import
	// Known is the object that the resource's annotations name; nil when they name none.
	Known *desired.KnownObject
	// SpellImport is the spec.import that would import an object; nil spells none.
	SpellImport func(terraform.ImportTarget) string
	// ConfirmCreate is the id of an operation of unknown outcome after which the user says
	// that a new create is safe.
	ConfirmCreate string
	// Asked are the tokens of what is asked for by annotation.
	Asked store.Tokens
	// Timeouts bound the operations. DefaultTimeouts do so where neither they nor the object's own
	// arguments say anything.
	Timeouts, DefaultTimeouts desired.Timeouts
	// Tell is told what happens to the resource; nil is nobody. It must not block, nor call the
	// scheduler.
	Tell func(Event)
}

// Observation is what is known of the remote object.
type Observation struct {
	Instance instance.Instance
	// Plan is what Apply would do; nil while an operation runs, and without a Config.
	Plan *terraform.Plan
	// Imported says that the object was taken over by the look that this was made by: the plan is
	// what the import leads to, and nobody has seen it yet.
	Imported bool
	// Operation is the one that runs now, or whose outcome is unknown.
	Operation *instance.Operation
	// Progress is what the provider said last of the Operation that runs. Secrets of the resource
	// are still in it.
	Progress string
	// Last is how the last operation of this process ended; nil when there was none.
	Last *Outcome
	// Warnings are what the provider had to say without refusing.
	Warnings diagnostic.Diagnostics
}

// Exists says whether there is a remote object.
func (o *Observation) Exists() bool { return o.Instance.Exists() }

// UpToDate says whether the object is as its configuration wants it, and alone.
func (o *Observation) UpToDate() bool {
	return o.Plan != nil && o.Plan.Action == terraform.NoOp && len(o.Instance.Deposed) == 0
}

// Outcome is how an operation ended.
type Outcome struct {
	Kind        instance.OperationKind
	At          time.Time
	Diagnostics diagnostic.Diagnostics
	// RetryAt is when a failed operation may be tried again.
	RetryAt time.Time
}

// Failed says whether the operation failed.
func (o *Outcome) Failed() bool { return o != nil && o.Diagnostics.HasErrors() }

// Reason classifies errors of the scheduler.
type Reason string

// Reasons of errors.
const (
	// ReasonProviderUnavailable: no provider could be had.
	ReasonProviderUnavailable Reason = "ProviderUnavailable"
	// ReasonReadFailed: the object could not be read.
	ReasonReadFailed Reason = "ReadFailed"
	// ReasonInvalidConfiguration: the provider refuses the configuration, or cannot plan it.
	ReasonInvalidConfiguration Reason = "InvalidConfiguration"
	// ReasonImportFailed: the object to import was not found, or cannot be imported.
	ReasonImportFailed Reason = "ImportFailed"
	// ReasonCreateOutcomeUnknown: a create was interrupted, and nothing tells whether it made an object.
	ReasonCreateOutcomeUnknown Reason = "CreateOutcomeUnknown"
	// ReasonOperationFailed: the last operation failed, and it is too early to try again.
	ReasonOperationFailed Reason = "OperationFailed"
	// ReasonReplaceRefused: the change needs a replacement, which is not allowed.
	ReasonReplaceRefused Reason = "ReplaceRefused"
	// ReasonIdentityConflict: the remote object belongs to another custom resource.
	ReasonIdentityConflict Reason = "IdentityConflict"
	// ReasonAlreadyExists: there is a remote object with the identity of the one to create, which
	// nobody asked to be imported.
	ReasonAlreadyExists Reason = "AlreadyExists"
	// ReasonIdentityUpgradeFailed: the stored identity is of another version of its schema, and
	// cannot be upgraded.
	ReasonIdentityUpgradeFailed Reason = "IdentityUpgradeFailed"
	// ReasonUnexpectedIdentityChange: the provider sees another identity than the stored one, and
	// says that identities of the type do not change.
	ReasonUnexpectedIdentityChange Reason = "UnexpectedIdentityChange"
	// ReasonStore: what is remembered could not be loaded or stored.
	ReasonStore Reason = "StoreFailed"
)

// Error is why a request could not be carried out. The diagnostics are kept whole.
type Error struct {
	Reason      Reason
	Diagnostics diagnostic.Diagnostics
	// RetryAt is when it makes sense to ask again; zero when that is not known.
	RetryAt time.Time
	// Err is set when the cause is not a provider's.
	Err error
}

// Error implements error.
func (e *Error) Error() string {
	if e.Err != nil {
		return e.Err.Error()
	}
	return e.Diagnostics.Errors().String()
}

// Unwrap gives the cause, if it is not a provider's.
func (e *Error) Unwrap() error { return e.Err }

func failed(reason Reason, diags diagnostic.Diagnostics) *Error {
	diags = diags.Errors()
	switch {
	case terraform.UnexpectedIdentityChange(diags):
		reason = ReasonUnexpectedIdentityChange
		diags = append(diags, diagnostic.Errorf("Identity kept",
			"By its provider, an object of this type never changes its identity, so the stored one is kept. Undo what changed it; or delete this resource with managementPolicies [\"Observe\"], which leaves the object, and import it anew.")...)
	case reason == ReasonIdentityUpgradeFailed:
		diags = append(diags, diagnostic.Errorf("Identity kept",
			"The stored identity stays as it is. Use the provider version that wrote it, or one that can upgrade it.")...)
	}
	return &Error{Reason: reason, Diagnostics: diags}
}

func known(v cty.Value) bool { return v != cty.NilVal && !v.IsNull() && v.IsWhollyKnown() }

package decision

import (
	"time"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Reason classifies errors.
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
	// ReasonAwaitingAction: an action that precedes the operation has not ended.
	// ReasonActionFailed: it has failed, or its outcome is unknown.
	ReasonAwaitingAction Reason = "AwaitingAction"
	ReasonActionFailed   Reason = "ActionFailed"
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

// Failed returns the error for a reason with its diagnostics. Those of some kinds are a reason of
// their own.
func Failed(reason Reason, diags diagnostic.Diagnostics) *Error {
	diags = diags.Errors()
	switch {
	case terraform.DeferralOf(diags) != terraform.NotDeferred:
		reason = ReasonDeferred
	case terraform.UnexpectedIdentityChange(diags):
		reason = ReasonUnexpectedIdentityChange
		if terraform.IdentityIncomplete(diags) {
			diags = append(diags, diagnostic.Errorf("Identity kept",
				"The stored identity stays as it is. Use the provider version that wrote it; or delete this "+
					"resource with managementPolicies [\"Observe\"], which leaves the object, and import it anew.")...)
			break
		}
		diags = append(diags, diagnostic.Errorf("Identity kept",
			"By its provider, an object of this type never changes its identity, so the stored one is kept. Undo "+
				"what changed it; or delete this resource with managementPolicies [\"Observe\"], which leaves the "+
				"object, and import it anew.")...)
	case reason == ReasonIdentityUpgradeFailed:
		diags = append(diags, diagnostic.Errorf("Identity kept",
			"The stored identity stays as it is. Use the provider version that wrote it, or one that can upgrade it.")...)
	}
	return &Error{Reason: reason, Diagnostics: diags}
}

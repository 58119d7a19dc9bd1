package managed

import (
	"errors"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
)

// standing are the reasons that do not go away by trying again at once: the scheduler wakes the
// resource when a conflict of identities ends, and a change of the resource ends a stall.
var standing = map[scheduler.Reason]bool{
	decision.ReasonIdentityConflict: true, decision.ReasonCreateAttemptsExhausted: true, decision.ReasonInterrupted: true,
	decision.ReasonInconsistentResult: true, decision.ReasonNeverSettles: true,
	decision.ReasonStateTooLarge: true, decision.ReasonAwaitingApproval: true, decision.ReasonPlanChanged: true,
	decision.ReasonDrifted: true,
	decision.ReasonDenied:  true, decision.ReasonDeferred: true, decision.ReasonMoved: true,
	decision.ReasonAwaitingDependents: true, decision.ReasonAccountChanged: true, decision.ReasonDeletionProtected: true,
	decision.ReasonOperationsPaused: true, decision.ReasonDestroyBrake: true,
	decision.ReasonAwaitingAction: true, decision.ReasonActionFailed: true,
}

var reasons = map[scheduler.Reason]xpv2.ConditionReason{
	decision.ReasonProviderUnavailable:  v1alpha1.ReasonProviderUnavailable,
	decision.ReasonInvalidConfiguration: v1alpha1.ReasonInvalidConfiguration,
	decision.ReasonImportFailed:         v1alpha1.ReasonImportFailed,
	decision.ReasonNotVisibleYet:        v1alpha1.ReasonNotVisibleYet,
	decision.ReasonCreateOutcomeUnknown: v1alpha1.ReasonCreateOutcomeUnknown,
	decision.ReasonReplaceRefused:       v1alpha1.ReasonReplaceRefused,
	decision.ReasonDeletionProtected:    v1alpha1.ReasonDeletionProtected,

	decision.ReasonCreateAttemptsExhausted:  v1alpha1.ReasonCreateAttemptsExhausted,
	decision.ReasonInterrupted:              v1alpha1.ReasonInterrupted,
	decision.ReasonNeverSettles:             v1alpha1.ReasonNeverSettles,
	decision.ReasonInconsistentResult:       v1alpha1.ReasonInconsistentResult,
	decision.ReasonAwaitingApproval:         v1alpha1.ReasonAwaitingApproval,
	decision.ReasonPlanChanged:              v1alpha1.ReasonPlanChanged,
	decision.ReasonDrifted:                  v1alpha1.ReasonDriftReported,
	decision.ReasonDeferred:                 v1alpha1.ReasonDeferred,
	decision.ReasonAccountChanged:           v1alpha1.ReasonAccountChanged,
	decision.ReasonMoveFailed:               v1alpha1.ReasonMoveFailed,
	decision.ReasonMoved:                    v1alpha1.ReasonMoved,
	decision.ReasonDenied:                   v1alpha1.ReasonDeniedByPolicy,
	decision.ReasonDestroyBrake:             v1alpha1.ReasonDestroyBrake,
	decision.ReasonDestroyDelayed:           v1alpha1.ReasonDestroyDelayed,
	decision.ReasonOperationsPaused:         v1alpha1.ReasonOperationsPaused,
	decision.ReasonAwaitingDependents:       v1alpha1.ReasonAwaitingDependents,
	decision.ReasonAwaitingAction:           v1alpha1.ReasonAwaitingAction,
	decision.ReasonActionFailed:             v1alpha1.ReasonActionFailed,
	decision.ReasonStateTooLarge:            v1alpha1.ReasonStateTooLarge,
	decision.ReasonIdentityConflict:         v1alpha1.ReasonIdentityConflict,
	decision.ReasonAlreadyExists:            v1alpha1.ReasonAlreadyExists,
	decision.ReasonUnexpectedIdentityChange: v1alpha1.ReasonUnexpectedIdentityChange,
	decision.ReasonIdentityUpgradeFailed:    v1alpha1.ReasonIdentityUpgradeFailed,
}

// invisible reports whether an object was not visible more than once.
func invisible(err error) bool {
	var se *scheduler.Error
	return errors.As(err, &se) && se.Reason == decision.ReasonNotVisibleYet && se.Repeated
}

func reasonOf(err error) scheduler.Reason {
	var se *scheduler.Error
	if errors.As(err, &se) {
		return se.Reason
	}
	return ""
}

// asyncReasons are Upjet's reasons for failed operations.
var asyncReasons = map[instance.OperationKind]xpv2.ConditionReason{
	instance.Create: v1alpha1.ReasonAsyncCreateFailure,
	instance.Update: v1alpha1.ReasonAsyncUpdateFailure,
	instance.Delete: v1alpha1.ReasonAsyncDeleteFailure,
}

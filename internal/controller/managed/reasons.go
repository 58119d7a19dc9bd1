package managed

import (
	"errors"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
)

// standing are the reasons that do not go away by trying again at once: the scheduler wakes the
// resource when a conflict of identities ends, and a change of the resource ends a stall.
var standing = map[scheduler.Reason]bool{
	scheduler.ReasonIdentityConflict: true, scheduler.ReasonCreateAttemptsExhausted: true, scheduler.ReasonInterrupted: true,
	scheduler.ReasonInconsistentResult: true, scheduler.ReasonNeverSettles: true,
	scheduler.ReasonStateTooLarge: true, scheduler.ReasonAwaitingApproval: true, scheduler.ReasonPlanChanged: true,
	scheduler.ReasonDrifted: true,
	scheduler.ReasonDenied:  true, scheduler.ReasonDeferred: true, scheduler.ReasonMoved: true,
	scheduler.ReasonAwaitingDependents: true, scheduler.ReasonAccountChanged: true, scheduler.ReasonDeletionProtected: true,
	scheduler.ReasonOperationsPaused: true, scheduler.ReasonDestroyBrake: true,
}

var reasons = map[scheduler.Reason]xpv2.ConditionReason{
	scheduler.ReasonProviderUnavailable:  v1alpha1.ReasonProviderUnavailable,
	scheduler.ReasonInvalidConfiguration: v1alpha1.ReasonInvalidConfiguration,
	scheduler.ReasonImportFailed:         v1alpha1.ReasonImportFailed,
	scheduler.ReasonNotVisibleYet:        v1alpha1.ReasonNotVisibleYet,
	scheduler.ReasonCreateOutcomeUnknown: v1alpha1.ReasonCreateOutcomeUnknown,
	scheduler.ReasonReplaceRefused:       v1alpha1.ReasonReplaceRefused,
	scheduler.ReasonDeletionProtected:    v1alpha1.ReasonDeletionProtected,

	scheduler.ReasonCreateAttemptsExhausted:  v1alpha1.ReasonCreateAttemptsExhausted,
	scheduler.ReasonInterrupted:              v1alpha1.ReasonInterrupted,
	scheduler.ReasonNeverSettles:             v1alpha1.ReasonNeverSettles,
	scheduler.ReasonInconsistentResult:       v1alpha1.ReasonInconsistentResult,
	scheduler.ReasonAwaitingApproval:         v1alpha1.ReasonAwaitingApproval,
	scheduler.ReasonPlanChanged:              v1alpha1.ReasonPlanChanged,
	scheduler.ReasonDrifted:                  v1alpha1.ReasonDriftReported,
	scheduler.ReasonDeferred:                 v1alpha1.ReasonDeferred,
	scheduler.ReasonAccountChanged:           v1alpha1.ReasonAccountChanged,
	scheduler.ReasonMoveFailed:               v1alpha1.ReasonMoveFailed,
	scheduler.ReasonMoved:                    v1alpha1.ReasonMoved,
	scheduler.ReasonDenied:                   v1alpha1.ReasonDeniedByPolicy,
	scheduler.ReasonDestroyBrake:             v1alpha1.ReasonDestroyBrake,
	scheduler.ReasonDestroyDelayed:           v1alpha1.ReasonDestroyDelayed,
	scheduler.ReasonOperationsPaused:         v1alpha1.ReasonOperationsPaused,
	scheduler.ReasonAwaitingDependents:       v1alpha1.ReasonAwaitingDependents,
	scheduler.ReasonStateTooLarge:            v1alpha1.ReasonStateTooLarge,
	scheduler.ReasonIdentityConflict:         v1alpha1.ReasonIdentityConflict,
	scheduler.ReasonAlreadyExists:            v1alpha1.ReasonAlreadyExists,
	scheduler.ReasonUnexpectedIdentityChange: v1alpha1.ReasonUnexpectedIdentityChange,
	scheduler.ReasonIdentityUpgradeFailed:    v1alpha1.ReasonIdentityUpgradeFailed,
}

// invisible reports whether an object was not visible more than once.
func invisible(err error) bool {
	var se *scheduler.Error
	return errors.As(err, &se) && se.Reason == scheduler.ReasonNotVisibleYet && se.Repeated
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

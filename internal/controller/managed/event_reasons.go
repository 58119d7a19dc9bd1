package managed

import (
	"github.com/crossplane/crossplane-runtime/v2/pkg/event"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/instance"
)

// Reasons of Crossplane's managed.Reconciler.
const (
	reasonPaused         event.Reason = "ReconciliationPaused"
	reasonRequestHandled event.Reason = "ReconcileRequestHandled"
	reasonPending        event.Reason = "PendingExternalResource"

	reasonPolicyInvalid       event.Reason = "CannotUseInvalidManagementPolicy"
	reasonUnresolved          event.Reason = "CannotResolveResourceReferences"
	reasonCannotConnect       event.Reason = "CannotConnectToProvider"
	reasonCannotObserve       event.Reason = "CannotObserveExternalResource"
	reasonCannotPublish       event.Reason = "CannotPublishConnectionDetails"
	reasonCannotUpdateManaged event.Reason = "CannotUpdateManagedResource"
	reasonCannotCreate        event.Reason = "CannotCreateExternalResource"
	reasonCannotUpdate        event.Reason = "CannotUpdateExternalResource"
	reasonCannotDelete        event.Reason = "CannotDeleteExternalResource"
)

// Reasons of the scheduler's events, those of Crossplane where it has them. Crossplane emits them
// when an operation is requested, Landbridge when it has ended.
const (
	reasonCreated  event.Reason = "CreatedExternalResource"
	reasonUpdated  event.Reason = "UpdatedExternalResource"
	reasonDeleted  event.Reason = "DeletedExternalResource"
	reasonReplaced event.Reason = "ReplacedExternalResource"

	reasonImported  event.Reason = "ImportedExternalResource"
	reasonTakenOver event.Reason = "TookOverExternalResource"
	reasonRecovered event.Reason = "RecoveredExternalResource"
	reasonRead      event.Reason = "ReadExternalResource"
	reasonGone      event.Reason = "ExternalResourceGone"
	reasonLeft      event.Reason = "LeftExternalResource"
	reasonTainted   event.Reason = event.Reason(v1alpha1.ReasonTainted)
	reasonUntainted event.Reason = "Untainted"

	reasonNotReapplied event.Reason = "CannotReapplyExternalResource"

	reasonApproved        event.Reason = event.Reason(v1alpha1.ReasonApproved)
	reasonPolicyWarning   event.Reason = "PlanPolicyWarning"
	reasonIdentityChanged event.Reason = "IdentityChanged"
	reasonContradicted    event.Reason = event.Reason(v1alpha1.ReasonConfigurationContradicted)
)

var reasonsFailed = map[instance.OperationKind]event.Reason{
	instance.Create: reasonCannotCreate, instance.Update: reasonCannotUpdate, instance.Delete: reasonCannotDelete,
}

// Repeats reports whether events with the reason are of failures that each reconcile repeats: that
// no provider is available, and that the remote object cannot be observed.
func Repeats(reason string) bool {
	return reason == string(reasonCannotConnect) || reason == string(reasonCannotObserve)
}

// warning returns event.Warning with a sentence instead of an error.
func warning(r event.Reason, message string) event.Event {
	return event.Event{Type: event.TypeWarning, Reason: r, Message: message}
}

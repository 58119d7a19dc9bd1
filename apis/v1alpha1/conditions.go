package v1alpha1

import (
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// Conditions of a TerraformProvider.
const (
	// TypeInstalled is True if the provider's binary was found and its schema was read.
	TypeInstalled xpv2.ConditionType = "Installed"
	// TypeHealthy is True if the CRDs of all activated types are served and their controllers run.
	TypeHealthy = xpv2.TypeHealthy
)

// Reasons of a TerraformProvider's conditions.
const (
	ReasonInstalled      xpv2.ConditionReason = "Installed"
	ReasonBinaryNotFound xpv2.ConditionReason = "BinaryNotFound"
	// ReasonChecksumMismatch: the provider that was found is none of those that spec.checksums
	// permits. One that runs goes on.
	ReasonChecksumMismatch xpv2.ConditionReason = "ChecksumMismatch"
	// ReasonDownloading: the provider is being downloaded for the first time.
	ReasonDownloading xpv2.ConditionReason = "Downloading"
	// ReasonRegistryUnavailable and ReasonRegistryDenied: the provider's registry or mirror does
	// not answer, or does not follow its protocol; it requires credentials, or others.
	ReasonRegistryUnavailable xpv2.ConditionReason = "RegistryUnavailable"
	ReasonRegistryDenied      xpv2.ConditionReason = "RegistryDenied"
	// ReasonVerificationFailed: the provider's signature or checksum is wrong, or contradicts what
	// was recorded or is demanded. One that runs goes on.
	ReasonVerificationFailed xpv2.ConditionReason = "VerificationFailed"
	// ReasonInstallationMisconfigured: a file that the controller's flags name, or its cache,
	// cannot be used.
	ReasonInstallationMisconfigured xpv2.ConditionReason = "InstallationMisconfigured"
	ReasonProviderNotRunning        xpv2.ConditionReason = "ProviderNotRunning"
	ReasonInvalidSchema             xpv2.ConditionReason = "InvalidSchema"
	ReasonHealthy                   xpv2.ConditionReason = "Healthy"
	ReasonUnknownResourceType       xpv2.ConditionReason = "UnknownResourceType"
	ReasonCRDConflict               xpv2.ConditionReason = "CRDConflict"
	ReasonActivationFailed          xpv2.ConditionReason = "ActivationFailed"
	ReasonInstalling                xpv2.ConditionReason = "Installing"
	// ReasonChangesHeld: the kinds of the new version or configuration would lose values of
	// existing objects.
	ReasonChangesHeld xpv2.ConditionReason = "ChangesHeld"
	// ReasonUpgradeHeld: the preview of a new version shows more than spec.upgrade.accept permits,
	// or cannot be made.
	ReasonUpgradeHeld xpv2.ConditionReason = "UpgradeHeld"
	// ReasonNameTaken is the reason of an event: names of kinds mean others to kubectl.
	ReasonNameTaken xpv2.ConditionReason = "NameTaken"
	// ReasonKindInUse: the name of a kind would change, and objects of the kind exist.
	ReasonKindInUse xpv2.ConditionReason = "KindInUse"

	// ReasonInUse: a provider configuration is being deleted, and resources use it.
	ReasonInUse xpv2.ConditionReason = "InUse"

	// ReasonNotInSecrets: arguments of a provider configuration look like credentials, and are not
	// in Secrets.
	ReasonNotInSecrets xpv2.ConditionReason = "NotInSecrets"

	// ReasonSourceNotAvailable, ReasonInvalidModule and ReasonProviderMissing: a TerraformModule's
	// module cannot be fetched, cannot be used, or needs a provider that is not installed.
	ReasonSourceNotAvailable xpv2.ConditionReason = "SourceNotAvailable"
	ReasonInvalidModule      xpv2.ConditionReason = "InvalidModule"
	ReasonProviderMissing    xpv2.ConditionReason = "ProviderMissing"
	// ReasonNotAllowed, ReasonSourceNotAllowed and ReasonDigestMismatch: a TerraformModule's module
	// does something that spec.allow does not list; it is in a ConfigMap that others may change;
	// its digest is not that of spec.source.
	ReasonNotAllowed       xpv2.ConditionReason = "NotAllowed"
	ReasonSourceNotAllowed xpv2.ConditionReason = "SourceNotAllowed"
	ReasonDigestMismatch   xpv2.ConditionReason = "DigestMismatch"

	// ReasonExecutionUnavailable: this controller does not support the way of spec.execution.
	ReasonExecutionUnavailable xpv2.ConditionReason = "ExecutionUnavailable"

	// ReasonSandboxUnavailable: --sandbox=Require, or spec.sandbox, needs what the kernel does not
	// support.
	ReasonSandboxUnavailable xpv2.ConditionReason = "SandboxUnavailable"
)

// Reasons of the condition Ready of a PlanPolicy and an EstatePolicy.
const (
	ReasonCompiled         xpv2.ConditionReason = "Compiled"
	ReasonInvalidCondition xpv2.ConditionReason = "InvalidCondition"
)

// Conditions of a ResourceQuery, beside Ready, Reconciling and Stalled. An action has Complete and
// Suspended, too: Complete is True when it has succeeded.
const (
	// TypeComplete is False if there may be more objects than were listed or written into pages.
	TypeComplete xpv2.ConditionType = "Complete"
	// TypeCompliant is False if objects violate EstatePolicies. Without policies for them, there is
	// no such condition.
	TypeCompliant xpv2.ConditionType = "Compliant"
	// TypeSuspended is True while spec.suspend is set. Otherwise there is no such condition.
	TypeSuspended xpv2.ConditionType = "Suspended"
)

// Reasons of the conditions of a ResourceQuery.
const (
	ReasonListed         xpv2.ConditionReason = "Listed"
	ReasonListFailed     xpv2.ConditionReason = "ListFailed"
	ReasonNotListable    xpv2.ConditionReason = "NotListable"
	ReasonAllListed      xpv2.ConditionReason = "AllListed"
	ReasonLimitReached   xpv2.ConditionReason = "LimitReached"
	ReasonPagesFull      xpv2.ConditionReason = "PagesFull"
	ReasonPagesFailed    xpv2.ConditionReason = "PagesFailed"
	ReasonNoViolations   xpv2.ConditionReason = "NoViolations"
	ReasonPolicyViolated xpv2.ConditionReason = "PolicyViolated"
	ReasonSuspended      xpv2.ConditionReason = "Suspended"
)

// TypePlainTextCredentials is the condition of a provider configuration that is True if it looks as
// if credentials are in its spec, and not in Secrets. Otherwise there is no such condition.
const TypePlainTextCredentials xpv2.ConditionType = "PlainTextCredentials"

// TypeAccountChanged is the condition of a provider configuration that is True while objects of
// resources that use it are not known to be in the account that it gives access to. Otherwise there
// is no such condition.
const TypeAccountChanged xpv2.ConditionType = "AccountChanged"

// TypeLastAsyncOperation is the condition of a managed resource with the result of its last
// asynchronous operation.
const TypeLastAsyncOperation xpv2.ConditionType = "LastAsyncOperation"

// TypeReconciling is the condition of a managed resource, a TerraformProvider, a TerraformModule, a
// ResourceQuery or a provider configuration that is True while it is not as declared yet, and work
// goes on or is tried again. Otherwise there is no such condition.
const TypeReconciling xpv2.ConditionType = "Reconciling"

// TypeStalled is the condition of a managed resource or a ResourceQuery that is True if it makes no
// progress until its configuration changes or a retry is requested. Tools that compute a status as
// kstatus does show it as failed.
const TypeStalled xpv2.ConditionType = "Stalled"

// TypeFailed is the condition of an action that is True when it has failed for good, or it is not
// known how it has ended. One that has succeeded has the condition Complete instead. Jobs have the
// same.
const TypeFailed xpv2.ConditionType = "Failed"

// TypeApproved is the condition of a managed resource that is False while its plan waits for
// approval. A resource that never waited has no such condition.
const TypeApproved xpv2.ConditionType = "Approved"

// TypeDrifted is the condition of a managed resource that is True while fields of its remote object
// differ from spec because they were changed outside of the resource. A resource that never drifted
// has no such condition.
const TypeDrifted xpv2.ConditionType = "Drifted"

// TypeDeferred is the condition of a managed resource that is True while its provider does not act
// on it yet. A resource that was never deferred has no such condition.
const TypeDeferred xpv2.ConditionType = "Deferred"

// TypeIdentifiable is the condition of a managed resource that is False if its object contradicts
// the identity or the import id that the provider's configuration makes of its arguments.
const TypeIdentifiable xpv2.ConditionType = "Identifiable"

// TypeFlapping is the condition of a managed resource that is True if something else, such as
// another resource, changes the remote object back again and again.
const TypeFlapping xpv2.ConditionType = "Flapping"

// TypeNeverSettles is the condition of a managed resource that is True while its provider wants to
// change again and again what it has applied itself. A resource that always settled has no such
// condition.
const TypeNeverSettles xpv2.ConditionType = "NeverSettles"

// TypeStatusComplete is the condition of a managed resource that is False if values are left out of
// its status, because they are too large. A resource that never had such values has no such
// condition.
const TypeStatusComplete xpv2.ConditionType = "StatusComplete"

// Reasons of the conditions of a managed resource, beyond Crossplane's own.
const (
	ReasonSuccess            xpv2.ConditionReason = "Success"
	ReasonOngoing            xpv2.ConditionReason = "Ongoing"
	ReasonAsyncCreateFailure xpv2.ConditionReason = "AsyncCreateFailure"
	ReasonAsyncUpdateFailure xpv2.ConditionReason = "AsyncUpdateFailure"
	ReasonAsyncDeleteFailure xpv2.ConditionReason = "AsyncDeleteFailure"
	ReasonTainted            xpv2.ConditionReason = "Tainted"
	// ReasonInconsistentResult: an object that its create has not left as planned is not replaced,
	// because its successor would be the same.
	ReasonInconsistentResult xpv2.ConditionReason = "InconsistentResult"
	// ReasonNeverSettles: the object is not replaced, because its successor would have to be
	// replaced likewise.
	ReasonNeverSettles       xpv2.ConditionReason = "NeverSettles"
	ReasonUpdateRepeats      xpv2.ConditionReason = "UpdateRepeats"
	ReasonReplacementRepeats xpv2.ConditionReason = "ReplacementRepeats"
	// ReasonReadsAlternate: reads show the object now as declared and now otherwise, though nothing
	// is done to it.
	ReasonReadsAlternate xpv2.ConditionReason = "ReadsAlternate"
	ReasonSettled        xpv2.ConditionReason = "Settled"
	ReasonReplaceRefused xpv2.ConditionReason = "ReplaceRefused"
	// ReasonDeletionProtected: the object would be destroyed, and spec.lifecycle.deletionProtection
	// forbids that.
	ReasonDeletionProtected    xpv2.ConditionReason = "DeletionProtected"
	ReasonCreateOutcomeUnknown xpv2.ConditionReason = "CreateOutcomeUnknown"
	ReasonNotVisibleYet        xpv2.ConditionReason = "NotVisibleYet"
	ReasonInvalidConfiguration xpv2.ConditionReason = "InvalidConfiguration"
	ReasonProviderConfig       xpv2.ConditionReason = "ProviderConfigError"
	ReasonNamespaceNotAllowed  xpv2.ConditionReason = "NamespaceNotAllowed"
	ReasonProviderUnavailable  xpv2.ConditionReason = "ProviderUnavailable"
	ReasonProviderThrottled    xpv2.ConditionReason = "ProviderThrottled"
	// ReasonProviderCrashes: the provider's process crashes when it works on this resource, and
	// works for others.
	ReasonProviderCrashes xpv2.ConditionReason = "ProviderCrashes"
	ReasonImportFailed    xpv2.ConditionReason = "ImportFailed"

	// ReasonCreateAttemptsExhausted: creates of the same configuration have failed too often after
	// they had made an object. ReasonProgressing: the resource is not stalled any more.
	ReasonCreateAttemptsExhausted xpv2.ConditionReason = "CreateAttemptsExhausted"
	// ReasonInterrupted: the last operation was interrupted by request, and the resource has not
	// changed since.
	ReasonInterrupted xpv2.ConditionReason = "Interrupted"
	ReasonProgressing xpv2.ConditionReason = "Progressing"
	// ReasonNoController: no controller serves the kind any more.
	ReasonNoController xpv2.ConditionReason = "NoController"
	// ReasonRetrying: something failed, and is tried again.
	ReasonRetrying xpv2.ConditionReason = "Retrying"

	// ReasonAwaitingApproval: the plan is carried out when it is approved. ReasonPlanChanged:
	// another plan than the current one was approved. ReasonApproved: the last plan that waited was
	// approved and carried out. ReasonNothingToApprove: no plan waits.
	ReasonAwaitingApproval xpv2.ConditionReason = "AwaitingApproval"
	ReasonPlanChanged      xpv2.ConditionReason = "PlanChanged"
	ReasonApproved         xpv2.ConditionReason = "Approved"
	ReasonNothingToApprove xpv2.ConditionReason = "NothingToApprove"
	// ReasonAwaitingDependents: the object is replaced when the resources that refer to it are
	// ready for that. ReasonAwaitingReplacement: nothing is done to the object until one that its
	// resource refers to is replaced.
	ReasonAwaitingDependents  xpv2.ConditionReason = "AwaitingDependents"
	ReasonAwaitingReplacement xpv2.ConditionReason = "AwaitingReplacement"
	// ReasonDestroyBrake: too much was destroyed within a minute, and the rest waits until it is
	// released. ReasonDestroyDelayed: the controller has just started, and does not know how much
	// was destroyed before.
	ReasonDestroyBrake   xpv2.ConditionReason = "DestroyBrake"
	ReasonDestroyDelayed xpv2.ConditionReason = "DestroyDelayed"
	// ReasonOperationsPaused: an administrator has paused operations.
	ReasonOperationsPaused xpv2.ConditionReason = "OperationsPaused"
	// ReasonDeniedByPolicy: a PlanPolicy denies the plan.
	ReasonDeniedByPolicy xpv2.ConditionReason = "DeniedByPolicy"

	// ReasonDriftFound and ReasonNoDrift: the object was changed outside of the resource; it is as
	// spec wants it again. ReasonDriftReported: an object that was destroyed outside of the
	// resource is not created again.
	ReasonDriftFound    xpv2.ConditionReason = "DriftFound"
	ReasonNoDrift       xpv2.ConditionReason = "NoDrift"
	ReasonDriftReported xpv2.ConditionReason = "DriftReported"

	// ReasonDeferred is the reason of Synced while the provider does not act on the resource yet.
	// The others are those of the condition Deferred: the provider needs arguments, or settings of
	// its configuration, that are not known yet; something that the resource depends on does not
	// exist yet; the provider gives no reason; it is not deferred any more.
	ReasonDeferred              xpv2.ConditionReason = "Deferred"
	ReasonResourceConfigUnknown xpv2.ConditionReason = "ResourceConfigUnknown"
	ReasonProviderConfigUnknown xpv2.ConditionReason = "ProviderConfigUnknown"
	ReasonAbsentPrereq          xpv2.ConditionReason = "AbsentPrereq"
	ReasonNoReasonGiven         xpv2.ConditionReason = "NoReasonGiven"
	ReasonNotDeferred           xpv2.ConditionReason = "NotDeferred"

	// ReasonAccountChanged: the object of the resource is not known to be in the account that its
	// provider configuration gives access to.
	ReasonAccountChanged xpv2.ConditionReason = "AccountChanged"

	// ReasonReadFailed: a data source cannot be read, or its result cannot be written.
	ReasonReadFailed xpv2.ConditionReason = "ReadFailed"

	// ReasonInvocationFailed: the provider says that an action has failed. ReasonOutcomeUnknown: it
	// did not say how the action has ended. ReasonCannotInvoke: it was not asked. ReasonInvoking:
	// the action is running. ReasonInvokedBefore: it was invoked for another object, of which this
	// one is a copy.
	ReasonInvocationFailed xpv2.ConditionReason = "InvocationFailed"
	ReasonOutcomeUnknown   xpv2.ConditionReason = "InvocationOutcomeUnknown"
	ReasonCannotInvoke     xpv2.ConditionReason = "CannotInvoke"
	ReasonInvoking         xpv2.ConditionReason = "Invoking"
	ReasonInvokedBefore    xpv2.ConditionReason = "InvokedBefore"

	// ReasonAwaitingAction and ReasonActionFailed: an action that spec.actions of a resource has
	// invoked has not ended; it has failed, or its outcome is unknown.
	ReasonAwaitingAction xpv2.ConditionReason = "AwaitingAction"
	ReasonActionFailed   xpv2.ConditionReason = "ActionFailed"

	// ReasonOpenFailed: an ephemeral resource cannot be opened, or its result cannot be written.
	// ReasonRenewalFailed and ReasonCloseFailed: it cannot be renewed or closed.
	ReasonOpenFailed    xpv2.ConditionReason = "OpenFailed"
	ReasonRenewalFailed xpv2.ConditionReason = "RenewalFailed"
	ReasonCloseFailed   xpv2.ConditionReason = "CloseFailed"

	// ReasonMoveFailed: the object of another resource cannot be taken over. ReasonMoved: another
	// resource has taken the object over.
	ReasonMoveFailed xpv2.ConditionReason = "MoveFailed"
	ReasonMoved      xpv2.ConditionReason = "Moved"

	// ReasonConfigurationContradicted and ReasonConfigurationConfirmed: the object has another
	// identity or import id than the provider's configuration makes of its arguments; it has the
	// same one.
	ReasonConfigurationContradicted xpv2.ConditionReason = "ConfigurationContradicted"
	ReasonConfigurationConfirmed    xpv2.ConditionReason = "ConfigurationConfirmed"
	// ReasonChangedBack and ReasonSteady: something else changes the remote object back again and
	// again; it does not do that any more.
	ReasonChangedBack xpv2.ConditionReason = "ChangedBack"
	ReasonSteady      xpv2.ConditionReason = "Steady"

	// ReasonStateTooLarge: the state of the object is too large to be stored.
	ReasonStateTooLarge xpv2.ConditionReason = "StateTooLarge"
	// ReasonFieldsLeftOut and ReasonNothingLeftOut: fields are left out of the status; they no
	// longer are.
	ReasonFieldsLeftOut  xpv2.ConditionReason = "FieldsLeftOut"
	ReasonNothingLeftOut xpv2.ConditionReason = "NothingLeftOut"

	// ReasonReferenceNotResolved and ReasonStillReferredTo: a reference of the resource cannot be
	// resolved; other resources refer to a resource that is being deleted.
	ReasonReferenceNotResolved xpv2.ConditionReason = "ReferenceNotResolved"
	ReasonStillReferredTo      xpv2.ConditionReason = "StillReferredTo"

	// ReasonIdentityConflict, ReasonAlreadyExists, ReasonUnexpectedIdentityChange and
	// ReasonIdentityUpgradeFailed: the remote object belongs to another resource; the object to
	// create exists already; the provider returned an unexpected identity; the stored identity
	// cannot be upgraded to the provider's schema version.
	ReasonIdentityConflict         xpv2.ConditionReason = "IdentityConflict"
	ReasonAlreadyExists            xpv2.ConditionReason = "AlreadyExists"
	ReasonUnexpectedIdentityChange xpv2.ConditionReason = "UnexpectedIdentityChange"
	ReasonIdentityUpgradeFailed    xpv2.ConditionReason = "IdentityUpgradeFailed"
)

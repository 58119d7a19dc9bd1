package v1alpha1

import (
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

// Conditions of a TerraformProvider.
const (
	// TypeInstalled: the binary was found, is a provider, and its schema could be read.
	TypeInstalled xpv2.ConditionType = "Installed"
	// TypeHealthy: the CRDs of all activated types are served and their controllers run.
	TypeHealthy = xpv2.TypeHealthy
)

// Reasons of a TerraformProvider's conditions.
const (
	ReasonInstalled           xpv2.ConditionReason = "Installed"
	ReasonBinaryNotFound      xpv2.ConditionReason = "BinaryNotFound"
	ReasonProviderNotRunning  xpv2.ConditionReason = "ProviderNotRunning"
	ReasonInvalidSchema       xpv2.ConditionReason = "InvalidSchema"
	ReasonHealthy             xpv2.ConditionReason = "Healthy"
	ReasonUnknownResourceType xpv2.ConditionReason = "UnknownResourceType"
	ReasonCRDConflict         xpv2.ConditionReason = "CRDConflict"
	ReasonActivationFailed    xpv2.ConditionReason = "ActivationFailed"
	ReasonInstalling          xpv2.ConditionReason = "Installing"
	// Objects hold what the kinds of another version or configuration have no place for.
	ReasonChangesHeld xpv2.ConditionReason = "ChangesHeld"
	// There are objects of a kind that is to be called otherwise.
	ReasonKindInUse xpv2.ConditionReason = "KindInUse"

	// A module cannot be fetched, or cannot be used; the program for it is not there; a provider that it
	// needs is not installed.
	ReasonSourceNotAvailable xpv2.ConditionReason = "SourceNotAvailable"
	ReasonInvalidModule      xpv2.ConditionReason = "InvalidModule"
	ReasonProviderMissing    xpv2.ConditionReason = "ProviderMissing"

	// What spec.execution asks for is not to be had from this controller.
	ReasonExecutionUnavailable xpv2.ConditionReason = "ExecutionUnavailable"
)

// TypeLastAsyncOperation is the condition of a managed resource that tells how its last
// operation in the background ended.
const TypeLastAsyncOperation xpv2.ConditionType = "LastAsyncOperation"

// Reasons of the conditions of a managed resource, beyond Crossplane's own.
const (
	ReasonSuccess              xpv2.ConditionReason = "Success"
	ReasonOngoing              xpv2.ConditionReason = "Ongoing"
	ReasonAsyncCreateFailure   xpv2.ConditionReason = "AsyncCreateFailure"
	ReasonAsyncUpdateFailure   xpv2.ConditionReason = "AsyncUpdateFailure"
	ReasonAsyncDeleteFailure   xpv2.ConditionReason = "AsyncDeleteFailure"
	ReasonTainted              xpv2.ConditionReason = "Tainted"
	ReasonReplaceRefused       xpv2.ConditionReason = "ReplaceRefused"
	ReasonCreateOutcomeUnknown xpv2.ConditionReason = "CreateOutcomeUnknown"
	ReasonInvalidConfiguration xpv2.ConditionReason = "InvalidConfiguration"
	ReasonProviderConfig       xpv2.ConditionReason = "ProviderConfigError"
	ReasonProviderUnavailable  xpv2.ConditionReason = "ProviderUnavailable"
	ReasonProviderThrottled    xpv2.ConditionReason = "ProviderThrottled"
	ReasonImportFailed         xpv2.ConditionReason = "ImportFailed"

	// What the resource refers to is missing; others refer to a resource that is to be deleted.
	ReasonReferenceNotResolved xpv2.ConditionReason = "ReferenceNotResolved"
	ReasonStillReferredTo      xpv2.ConditionReason = "StillReferredTo"

	// The remote object belongs to another resource; there is one where one was to be created;
	// the provider says that it has another identity than it may have; the stored identity
	// cannot be brought to the version that the provider knows.
	ReasonIdentityConflict         xpv2.ConditionReason = "IdentityConflict"
	ReasonAlreadyExists            xpv2.ConditionReason = "AlreadyExists"
	ReasonUnexpectedIdentityChange xpv2.ConditionReason = "UnexpectedIdentityChange"
	ReasonIdentityUpgradeFailed    xpv2.ConditionReason = "IdentityUpgradeFailed"
)

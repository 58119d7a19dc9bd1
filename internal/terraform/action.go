package terraform

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
)

// ActionInvoker is implemented by executors that can invoke actions (contract § 9). Configurations
// are of the implied type of the action's schema, and wholly known, write-only values included.
type ActionInvoker interface {
	// ValidateAction asks the provider to validate a configuration.
	ValidateAction(ctx context.Context, action string, config cty.Value) diagnostic.Diagnostics
	// PlanAction asks the provider whether it would invoke the action. It validates the
	// configuration first. DeferralOf tells from the diagnostics whether the provider defers it.
	PlanAction(ctx context.Context, action string, config cty.Value) diagnostic.Diagnostics
	// InvokeAction invokes the action once, and calls progress with each message of the provider,
	// in which sensitive and write-only values of the configuration are concealed. It returns when
	// the action has ended or its outcome cannot be known any more.
	InvokeAction(ctx context.Context, action string, config cty.Value, progress func(message string)) (ActionOutcome, diagnostic.Diagnostics)
}

// ActionOutcome is what is known of an invocation when it has ended.
type ActionOutcome string

// The outcomes of an invocation.
const (
	// ActionNotInvoked is the outcome when nothing was requested of the provider.
	ActionNotInvoked ActionOutcome = "NotInvoked"
	ActionSucceeded  ActionOutcome = "Succeeded"
	// ActionFailed is the outcome when the provider has said that the action failed.
	ActionFailed ActionOutcome = "Failed"
	// ActionOutcomeUnknown is the outcome when the provider was asked and has not said how the
	// action ended: it may have done all, a part or nothing.
	ActionOutcomeUnknown ActionOutcome = "Unknown"
)

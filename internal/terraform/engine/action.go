package engine

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

var _ terraform.ActionInvoker = (*Engine)(nil)

func (e *Engine) beginAction(ctx context.Context, action string) (*call, diagnostic.Diagnostics) {
	return e.beginBlock(ctx, "action", action, func(p *schema.Provider) map[string]*schema.Block { return p.Actions })
}

// ValidateAction implements terraform.ActionInvoker (contract § 9.1).
func (e *Engine) ValidateAction(ctx context.Context, action string, config cty.Value) diagnostic.Diagnostics {
	c, diags := e.beginAction(ctx, action)
	if diags.HasErrors() {
		return diags
	}
	_, encoded, diags := c.encodeConfig(config, false)
	if diags.HasErrors() {
		return diags
	}
	return c.validateAction(ctx, encoded)
}

func (c *call) validateAction(ctx context.Context, config []byte) diagnostic.Diagnostics {
	answer, err := c.server.ValidateActionConfig(ctx, &tfprotov6.ValidateActionConfigRequest{
		ActionType: c.schema.Type, Config: dynamic(config),
	})
	if err != nil {
		return provider.CallError(err)
	}
	// The request cannot tell the framework that write-only arguments are allowed, and without that
	// it refuses them.
	return slices.DeleteFunc(diagnostic.FromProtocol(answer.Diagnostics), func(d diagnostic.Diagnostic) bool {
		return d.Summary == "WriteOnly Attribute Not Allowed"
	})
}

// PlanAction implements terraform.ActionInvoker (contract § 9.2).
func (e *Engine) PlanAction(ctx context.Context, action string, config cty.Value) diagnostic.Diagnostics {
	c, diags := e.beginAction(ctx, action)
	if diags.HasErrors() {
		return diags
	}
	_, encoded, diags := c.encodeConfig(config, true)
	if diags.HasErrors() {
		return diags
	}
	diags = c.validateAction(ctx, encoded)
	if diags.HasErrors() {
		return diags
	}
	answer, err := c.server.PlanAction(ctx, &tfprotov6.PlanActionRequest{
		ActionType: c.schema.Type, Config: dynamic(encoded),
		ClientCapabilities: &tfprotov6.PlanActionClientCapabilities{DeferralAllowed: true},
	})
	if err != nil {
		return append(diags, provider.CallError(err)...)
	}
	diags = append(diags, diagnostic.FromProtocol(answer.Diagnostics)...)
	switch {
	case diags.HasErrors() || answer.Deferred == nil:
		return diags
	case answer.Deferred.Reason != tfprotov6.DeferredReasonProviderConfigUnknown:
		return append(diags, diagnostic.Errorf("Invalid deferred reason",
			"The provider defers the action %s for another reason than an unknown provider configuration, which is "+
				"the only one for an action. %s",
			c.schema.Type, providerBug)...)
	default:
		return append(diags, c.deferred(answer.Deferred)...)
	}
}

// InvokeAction implements terraform.ActionInvoker (contract § 9.3).
func (e *Engine) InvokeAction(
	ctx context.Context, action string, config cty.Value, progress func(message string),
) (terraform.ActionOutcome, diagnostic.Diagnostics) {
	c, diags := e.beginAction(ctx, action)
	if diags.HasErrors() {
		return terraform.ActionNotInvoked, diags
	}
	_, encoded, diags := c.encodeConfig(config, true)
	if diags.HasErrors() {
		return terraform.ActionNotInvoked, diags
	}
	if err := provider.Fence(ctx); err != nil {
		return terraform.ActionNotInvoked, diagnostic.Errorf("Action not invoked", "%s.", err)
	}
	// Ends the stream after its completion.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := c.server.InvokeAction(ctx, &tfprotov6.InvokeActionRequest{ActionType: c.schema.Type, Config: dynamic(encoded)})
	switch {
	case err != nil && (provider.IsNotSent(err) || provider.IsUnimplemented(err)):
		return terraform.ActionNotInvoked, provider.CallError(err)
	case err != nil:
		return c.unknownInvocation(provider.CallError(err))
	case stream == nil || stream.Events == nil:
		return c.unknownInvocation(nil)
	}
	secrets := c.concealed(config)
	for event := range stream.Events {
		switch event := event.Type.(type) {
		case tfprotov6.ProgressInvokeActionEventType:
			progress(secrets.Replace(event.Message))
		case provider.BrokenInvocation:
			return c.unknownInvocation(provider.CallError(event.Err))
		case tfprotov6.CompletedInvokeActionEventType:
			diags := diagnostic.FromProtocol(event.Diagnostics)
			if diags.HasErrors() {
				return terraform.ActionFailed, diags
			}
			return terraform.ActionSucceeded, diags
		}
	}
	return c.unknownInvocation(nil)
}

// unknownInvocation is the result of an invocation whose end the provider has not reported.
func (c *call) unknownInvocation(diags diagnostic.Diagnostics) (terraform.ActionOutcome, diagnostic.Diagnostics) {
	return terraform.ActionOutcomeUnknown, append(diags, diagnostic.Errorf("Action outcome unknown",
		"The provider did not say how the action %s ended: it may have done all of it, a part or nothing. Look at "+
			"what it acts on before it is invoked again.",
		c.schema.Type)...)
}

// concealed returns a replacer for the sensitive and write-only values of a configuration.
func (c *call) concealed(config cty.Value) *redact.Replacer {
	var secrets redact.Redactor
	_ = cty.Walk(config, func(path cty.Path, v cty.Value) (bool, error) {
		a := c.schema.Block.AttributeByPath(path)
		if a == nil || !a.Sensitive && !a.WriteOnly {
			return true, nil
		}
		secrets.AddValue(v)
		return false, nil
	})
	return secrets.Replacer()
}

// encodeConfig checks the configuration of an action or an ephemeral resource, and returns it as it
// is sent, as a value and encoded. known demands that it is wholly known.
func (c *call) encodeConfig(config cty.Value, known bool) (cty.Value, []byte, diagnostic.Diagnostics) {
	value, diags := c.config(config)
	if diags.HasErrors() {
		return value, nil, diags
	}
	if known {
		for _, path := range unknownPaths(c.schema.Block, value) {
			diags = append(diags, diagnostic.AttributeErrorf(path, "Configuration contains unknown value",
				"All of the configuration of %s must be known.", c.schema.Type)...)
		}
		if diags.HasErrors() {
			return value, nil, diags
		}
	}
	encoded, err := encode(value, c.state)
	if err != nil {
		return value, nil, c.unfitting(err)
	}
	return value, encoded, nil
}

package engine

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine/objchange"
	"github.com/landbridge-io/landbridge/schema"
)

const invalidEphemeral = "Provider produced invalid ephemeral resource instance"

var _ terraform.EphemeralOpener = (*Engine)(nil)

func (e *Engine) beginEphemeral(ctx context.Context, ephemeralType string) (*call, diagnostic.Diagnostics) {
	return e.beginBlock(ctx, "ephemeral resource type", ephemeralType,
		func(p *schema.Provider) map[string]*schema.Block { return p.EphemeralResources })
}

// ValidateEphemeral implements terraform.EphemeralOpener (contract § 10.1).
func (e *Engine) ValidateEphemeral(ctx context.Context, ephemeralType string, config cty.Value) diagnostic.Diagnostics {
	c, diags := e.beginEphemeral(ctx, ephemeralType)
	if diags.HasErrors() {
		return diags
	}
	_, encoded, diags := c.encodeConfig(config, false)
	if diags.HasErrors() {
		return diags
	}
	return c.validateEphemeral(ctx, encoded)
}

func (c *call) validateEphemeral(ctx context.Context, config []byte) diagnostic.Diagnostics {
	answer, err := c.server.ValidateEphemeralResourceConfig(ctx, &tfprotov6.ValidateEphemeralResourceConfigRequest{
		TypeName: c.schema.Type, Config: dynamic(config),
	})
	if err != nil {
		return provider.CallError(err)
	}
	return diagnostic.FromProtocol(answer.Diagnostics)
}

// OpenEphemeral implements terraform.EphemeralOpener (contract § 10.2).
func (e *Engine) OpenEphemeral(ctx context.Context, ephemeralType string, config cty.Value) (terraform.Opened, diagnostic.Diagnostics) {
	var none terraform.Opened
	c, diags := e.beginEphemeral(ctx, ephemeralType)
	if diags.HasErrors() {
		return none, diags
	}
	sent, encoded, diags := c.encodeConfig(config, true)
	if diags.HasErrors() {
		return none, diags
	}
	diags = c.validateEphemeral(ctx, encoded)
	if diags.HasErrors() {
		return none, diags
	}
	if err := provider.Fence(ctx); err != nil {
		return none, append(diags, diagnostic.Errorf("Ephemeral resource not opened", "%s.", err)...)
	}
	answer, err := c.server.OpenEphemeralResource(ctx, &tfprotov6.OpenEphemeralResourceRequest{
		TypeName: c.schema.Type, Config: dynamic(encoded),
		ClientCapabilities: &tfprotov6.OpenEphemeralResourceClientCapabilities{DeferralAllowed: true},
	})
	if err != nil {
		return none, append(diags, provider.CallError(err)...)
	}
	diags = append(diags, diagnostic.FromProtocol(answer.Diagnostics)...)
	switch {
	case diags.HasErrors():
		return none, diags
	case answer.Deferred != nil:
		return none, append(diags, c.deferred(answer.Deferred)...)
	}
	open := terraform.Open{Private: answer.Private, RenewAt: answer.RenewAt}
	result, more := c.ephemeralResult(sent, answer.Result)
	if diags = append(diags, more...); diags.HasErrors() {
		return none, append(diags, c.closeEphemeral(ctx, open)...)
	}
	return terraform.Opened{Open: open, Result: result}, diags
}

// ephemeralResult returns the result of an open ephemeral resource, which must fit the schema and
// the configuration, and be wholly known.
func (c *call) ephemeralResult(config cty.Value, answered *tfprotov6.DynamicValue) (cty.Value, diagnostic.Diagnostics) {
	result, err := c.decodeState(answered)
	if err != nil {
		return result, diagnostic.AttributeErrorf(c.at(err), invalidEphemeral,
			"The result for %s does not fit its schema: %s. %s", c.schema.Type, err, providerBug)
	}
	if result.IsNull() {
		return result, diagnostic.Errorf(invalidEphemeral, "There is no result for %s. %s", c.schema.Type, providerBug)
	}
	if diags := c.checkWhollyKnown(result, invalidEphemeral, "The result"); diags.HasErrors() {
		return result, diags
	}
	var diags diagnostic.Diagnostics
	for _, err := range objchange.AssertPlanValid(c.schema.Block, cty.NullVal(c.state), config, result) {
		diags = append(diags, diagnostic.AttributeErrorf(c.at(err), invalidEphemeral,
			"The result for %s is inconsistent with the configuration. %s", c.schema.Type, providerBug)...)
	}
	return result, diags
}

// RenewEphemeral implements terraform.EphemeralOpener (contract § 10.3).
func (e *Engine) RenewEphemeral(ctx context.Context, ephemeralType string, open terraform.Open) (terraform.Open, diagnostic.Diagnostics) {
	c, diags := e.beginEphemeral(ctx, ephemeralType)
	if diags.HasErrors() {
		return open, diags
	}
	if err := provider.Fence(ctx); err != nil {
		return open, diagnostic.Errorf("Ephemeral resource not renewed", "%s.", err)
	}
	answer, err := c.server.RenewEphemeralResource(ctx, &tfprotov6.RenewEphemeralResourceRequest{
		TypeName: ephemeralType, Private: open.Private,
	})
	if err != nil {
		return open, provider.CallError(err)
	}
	if diags = diagnostic.FromProtocol(answer.Diagnostics); diags.HasErrors() {
		return open, diags
	}
	renewed := terraform.Open{Private: answer.Private, RenewAt: answer.RenewAt}
	if len(renewed.Private) == 0 {
		renewed.Private = open.Private
	}
	return renewed, diags
}

// CloseEphemeral implements terraform.EphemeralOpener (contract § 10.4).
func (e *Engine) CloseEphemeral(ctx context.Context, ephemeralType string, open terraform.Open) diagnostic.Diagnostics {
	c, diags := e.beginEphemeral(ctx, ephemeralType)
	if diags.HasErrors() {
		return diags
	}
	if err := provider.Fence(ctx); err != nil {
		return diagnostic.Errorf("Ephemeral resource not closed", "%s.", err)
	}
	return c.closeEphemeral(ctx, open)
}

func (c *call) closeEphemeral(ctx context.Context, open terraform.Open) diagnostic.Diagnostics {
	answer, err := c.server.CloseEphemeralResource(ctx, &tfprotov6.CloseEphemeralResourceRequest{
		TypeName: c.schema.Type, Private: open.Private,
	})
	if err != nil {
		return provider.CallError(err)
	}
	return diagnostic.FromProtocol(answer.Diagnostics)
}

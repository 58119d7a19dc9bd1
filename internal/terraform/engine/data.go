package engine

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

var _ terraform.DataReader = (*Engine)(nil)

// ReadData implements terraform.DataReader (contract § 8).
func (e *Engine) ReadData(ctx context.Context, r terraform.ResourceType, config cty.Value) (terraform.Data, diagnostic.Diagnostics) {
	c, diags := e.begin(ctx, r)
	if diags.HasErrors() {
		return terraform.Data{}, diags
	}
	config, diags = c.config(config)
	if diags.HasErrors() {
		return terraform.Data{}, diags
	}
	if !config.IsWhollyKnown() {
		return terraform.Data{}, diagnostic.Errorf("Arguments not known",
			"The data source %s is read when all of its arguments are known.", c.schema.Type)
	}
	encoded, err := encode(config, c.state)
	if err != nil {
		return terraform.Data{}, c.unfitting(err)
	}
	validated, err := c.server.ValidateDataResourceConfig(ctx, &tfprotov6.ValidateDataResourceConfigRequest{
		TypeName: c.schema.Type, Config: dynamic(encoded),
	})
	if err != nil {
		return terraform.Data{}, provider.CallError(err)
	}
	if diags = diagnostic.FromProtocol(validated.Diagnostics); diags.HasErrors() {
		return terraform.Data{}, diags
	}
	answer, err := c.server.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{
		TypeName: c.schema.Type, Config: dynamic(encoded), ProviderMeta: optional(c.meta),
		ClientCapabilities: &tfprotov6.ReadDataSourceClientCapabilities{DeferralAllowed: true},
	})
	if err != nil {
		return terraform.Data{}, append(diags, provider.CallError(err)...)
	}
	out, more := c.dataAnswer(answer)
	return out, append(diags, more...)
}

// dataAnswer returns what a data source has answered.
func (c *call) dataAnswer(answer *tfprotov6.ReadDataSourceResponse) (terraform.Data, diagnostic.Diagnostics) {
	const invalid = "Provider produced invalid object"
	diags := diagnostic.FromProtocol(answer.Diagnostics)
	if answer.Deferred != nil && !diags.HasErrors() {
		diags = append(diags, c.deferred(answer.Deferred)...)
	}
	if diags.HasErrors() {
		return terraform.Data{}, diags
	}
	v, err := c.decodeState(answer.State)
	switch {
	case err != nil:
		diags = append(diags,
			diagnostic.AttributeErrorf(c.at(err), invalid, "The provider's answer to reading the data source %s "+
				"does not fit its schema: %s. %s", c.schema.Type, err, providerBug)...)
	case v.IsNull():
		diags = append(diags, diagnostic.Errorf("Provider produced null object",
			"The provider's answer to reading the data source %s is null. %s", c.schema.Type, providerBug)...)
	default:
		diags = append(diags, c.checkWhollyKnown(v, invalid, "The data read")...)
		diags = append(diags, c.checkWriteOnly(v, invalid, "The data read")...)
	}
	if diags.HasErrors() {
		return terraform.Data{}, diags
	}
	return terraform.Data{Value: v, Wire: wireBytes(answer.State, v, c.state)}, diags
}

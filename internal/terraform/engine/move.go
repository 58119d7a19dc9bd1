package engine

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/wire"
)

// MoveSource is terraform.MoveSource.
type MoveSource = terraform.MoveSource

// MoveResourceState implements terraform.Mover: it asks the provider to convert an object of
// another type or provider to type r (contract § 3.11). Nothing is stored or read: refresh the
// returned instance, which keeps the status and the flags of the source.
func (e *Engine) MoveResourceState(
	ctx context.Context, r terraform.ResourceType, source MoveSource,
) (instance.Instance, diagnostic.Diagnostics) {
	in := source.Instance
	c, diags := e.begin(ctx, r)
	if diags.HasErrors() {
		return in, diags
	}
	if !c.provider.Capabilities.MoveResourceState {
		return in, diagnostic.Errorf("Unsupported `moved` across resource types",
			"The provider of %s does not support to move objects of another resource type to it.", r.Schema.Type)
	}
	state, err := rawJSON(in.RawState, in.State, func() cty.Type { return source.Schema.ImpliedType() })
	if err != nil {
		return in, c.unencodable("source state", err)
	}
	identity, err := rawJSON(in.RawIdentity, in.Identity, func() cty.Type { return source.Schema.IdentityType() })
	if err != nil {
		return in, c.unencodable("source identity", err)
	}
	request := &tfprotov6.MoveResourceStateRequest{
		SourceProviderAddress: source.ProviderAddress, SourceTypeName: source.Schema.Type,
		SourceSchemaVersion: in.SchemaVersion, SourceState: &tfprotov6.RawState{JSON: state},
		SourcePrivate: in.Private, TargetTypeName: r.Schema.Type,
	}
	if identity != nil {
		request.SourceIdentity = &tfprotov6.RawState{JSON: identity}
	}
	answer, err := c.server.MoveResourceState(ctx, request)
	if err != nil {
		return in, provider.CallError(err)
	}
	return c.moved(in, answer)
}

func rawJSON(raw []byte, v cty.Value, t func() cty.Type) ([]byte, error) {
	if len(raw) > 0 {
		return raw, nil
	}
	if v == cty.NilVal || v.IsNull() {
		return nil, nil
	}
	return wire.MarshalJSON(v, t())
}

func (c *call) moved(in instance.Instance, answer *tfprotov6.MoveResourceStateResponse) (instance.Instance, diagnostic.Diagnostics) {
	diags := diagnostic.FromProtocol(answer.Diagnostics)
	if diags.HasErrors() {
		return in, diags
	}
	const summary = "Provider returned invalid value"
	state, err := c.decodeState(answer.TargetState)
	if err == nil && state.IsNull() {
		err = errors.New("there is none")
	}
	if err != nil {
		return in,
			append(diags, diagnostic.AttributeErrorf(c.at(err), summary,
				"The moved object of %s cannot be used: %s. %s", c.schema.Type, err, providerBug)...)
	}
	diags = append(diags, c.checkWhollyKnown(state, summary, "The moved object")...)
	diags = append(diags, c.checkWriteOnly(state, summary, "The moved object")...)
	identity, _, more := c.answeredIdentity(answer.TargetIdentity)
	if !more.HasErrors() {
		more = c.knownIdentity(identity)
	}
	diags = append(diags, more...)
	if diags.HasErrors() {
		return in, diags
	}
	out := in
	out.State, out.SchemaVersion, out.RawState = state, c.schema.Version, nil
	out.Identity, out.IdentityVersion, out.RawIdentity = identity, c.identityVersion(), nil
	out.Private, out.SensitivePaths, out.Wire = answer.TargetPrivate, existing(in.SensitivePaths, state), nil
	return out, diags
}

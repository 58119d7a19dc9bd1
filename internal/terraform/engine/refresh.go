package engine

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine/objchange"
	"github.com/landbridge-io/landbridge/internal/wire"
)

// Refresh implements terraform.Executor: upgrade the state, upgrade the identity, read (contract §§
// 3.2, 3.3). An instance without an object is returned as it is. Refreshed.Unchanged is also set if
// the answer has other bytes with the same meaning; then only the instance's Wire is new. An
// instance that is packed is unpacked if that takes more than to compare bytes.
func (e *Engine) Refresh(
	ctx context.Context, r terraform.ResourceType, in instance.Instance,
) (terraform.Refreshed, diagnostic.Diagnostics) {
	if !in.Exists() {
		return terraform.Refreshed{Instance: in, Unchanged: true}, nil
	}
	unread := terraform.Refreshed{Instance: in}
	c, diags := e.begin(ctx, r)
	if diags.HasErrors() {
		return unread, diags
	}
	state, diags := c.upgradeState(ctx, in)
	if diags.HasErrors() {
		return unread, diags
	}
	identity, more := c.upgradeIdentity(ctx, in)
	diags = append(diags, more...)
	if diags.HasErrors() {
		unread.IdentityUpgrade = true
		return unread, diags
	}
	answer, err := c.server.ReadResource(ctx, c.readRequest(state.wire, identity.wire, in.Private))
	if err != nil {
		return unread, append(diags, provider.CallError(err)...)
	}
	// Equal bytes need no decoding, unless the request differed from the stored state.
	stored := len(in.RawState) == 0 && len(in.RawIdentity) == 0 && (in.Status == instance.Full || in.Status == instance.Tainted)
	if stored && c.answersSame(answer, state.wire, identity.wire, in.Private) && c.isStored(in, state.wire) {
		if in.Wire == nil {
			in.Wire = newWire(state.wire, identity.wire)
		}
		return terraform.Refreshed{Instance: in, Unchanged: true, Upgraded: state.value},
			append(diags, diagnostic.FromProtocol(answer.Diagnostics)...)
	}
	if in.IsPacked() {
		if in, err = in.Unpacked(c.schema); err != nil {
			return unread, append(diags, diagnostic.Errorf("Object cannot be compared", "What was read earlier cannot be decoded: %s.", err)...)
		}
		state.value = in.State
	}
	out, more := c.readAnswer(answer, in)
	if terraform.UnexpectedIdentityChange(more) && len(in.RawIdentity) > 0 && in.IdentityVersion != c.identityVersion() {
		if completed, ok := c.completeIdentity(ctx, in, state.wire, identity.value); ok {
			return terraform.Refreshed{Instance: completed, Upgraded: state.value}, diags
		}
	}
	diags = append(diags, c.explainIdentity(more, identity.value)...)
	if diags.HasErrors() {
		return unread, diags
	}
	return terraform.Refreshed{Instance: out, Unchanged: stored && sameInstance(in, out), Upgraded: state.value}, diags
}

// lacksRequired reports whether an attribute of an identity is null that imports require.
func (c *call) lacksRequired(identity cty.Value) bool {
	for name, a := range c.schema.Identity.Attributes {
		if a.RequiredForImport && identity.GetAttr(name).IsNull() {
			return true
		}
	}
	return false
}

// completeIdentity reads an object of which an upgrader has left required attributes of the
// identity null, without that identity: SDKs take it for a change of the identity that a read fills
// them in. Other attributes stay as Terraform has them. It is false if the answer has other values
// than the upgrader's.
func (c *call) completeIdentity(ctx context.Context, in instance.Instance, state []byte, upgraded cty.Value) (instance.Instance, bool) {
	if upgraded == cty.NilVal || upgraded.IsNull() || !c.lacksRequired(upgraded) {
		return in, false
	}
	answer, err := c.server.ReadResource(ctx, c.readRequest(state, nil, in.Private))
	if err != nil {
		return in, false
	}
	out, diags := c.readAnswer(answer, in)
	if diags.HasErrors() || !out.HasIdentity() {
		return in, false
	}
	for name := range upgraded.Type().AttributeTypes() {
		if v := upgraded.GetAttr(name); !v.IsNull() && !v.RawEquals(out.Identity.GetAttr(name)) {
			return in, false
		}
	}
	return out, true
}

// Upgrade implements terraform.Upgrader: Refresh without the read.
func (e *Engine) Upgrade(ctx context.Context, r terraform.ResourceType, in instance.Instance) (instance.Instance, diagnostic.Diagnostics) {
	if len(in.RawState) == 0 && len(in.RawIdentity) == 0 {
		return in, nil
	}
	c, diags := e.begin(ctx, r)
	if diags.HasErrors() {
		return in, diags
	}
	state, diags := c.upgradeState(ctx, in)
	if diags.HasErrors() {
		return in, diags
	}
	identity, more := c.upgradeIdentity(ctx, in)
	if diags = append(diags, more...); diags.HasErrors() {
		return in, diags
	}
	out := in
	out.State, out.SchemaVersion, out.RawState = state.value, c.schema.Version, nil
	out.Identity, out.IdentityVersion, out.RawIdentity = identity.value, c.identityVersion(), nil
	out.SensitivePaths = existing(in.SensitivePaths, state.value)
	out.Wire = newWire(state.wire, identity.wire)
	return out, diags
}

func (c *call) readRequest(state, identity, private []byte) *tfprotov6.ReadResourceRequest {
	return &tfprotov6.ReadResourceRequest{
		TypeName: c.schema.Type, CurrentState: dynamic(state), Private: private,
		ProviderMeta: optional(c.meta), CurrentIdentity: identityData(identity),
		ClientCapabilities: &tfprotov6.ReadResourceClientCapabilities{DeferralAllowed: true},
	}
}

// answersSame reports whether an answer is, byte for byte, the object that was sent.
func (c *call) answersSame(answer *tfprotov6.ReadResourceResponse, state, identity, private []byte) bool {
	if answer.Deferred != nil || answer.NewState == nil || !sameBytes(answer.NewState.MsgPack, state) || !sameBytes(answer.Private, private) {
		return false
	}
	for _, d := range answer.Diagnostics {
		if d != nil && d.Severity != tfprotov6.DiagnosticSeverityWarning {
			return false
		}
	}
	var answered []byte
	if answer.NewIdentity != nil && answer.NewIdentity.IdentityData != nil {
		answered = answer.NewIdentity.IdentityData.MsgPack
	}
	return sameBytes(answered, identity)
}

// isStored reports whether the state that was sent is the instance's own, which means that an
// upgrade has changed nothing.
func (c *call) isStored(in instance.Instance, state []byte) bool {
	if in.Wire != nil && len(in.Wire.State) > 0 {
		return true // what was sent is Wire itself
	}
	b, err := encode(in.State, c.state)
	return err == nil && sameBytes(b, state)
}

// readAnswer returns the instance with the object of an answer to ReadResource, or with errors
// the instance as it was.
func (c *call) readAnswer(answer *tfprotov6.ReadResourceResponse, in instance.Instance) (instance.Instance, diagnostic.Diagnostics) {
	diags := diagnostic.FromProtocol(answer.Diagnostics)
	if answer.Deferred != nil && !diags.HasErrors() {
		return in, append(diags, c.deferred(answer.Deferred)...)
	}
	if provesGone(answer, diags, in) {
		return gone(in, c), diags.Warnings()
	}
	identity, identityBytes, more := c.answeredIdentity(answer.NewIdentity)
	if !more.HasErrors() {
		more = c.knownIdentity(identity)
	}
	diags = append(diags, more...)
	if diags.HasErrors() {
		return in, diags
	}
	const summary = "Provider produced invalid object"
	state, err := c.decodeState(answer.NewState)
	if err != nil {
		return in,
			append(
				diags, diagnostic.AttributeErrorf(c.at(err), summary, "The provider's answer to reading %s does not "+
					"fit its schema: %s. %s", c.schema.Type, err, providerBug)...,
			)
	}
	if state.IsNull() {
		return gone(in, c), diags
	}
	normal := state
	if !c.provenModern {
		normal = objchange.NormalizeObjectFromLegacySDK(state, c.schema.Block)
	}
	diags = append(diags, c.checkWhollyKnown(state, summary, "The object read")...)
	diags = append(diags, c.checkWriteOnly(state, summary, "The object read")...)
	if diags.HasErrors() {
		return in, diags
	}
	bytes := wireBytes(answer.NewState, state, c.state)
	if !normal.RawEquals(state) {
		if bytes, err = encode(normal, c.state); err != nil {
			bytes = nil
		}
	}
	out := in
	out.State, out.SchemaVersion, out.RawState = normal, c.schema.Version, nil
	out.Identity, out.IdentityVersion, out.RawIdentity = identity, c.identityVersion(), nil
	out.Private, out.SensitivePaths = answer.Private, existing(in.SensitivePaths, normal)
	out.Wire = newWire(bytes, identityBytes)
	if out.Status != instance.Tainted {
		out.Status = instance.Full
	}
	return out, diags
}

// provesGone reports whether an object is gone although the answer has an error: the framework's
// error that a null state has no identity, for an instance without one. The framework makes
// this check after a read without errors, and starts with the state that was sent, so the
// provider itself has set the state to null (contract § 7, V129).
func provesGone(answer *tfprotov6.ReadResourceResponse, diags diagnostic.Diagnostics, in instance.Instance) bool {
	errs := diags.Errors()
	return len(errs) == 1 && errs[0].Summary == "Missing Resource Identity After Read" &&
		in.Exists() && !in.HasIdentity() &&
		answer.NewState != nil && wire.IsNull(answer.NewState.MsgPack)
}

// sameInstance reports whether two instances are stored the same, apart from deposed objects and
// journal.
func sameInstance(a, b instance.Instance) bool {
	return a.Status == b.Status && sameBytes(a.Private, b.Private) &&
		sameValue(a.State, b.State) && sameValue(a.Identity, b.Identity)
}

func sameValue(a, b cty.Value) bool {
	if a == cty.NilVal || b == cty.NilVal {
		return (a == cty.NilVal || a.IsNull()) && (b == cty.NilVal || b.IsNull())
	}
	return a.RawEquals(b)
}

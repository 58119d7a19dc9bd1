//lint:file-ignore SA1019 Providers of the legacy SDK still set UnsafeToUseLegacyTypeSystem.

package engine

import (
	"context"
	"slices"

	"github.com/go-logr/logr"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine/objchange"
)

const (
	invalidObject = "Provider produced invalid object"
	invalidResult = "Provider returned invalid result object after apply"
)

// Apply implements terraform.Executor (contract § 3.7). The returned instance is always the
// one to store. If a create ends without an answer about the object, terraform.OutcomeUnknown
// reports true for the diagnostics.
func (e *Engine) Apply(ctx context.Context, p terraform.Plan) (instance.Instance, diagnostic.Diagnostics) {
	if p.Action == terraform.NoOp {
		out := p.Prior
		out.SensitivePaths, out.CreateBeforeDestroy = existing(p.SensitivePaths, out.State), p.CreateBeforeDestroy
		return out, nil
	}
	c, diags := e.begin(ctx, p.Resource)
	if diags.HasErrors() {
		return p.Prior, diags
	}
	if diags := applicable(p); diags.HasErrors() {
		return p.Prior, diags
	}
	request, diags := c.applyRequest(p)
	if diags.HasErrors() {
		return p.Prior, diags
	}
	if err := provider.Fence(ctx); err != nil {
		return p.Prior, diagnostic.Errorf("Change not requested", "%s.", err)
	}
	answer, err := c.server.ApplyResourceChange(ctx, request)
	switch {
	case err != nil && (provider.IsNotSent(err) || provider.IsUnimplemented(err)):
		return p.Prior, provider.CallError(err)
	case err != nil:
		return c.unanswered(p, provider.CallError(err))
	}
	return c.applied(ctx, p, answer)
}

// applicable returns an error if a plan is a replacement as a whole, or does not fit its prior
// instance.
func applicable(p terraform.Plan) diagnostic.Diagnostics {
	switch p.Action {
	case terraform.Create:
		if p.Prior.Exists() {
			return diagnostic.Errorf("Plan cannot be applied", "The plan creates an object, but there is one already. Plan again.")
		}
	case terraform.Update, terraform.Delete:
		if !p.Prior.Exists() {
			return diagnostic.Errorf("Plan cannot be applied", "The plan changes an object, but there is none. Plan again.")
		}
	default:
		return diagnostic.Errorf("Plan cannot be applied", "A plan to %s is carried out as a destroy and a create.", p.Action)
	}
	if diags := notRefreshed(p.Prior); diags.HasErrors() {
		return diags
	}
	var diags diagnostic.Diagnostics
	for _, path := range unknownPaths(p.Resource.Schema.Block, p.Config) {
		diags = append(diags, diagnostic.AttributeErrorf(path, "Configuration contains unknown value",
			"Only a configuration that is wholly known can be applied.")...)
	}
	return diags
}

func (c *call) applyRequest(p terraform.Plan) (*tfprotov6.ApplyResourceChangeRequest, diagnostic.Diagnostics) {
	request := &tfprotov6.ApplyResourceChangeRequest{
		TypeName: c.schema.Type, PlannedPrivate: p.Private, ProviderMeta: optional(c.meta),
	}
	prior := p.Prior
	if p.Action == terraform.Create {
		prior = instance.Instance{State: cty.NullVal(c.state)}
	}
	if p.PriorSent != cty.NilVal {
		prior.State, prior.Wire = p.PriorSent, nil
	}
	b, err := c.stateBytes(prior)
	if err != nil {
		return nil, c.unencodable("prior state", err)
	}
	request.PriorState = dynamic(b)
	if b, err = encode(p.State, c.state); err != nil {
		return nil, c.unencodable("planned state", err)
	}
	request.PlannedState = dynamic(b)
	if b, err = encode(p.Config, c.state); err != nil {
		return nil, c.unencodable("configuration", err)
	}
	request.Config = dynamic(b)
	identity := instance.Instance{Identity: p.Identity}
	if p.Action == terraform.Delete {
		// The framework expects the prior identity here; the legacy SDK ignores it.
		identity = p.Prior
		if !identity.HasIdentity() {
			identity = instance.Instance{Identity: p.Identity}
		}
	}
	if b, err = c.identityBytes(identity); err != nil {
		return nil, c.unencodable("identity", err)
	}
	request.PlannedIdentity = identityData(b)
	return request, nil
}

// unanswered returns the result of an apply whose outcome the provider did not report: the
// prior instance is kept.
func (c *call) unanswered(p terraform.Plan, diags diagnostic.Diagnostics) (instance.Instance, diagnostic.Diagnostics) {
	if p.Action == terraform.Create {
		diags = append(diags, terraform.OutcomeUnknownError(c.schema.Type)...)
	}
	return p.Prior, diags
}

// applied returns the instance to store after an answer to ApplyResourceChange.
func (c *call) applied(
	ctx context.Context, p terraform.Plan, answer *tfprotov6.ApplyResourceChangeResponse,
) (instance.Instance, diagnostic.Diagnostics) {
	diags := diagnostic.FromProtocol(answer.Diagnostics)
	identity, identityBytes, more := c.answeredIdentity(answer.NewIdentity)
	if !more.HasErrors() {
		more = c.knownIdentity(identity)
	}
	if more.HasErrors() {
		identity, identityBytes = nullIdentity(c.identity), nil
	}
	diags = append(diags, more...)

	state, err := c.decodeState(answer.NewState)
	switch {
	case err != nil:
		diags = append(diags, diagnostic.AttributeErrorf(c.at(err), invalidObject,
			"The provider's result for %s does not fit its schema: %s. %s", c.schema.Type, err, providerBug)...)
		return c.unanswered(p, diags)
	case isAbsent(answer.NewState) && p.Action != terraform.Delete && !diags.HasErrors():
		diags = append(diags, diagnostic.Errorf(invalidObject, "The provider's result for %s holds no object. %s", c.schema.Type, providerBug)...)
		return c.unanswered(p, diags)
	}

	clean := state
	if more := c.checkWriteOnly(state, invalidObject, "The result"); more.HasErrors() {
		diags = append(diags, more...)
		clean = withoutWriteOnly(c.schema.Block, clean)
	}
	if more := c.checkWhollyKnown(clean, invalidResult, "The result"); more.HasErrors() {
		diags = append(diags, more...)
		clean = cty.UnknownAsNull(clean)
	}
	if p.Action != terraform.Delete && !diags.HasErrors() {
		diags = append(diags, c.assertCompatible(ctx, p, state, answer.UnsafeToUseLegacyTypeSystem)...)
	}
	if !diags.HasErrors() && clean.IsNull() != (p.Action == terraform.Delete) {
		if diags = append(diags, c.wrongExistence(p)...); p.Action != terraform.Delete {
			return c.unanswered(p, diags) // a create may have made an object all the same
		}
	}

	if p.Action == terraform.Create && !diags.HasErrors() && terraform.Unidentified(p.State, clean, identity) {
		diags = append(diags, diagnostic.AttributeErrorf(cty.GetAttrPath("id"), invalidResult,
			"The provider's result for %s has neither an id nor an identity. %s", c.schema.Type, providerBug)...)
		return c.unanswered(p, diags)
	}

	if clean.IsNull() {
		if diags.HasErrors() {
			return p.Prior, diags
		}
		return gone(p.Prior, c), diags
	}
	bytes := wireBytes(answer.NewState, clean, c.state)
	if !clean.RawEquals(state) {
		if bytes, err = encode(clean, c.state); err != nil {
			bytes = nil
		}
	}
	out := p.Prior
	out.State, out.SchemaVersion, out.RawState = clean, c.schema.Version, nil
	out.Private = answer.Private
	out.SensitivePaths, out.CreateBeforeDestroy = existing(p.SensitivePaths, clean), p.CreateBeforeDestroy
	if diags.HasErrors() {
		if terraform.UnexpectedIdentityChange(diags) {
			// The framework returns the identity that it rejects.
			identity, identityBytes = nullIdentity(c.identity), nil
		}
		out = c.partial(p, out, identity, identityBytes)
	} else {
		out.Status = instance.Full
		if p.Action == terraform.Create && !complete(p, clean, diags) {
			out.Status = instance.Partial
		}
		out.Identity, out.IdentityVersion, out.RawIdentity = identity, c.identityVersion(), nil
	}
	if out.HasIdentity() && identityBytes == nil {
		identityBytes, _ = c.identityBytes(p.Prior)
	}
	out.Wire = newWire(bytes, identityBytes)
	return out, diags
}

// partial returns the instance to store after a result with errors. Private bytes and identity
// are kept if the answer has none, since early failures of the legacy SDK have neither.
func (c *call) partial(p terraform.Plan, out instance.Instance, identity cty.Value, identityBytes []byte) instance.Instance {
	if len(out.Private) == 0 {
		out.Private = p.Prior.Private
		if p.Action == terraform.Create {
			out.Private = p.Private
		}
	}
	if identityBytes != nil {
		out.Identity, out.IdentityVersion, out.RawIdentity = identity, c.identityVersion(), nil
	}
	if p.Action == terraform.Create {
		out.Status = instance.Tainted
	}
	if out.Status == instance.Empty {
		out.Status = instance.Full
	}
	return out
}

// existing returns the paths that exist in v.
func existing(paths []cty.Path, v cty.Value) []cty.Path {
	if v == cty.NilVal {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(paths), func(path cty.Path) bool {
		_, err := path.Apply(v)
		return err != nil
	})
}

func (c *call) assertCompatible(ctx context.Context, p terraform.Plan, state cty.Value, legacy bool) diagnostic.Diagnostics {
	log := logr.FromContextOrDiscard(ctx).V(1)
	if state.IsNull() || legacy && !log.Enabled() {
		return nil
	}
	var diags diagnostic.Diagnostics
	for _, err := range objchange.AssertObjectCompatible(c.schema.Block, p.State, state) {
		path := c.at(err)
		if legacy {
			log.Info("The provider's result is not what was planned, which is tolerated because it uses the "+
				"legacy plugin SDK", "type", c.schema.Type, "attribute", diagnostic.FormatPath(path),
				"problem", err.Error())
			continue
		}
		diags = append(diags, diagnostic.AttributeErrorf(path, "Provider produced inconsistent result after apply",
			"The result for %s is not what was planned: %s. %s", c.schema.Type, err, providerBug)...)
	}
	return diags
}

func (c *call) wrongExistence(p terraform.Plan) diagnostic.Diagnostics {
	if p.Action == terraform.Delete {
		return diagnostic.Errorf(invalidResult, "After applying a delete the provider returned an object of %s, "+
			"where there must be none. %s", c.schema.Type, providerBug)
	}
	return diagnostic.Errorf(invalidResult, "After the apply the provider returned no object of %s. %s", c.schema.Type, providerBug)
}

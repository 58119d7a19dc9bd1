package engine

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Import implements terraform.Executor (contract § 3.10): import, then read what was imported.
func (e *Engine) Import(
	ctx context.Context, r terraform.ResourceType, target terraform.ImportTarget,
) (instance.Instance, diagnostic.Diagnostics) {
	var none instance.Instance
	c, diags := e.begin(ctx, r)
	if diags.HasErrors() {
		return none, diags
	}
	request, diags := c.importRequest(target)
	if diags.HasErrors() {
		return none, diags
	}
	answer, err := c.server.ImportResourceState(ctx, request)
	if err != nil {
		return none, provider.CallError(err)
	}
	imported, diags := c.imported(answer, request.Identity != nil)
	if diags.HasErrors() {
		return none, diags
	}
	identity, err := c.identityBytes(imported)
	if err != nil {
		return none, append(diags, c.unencodable("identity", err)...)
	}
	state, err := c.stateBytes(imported)
	if err != nil {
		return none, append(diags, c.unencodable("imported state", err)...)
	}
	// The private bytes tell the provider that this is the first read after an import.
	read, err := c.server.ReadResource(ctx, c.readRequest(state, identity, imported.Private))
	if err != nil {
		return none, append(diags, provider.CallError(err)...)
	}
	out, more := c.readAnswer(read, imported)
	diags = append(diags, more...)
	if diags.HasErrors() {
		return none, diags
	}
	if !out.Exists() {
		return none, append(diags, diagnostic.Errorf("Cannot import non-existent remote object",
			"While attempting to import an existing object of %s, the provider detected that no object exists with "+
				"the given id or identity. Only objects that exist can be imported; check the id or identity, and "+
				"that the provider is configured for the account and region the object is in.",
			c.schema.Type)...)
	}
	return out, diags
}

func (c *call) importRequest(target terraform.ImportTarget) (*tfprotov6.ImportResourceStateRequest, diagnostic.Diagnostics) {
	request := &tfprotov6.ImportResourceStateRequest{
		TypeName: c.schema.Type, ID: target.ID,
		ClientCapabilities: &tfprotov6.ImportResourceStateClientCapabilities{DeferralAllowed: true},
	}
	byIdentity := target.Identity != cty.NilVal
	switch {
	case byIdentity && target.ID != "":
		return nil, diagnostic.Errorf("Invalid import block", "An import is by id or by identity. Give only one of the two.")
	case !byIdentity && target.ID == "":
		return nil, diagnostic.Errorf("Invalid import id argument", "The import id is empty, and no identity is given. Give one of the two.")
	case !byIdentity:
		return request, nil
	}
	identity, diags := c.importIdentity(target.Identity)
	if diags.HasErrors() {
		for i := range diags {
			diags[i].OfIdentity = len(diags[i].Attribute) > 0
		}
		return nil, diags
	}
	b, err := encode(identity, c.identity)
	if err != nil {
		return nil, c.unencodable("import identity", err)
	}
	request.Identity = identityData(b)
	return request, nil
}

// importIdentity converts a given identity to the type of the identity schema. It must be known,
// have all attributes required for import, and no others than the schema's.
func (c *call) importIdentity(given cty.Value) (cty.Value, diagnostic.Diagnostics) {
	const wrongType, invalid = "Incorrect value type", "Invalid import identity argument"
	switch {
	case c.schema.Identity == nil:
		return given, diagnostic.Errorf("Unable to determine identity schema for import identity",
			"The provider has no identity for %s (unknown identity type). Import it by id.", c.schema.Type)
	case given.ContainsMarked():
		return given, diagnostic.Errorf("Invalid import identity", "The import identity cannot be sensitive.")
	case given.IsNull():
		return given, diagnostic.Errorf(invalid, "The import identity cannot be null.")
	case !given.IsWhollyKnown():
		return given, diagnostic.Errorf(invalid, "The import identity must be known when it is used.")
	case !given.Type().IsObjectType():
		return given, diagnostic.Errorf(wrongType, "The import identity must be an object.")
	}
	var diags diagnostic.Diagnostics
	for _, name := range slices.Sorted(maps.Keys(given.Type().AttributeTypes())) {
		if c.schema.Identity.Attributes[name] == nil {
			diags = append(diags, diagnostic.AttributeErrorf(cty.GetAttrPath(name), wrongType,
				"The identity of %s has no attribute %q.", c.schema.Type, name)...)
		}
	}
	values := make(map[string]cty.Value, len(c.schema.Identity.Attributes))
	for _, name := range slices.Sorted(maps.Keys(c.schema.Identity.Attributes)) {
		a := c.schema.Identity.Attributes[name]
		value := cty.NullVal(a.Type)
		if given.Type().HasAttribute(name) {
			v, err := convert.Convert(given.GetAttr(name), a.Type)
			if err != nil {
				diags = append(diags, diagnostic.AttributeErrorf(cty.GetAttrPath(name), wrongType,
					"The identity attribute %q must be a %s.", name, a.Type.FriendlyName())...)
				continue
			}
			value = v
		}
		if a.RequiredForImport && value.IsNull() {
			diags = append(diags, diagnostic.AttributeErrorf(cty.GetAttrPath(name), wrongType, "The identity attribute %q is required.", name)...)
		}
		values[name] = value
	}
	return cty.ObjectVal(values), diags
}

// ofIdentity returns the diagnostics of an import by identity. An attribute that the identity has
// is meant as one of it: no other was given.
func (c *call) ofIdentity(diags diagnostic.Diagnostics) diagnostic.Diagnostics {
	for i, d := range diags {
		if len(d.Attribute) == 0 {
			continue
		}
		if name, ok := d.Attribute[0].(cty.GetAttrStep); ok && c.schema.Identity != nil && c.schema.Identity.Attributes[name.Name] != nil {
			diags[i].OfIdentity = true
		}
	}
	return diags
}

// imported returns the object in the answer to ImportResourceState, before it is read.
func (c *call) imported(answer *tfprotov6.ImportResourceStateResponse, byIdentity bool) (instance.Instance, diagnostic.Diagnostics) {
	var none instance.Instance
	diags := diagnostic.FromProtocol(answer.Diagnostics)
	if byIdentity {
		diags = c.ofIdentity(diags)
	}
	if diags.HasErrors() {
		return none, diags
	}
	fail := func(summary, detail string, args ...any) (instance.Instance, diagnostic.Diagnostics) {
		return none, append(diags, diagnostic.Errorf(summary, detail, args...)...)
	}
	var objects []*tfprotov6.ImportedResource
	for _, o := range answer.ImportedResources {
		if o != nil {
			objects = append(objects, o)
		}
	}
	switch {
	case answer.Deferred != nil:
		return none, append(diags, c.deferred(answer.Deferred)...)
	case len(objects) > 1:
		return fail("Multiple import states not supported", "The provider imported %d objects for one of %s. Only "+
			"imports of one object are supported.", len(objects), c.schema.Type)
	case len(objects) == 0:
		return fail("Import returned no resources", "The provider found nothing to import for %s.", c.schema.Type)
	case objects[0].TypeName != c.schema.Type:
		return fail("Import returned another resource type", "The provider imported an object of type %q, where %s "+
			"was asked for. %s", objects[0].TypeName, c.schema.Type, providerBug)
	}
	object := objects[0]
	identity, identityBytes, more := c.answeredIdentity(object.Identity)
	if !more.HasErrors() {
		more = c.knownIdentity(identity)
	}
	diags = append(diags, more...)
	if diags.HasErrors() {
		return none, diags
	}
	if byIdentity && identityBytes == nil {
		return fail("Import returned no identity", "The import of %s didn't return an identity. %s", c.schema.Type, providerBug)
	}
	state, err := c.decodeState(object.State)
	if err != nil {
		return none,
			append(diags, diagnostic.AttributeErrorf(c.at(err), invalidObject,
				"The imported object of %s does not fit its schema: %s. %s", c.schema.Type, err, providerBug)...)
	}
	diags = append(diags, c.checkWriteOnly(state, "Import returned a non-null value for a write-only attribute", "The imported object")...)
	if diags.HasErrors() {
		return none, diags
	}
	if state.IsNull() && !byIdentity {
		return fail("Import returned null resource", "While attempting to import with the given id, the provider "+
			"returned an object of %s that does not exist.", c.schema.Type)
	}
	return instance.Instance{
		State: state, SchemaVersion: c.schema.Version,
		Identity: identity, IdentityVersion: c.identityVersion(), Private: object.Private,
		Wire: newWire(wireBytes(object.State, state, c.state), identityBytes),
	}, diags
}

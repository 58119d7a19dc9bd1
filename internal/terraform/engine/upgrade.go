package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/wire"
)

const newerProvider = "Resource instance managed by newer provider version"

// upgraded is a value of the current schema version, and its msgpack encoding for requests.
type upgraded struct {
	value cty.Value
	wire  []byte
}

// upgradeState upgrades a stored state to the current schema version. Core calls the provider
// even when the versions are equal, for minor repairs. The engine does not for a state that this
// provider has returned unchanged (in.Wire is set), which needs none.
func (c *call) upgradeState(ctx context.Context, in instance.Instance) (upgraded, diagnostic.Diagnostics) {
	if in.Wire != nil && len(in.Wire.State) > 0 && len(in.RawState) == 0 {
		return upgraded{value: in.State, wire: in.Wire.State}, nil
	}
	version := in.SchemaVersion
	raw := []byte(in.RawState)
	if len(raw) == 0 {
		version = c.schema.Version
		var err error
		if raw, err = wire.MarshalJSON(in.State, c.state); err != nil {
			return upgraded{}, diagnostic.AttributeErrorf(c.at(err), "Failed to encode resource state",
				"The stored state of %s cannot be encoded: %s.", c.schema.Type, err)
		}
	}
	switch {
	case version > c.schema.Version:
		return upgraded{}, diagnostic.Errorf(newerProvider,
			"The stored state of %s has schema version %d, where this version of the provider knows %d. Use the "+
				"provider version that wrote it, or a newer one.",
			c.schema.Type, version, c.schema.Version)
	case version == c.schema.Version && len(in.RawState) > 0:
		stripped, err := stripUnknownKeys(raw, c.state)
		if err != nil {
			return upgraded{}, diagnostic.Errorf("Failed to decode resource state", "The stored state of %s is not JSON: %s.", c.schema.Type, err)
		}
		raw = stripped
	}
	answer, err := c.server.UpgradeResourceState(ctx, &tfprotov6.UpgradeResourceStateRequest{
		TypeName: c.schema.Type, Version: version, RawState: &tfprotov6.RawState{JSON: raw},
	})
	if err != nil {
		return upgraded{}, provider.CallError(err)
	}
	diags := diagnostic.FromProtocol(answer.Diagnostics)
	if diags.HasErrors() {
		return upgraded{}, diags
	}
	const summary = "Invalid resource state upgrade"
	v, err := c.decodeState(answer.UpgradedState)
	if err == nil && v.IsNull() {
		err = errors.New("there is none")
	}
	if err != nil {
		return upgraded{},
			append(diags, diagnostic.AttributeErrorf(c.at(err), summary,
				"The provider's upgraded state of %s cannot be used: %s. %s", c.schema.Type, err, providerBug)...)
	}
	diags = append(diags, c.checkWhollyKnown(v, summary, "The upgraded state")...)
	diags = append(diags, c.checkWriteOnly(v, summary, "The upgraded state")...)
	return upgraded{value: v, wire: wireBytes(answer.UpgradedState, v, c.state)}, diags
}

// upgradeIdentity upgrades a stored identity to the current version of the identity schema.
// Without a stored identity there is no call: the read returns the identity.
func (c *call) upgradeIdentity(ctx context.Context, in instance.Instance) (upgraded, diagnostic.Diagnostics) {
	none := upgraded{value: nullIdentity(c.identity)}
	switch {
	case !in.HasIdentity():
		return none, nil
	case in.IdentityVersion > c.identityVersion() && len(in.RawIdentity) > 0:
		return none, diagnostic.Errorf(newerProvider,
			"The stored identity of %s has version %d, where this version of the provider knows %d. Use the "+
				"provider version that wrote it, or a newer one.",
			c.schema.Type, in.IdentityVersion, c.identityVersion())
	case c.identity == cty.NilType:
		return none, nil // the type has no identity schema any more
	case len(in.RawIdentity) == 0:
		b, err := c.identityBytes(in)
		if err != nil {
			return none, c.unreadableIdentity(err)
		}
		return upgraded{value: in.Identity, wire: b}, nil
	case in.IdentityVersion == c.identityVersion():
		v, err := wire.UnmarshalJSON(in.RawIdentity, c.identity)
		if err != nil {
			return none, c.unreadableIdentity(err)
		}
		b, err := encode(v, c.identity)
		if err != nil {
			return none, c.unreadableIdentity(err)
		}
		return upgraded{value: v, wire: b}, nil
	}
	answer, err := c.server.UpgradeResourceIdentity(ctx, &tfprotov6.UpgradeResourceIdentityRequest{
		TypeName: c.schema.Type, Version: in.IdentityVersion, RawIdentity: &tfprotov6.RawState{JSON: in.RawIdentity},
	})
	if err != nil {
		return none, provider.CallError(err)
	}
	diags := diagnostic.FromProtocol(answer.Diagnostics)
	if diags.HasErrors() {
		return none, diags
	}
	const summary = "Invalid resource identity upgrade"
	var data *tfprotov6.DynamicValue
	if answer.UpgradedIdentity != nil {
		data = answer.UpgradedIdentity.IdentityData
	}
	v, err := decode(data, c.identity)
	switch {
	case err == nil && v.IsNull():
		err = errors.New("there is none")
	case err == nil && !v.IsWhollyKnown():
		err = errors.New("it has unknown values")
	case err == nil:
		missing := c.missingIdentity(v)
		if missing == "" {
			break
		}
		upgrades, more := c.upgradesIdentity(ctx, in, v)
		switch {
		case more.HasErrors():
			return none, more
		case upgrades && !instance.Identified(v):
			err = errors.New("all attributes are null")
		case !upgrades:
			return none, append(diags, diagnostic.Errorf(summary,
				"The provider has no upgrader of the identity of %s from version %d to version %d: in its answer "+
					"%s. The stored identity is kept. Use the provider version that wrote it, or one that "+
					"can upgrade it.",
				c.schema.Type, in.IdentityVersion, c.identityVersion(), missing)...)
		}
	}
	if err != nil {
		return none,
			append(diags, diagnostic.Errorf(summary,
				"The provider's upgraded identity of %s, from version %d to version %d, cannot be used: %s. %s",
				c.schema.Type, in.IdentityVersion, c.identityVersion(), formatError(err), providerBug)...)
	}
	return upgraded{value: v, wire: wireBytes(data, v, c.identity)}, diags
}

// missingIdentity describes what an identity lacks to identify an object; empty if nothing.
func (c *call) missingIdentity(v cty.Value) string {
	something := false
	for _, name := range slices.Sorted(maps.Keys(c.schema.Identity.Attributes)) {
		null := v.GetAttr(name).IsNull()
		if null && c.schema.Identity.Attributes[name].RequiredForImport {
			return fmt.Sprintf("the attribute %q, which an import requires, is null", name)
		}
		something = something || !null
	}
	if !something {
		return "all attributes are null"
	}
	return ""
}

// upgradesIdentity reports whether an upgrader has made an identity of which attributes are null.
// Without one, the legacy SDK reports no error, and answers with the stored identity, as far as the
// schema has its attributes. So if it is asked again, with a value for each attribute that was
// null, it answers with these values, and an upgrader does not.
func (c *call) upgradesIdentity(ctx context.Context, in instance.Instance, v cty.Value) (bool, diagnostic.Diagnostics) {
	var stored map[string]json.RawMessage
	if err := json.Unmarshal(in.RawIdentity, &stored); err != nil || stored == nil {
		return false, c.unreadableIdentity(errors.New("it is not an object"))
	}
	var added []string
	for name, a := range c.schema.Identity.Attributes {
		if v.GetAttr(name).IsNull() {
			stored[name] = placeholder(a.Type)
			added = append(added, name)
		}
	}
	raw, err := json.Marshal(stored)
	if err != nil {
		return false, c.unreadableIdentity(err)
	}
	answer, err := c.server.UpgradeResourceIdentity(ctx, &tfprotov6.UpgradeResourceIdentityRequest{
		TypeName: c.schema.Type, Version: in.IdentityVersion, RawIdentity: &tfprotov6.RawState{JSON: raw},
	})
	switch {
	case err != nil:
		return false, provider.CallError(err)
	case diagnostic.FromProtocol(answer.Diagnostics).HasErrors() || answer.UpgradedIdentity == nil:
		return true, nil // it was looked at
	}
	again, err := decode(answer.UpgradedIdentity.IdentityData, c.identity)
	return err != nil || again.IsNull() || slices.ContainsFunc(added, func(name string) bool { return again.GetAttr(name).IsNull() }), nil
}

// placeholder returns a JSON value of a type of identities.
func placeholder(t cty.Type) json.RawMessage {
	switch {
	case t == cty.String:
		return json.RawMessage(`"placeholder"`)
	case t == cty.Number:
		return json.RawMessage(`1`)
	case t == cty.Bool:
		return json.RawMessage(`true`)
	default:
		return json.RawMessage(`[]`)
	}
}

func (c *call) unreadableIdentity(err error) diagnostic.Diagnostics {
	return diagnostic.Errorf(fmt.Sprintf("failed to decode identity: %s", formatError(err)),
		"The stored identity of %s has the current version of the identity schema, but does not fit it. The "+
			"provider most likely changed the schema without a new version; that is a bug in the provider.",
		c.schema.Type)
}

// explainIdentity adds to the provider's refusal of a stored identity what the identity lacks.
func (c *call) explainIdentity(diags diagnostic.Diagnostics, stored cty.Value) diagnostic.Diagnostics {
	if !terraform.UnexpectedIdentityChange(diags) || stored == cty.NilVal || stored.IsNull() || !stored.IsKnown() {
		return diags
	}
	var missing []string
	for _, name := range slices.Sorted(maps.Keys(c.schema.Identity.Attributes)) {
		if stored.GetAttr(name).IsNull() {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return diags
	}
	return append(diags, terraform.IdentityIncompleteError(c.schema.Type, missing, c.identityVersion())...)
}

// stripUnknownKeys drops object keys that type t does not have. Numbers keep their digits.
func stripUnknownKeys(raw []byte, t cty.Type) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, errors.New("malformed JSON")
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(strip(v, t)); err != nil {
		return nil, errors.New("malformed JSON")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func strip(v any, t cty.Type) any {
	switch v := v.(type) {
	case map[string]any:
		switch {
		case t.IsObjectType():
			for key, e := range v {
				if !t.HasAttribute(key) {
					delete(v, key)
					continue
				}
				v[key] = strip(e, t.AttributeType(key))
			}
		case t.IsMapType():
			for key, e := range v {
				v[key] = strip(e, t.ElementType())
			}
		}
	case []any:
		switch {
		case t.IsListType() || t.IsSetType():
			for i, e := range v {
				v[i] = strip(e, t.ElementType())
			}
		case t.IsTupleType():
			for i, e := range v {
				if types := t.TupleElementTypes(); i < len(types) {
					v[i] = strip(e, types[i])
				}
			}
		}
	}
	return v
}

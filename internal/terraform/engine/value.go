package engine

import (
	"bytes"
	"errors"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/wire"
)

// encode returns the msgpack of a value of type t; cty.NilVal counts as null.
func encode(v cty.Value, t cty.Type) ([]byte, error) { return wire.Marshal(v, t) }

// dynamic returns the value field of a request. Such fields are always sent, since the legacy SDK
// does not check for missing ones.
func dynamic(msgpack []byte) *tfprotov6.DynamicValue {
	if msgpack == nil {
		msgpack = wire.Null
	}
	return &tfprotov6.DynamicValue{MsgPack: msgpack}
}

// optional returns a value field that may be left out.
func optional(msgpack []byte) *tfprotov6.DynamicValue {
	if msgpack == nil {
		return nil
	}
	return &tfprotov6.DynamicValue{MsgPack: msgpack}
}

func identityData(msgpack []byte) *tfprotov6.ResourceIdentityData {
	if msgpack == nil {
		return nil
	}
	return &tfprotov6.ResourceIdentityData{IdentityData: &tfprotov6.DynamicValue{MsgPack: msgpack}}
}

// isAbsent reports whether an answer's value field holds nothing, not even null.
func isAbsent(v *tfprotov6.DynamicValue) bool {
	return v == nil || len(v.MsgPack) == 0 && len(v.JSON) == 0
}

// decode reads a value field of an answer, msgpack first. An absent one is null (contract § 1).
func decode(v *tfprotov6.DynamicValue, t cty.Type) (cty.Value, error) {
	switch {
	case isAbsent(v):
		return cty.NullVal(t), nil
	case len(v.MsgPack) > 0:
		return wire.Unmarshal(v.MsgPack, t)
	default:
		return wire.UnmarshalJSON(v.JSON, t)
	}
}

// decodeState decodes a value of the resource type.
func (c *call) decodeState(v *tfprotov6.DynamicValue) (cty.Value, error) {
	out, err := decode(v, c.state)
	if err == nil && c.hasDynamicBlocks {
		err = checkDynamicBlocks(c.schema.Block, out, nil)
	}
	return out, err
}

// wireBytes returns the encoding of an answer's value for later requests: the provider's own
// bytes if they are msgpack.
func wireBytes(answer *tfprotov6.DynamicValue, v cty.Value, t cty.Type) []byte {
	if answer != nil && len(answer.MsgPack) > 0 {
		return answer.MsgPack
	}
	b, err := encode(v, t)
	if err != nil {
		return nil
	}
	return b
}

// stateBytes returns the encoded state of an instance.
func (c *call) stateBytes(in instance.Instance) ([]byte, error) {
	if in.Wire != nil && len(in.Wire.State) > 0 {
		return in.Wire.State, nil
	}
	return encode(in.State, c.state)
}

// identityBytes returns the encoded identity of an instance; nil if there is none.
func (c *call) identityBytes(in instance.Instance) ([]byte, error) {
	if c.identity == cty.NilType || in.Identity == cty.NilVal || in.Identity.IsNull() {
		return nil, nil
	}
	if in.Wire != nil && len(in.Wire.Identity) > 0 {
		return in.Wire.Identity, nil
	}
	return encode(in.Identity, c.identity)
}

// answeredIdentity returns the identity field of an answer: its value, and its
// encoding for later requests. They are null and nil if the answer has no identity, or a null one.
func (c *call) answeredIdentity(data *tfprotov6.ResourceIdentityData) (cty.Value, []byte, diagnostic.Diagnostics) {
	if data == nil || isAbsent(data.IdentityData) || wire.IsNull(data.IdentityData.MsgPack) {
		return nullIdentity(c.identity), nil, nil
	}
	if c.identity == cty.NilType {
		return cty.NilVal, nil, c.identityMismatch(errors.New("the resource type has no identity schema"))
	}
	v, err := decode(data.IdentityData, c.identity)
	if err != nil {
		return cty.NullVal(c.identity), nil, c.identityMismatch(err)
	}
	if v.IsNull() {
		return v, nil, nil
	}
	return v, wireBytes(data.IdentityData, v, c.identity), nil
}

func (c *call) identityMismatch(err error) diagnostic.Diagnostics {
	return diagnostic.Errorf("Provider produced an identity that doesn't match the schema",
		"The provider returned an identity for %s that does not conform to its identity schema: %s. This is a bug "+
			"in the provider, which should be reported in the provider's own issue tracker.",
		c.schema.Type, formatError(err))
}

// knownIdentity returns an error if an identity is not wholly known.
func (c *call) knownIdentity(v cty.Value) diagnostic.Diagnostics {
	if v == cty.NilVal || v.IsWhollyKnown() {
		return nil
	}
	return diagnostic.Errorf("Provider produced invalid identity",
		"The provider returned an identity for %s with unknown values. This is a bug in the provider, which should "+
			"be reported in the provider's own issue tracker.",
		c.schema.Type)
}

// formatError formats an error about an identity, with the attribute path if it has one.
func formatError(err error) string {
	var at cty.PathError
	if errors.As(err, &at) && len(at.Path) > 0 {
		return diagnostic.FormatPath(at.Path) + ": " + at.Error()
	}
	return err.Error()
}

// at returns the path of the attribute that an error about a value of the resource type refers to.
func (c *call) at(err error) cty.Path {
	var at cty.PathError
	if errors.As(err, &at) {
		return publicPath(c.schema.Block, at.Path)
	}
	return nil
}

// newWire returns the provider's own encoding of an object; nil if the state's is unknown.
func newWire(state, identity []byte) *instance.Wire {
	if len(state) == 0 {
		return nil
	}
	return &instance.Wire{State: state, Identity: identity}
}

func sameBytes(a, b []byte) bool { return bytes.Equal(a, b) }

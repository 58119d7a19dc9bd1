package instance

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/wire"
)

// FormerIdentity is an earlier identity of an object.
type FormerIdentity struct {
	// Identity is JSON with the attribute names of the identity schema.
	Identity json.RawMessage `json:"identity"`
	// Version is that of the identity schema.
	Version int64 `json:"version,omitempty"`
	// Until is when the next identity was first seen.
	Until time.Time `json:"until"`
}

// MaxIdentityHistory is the maximum number of former identities of an object that are kept.
const MaxIdentityHistory = 10

// IdentityChanged reports whether two instances of one object, the earlier one first, have
// different identities of the same schema version. An upgrade of an identity is not a change of
// it, and neither is an identity that becomes known or unknown.
func IdentityChanged(prior, next Instance) bool {
	return prior.Exists() && next.Exists() && isSet(prior.Identity) && isSet(next.Identity) &&
		prior.Identity.Type().Equals(next.Identity.Type()) && !prior.Identity.RawEquals(next.Identity)
}

// WithoutIdentity returns the instance without its identity: the next read of the object returns
// the one that it has.
func (i Instance) WithoutIdentity() Instance {
	i.Identity, i.IdentityVersion, i.RawIdentity, i.Wire = cty.NilVal, 0, nil, nil
	return i
}

// AfterIdentity returns the instance with the identity of prior, an earlier instance of the same
// object, in its history if it differs from its own.
func (i Instance) AfterIdentity(prior Instance, now time.Time) Instance {
	if !IdentityChanged(prior, i) {
		return i
	}
	raw, err := wire.MarshalJSON(prior.Identity, prior.Identity.Type())
	if err != nil {
		return i // an identity that cannot be encoded was never stored
	}
	former := FormerIdentity{Identity: raw, Version: prior.IdentityVersion, Until: now.UTC().Truncate(time.Second)}
	i.IdentityHistory = append(slices.Clone(i.IdentityHistory), former)
	if n := len(i.IdentityHistory) - MaxIdentityHistory; n > 0 {
		i.IdentityHistory = slices.Delete(i.IdentityHistory, 0, n)
	}
	return i
}

// IdentityJSON returns the identity as JSON with the attribute names of its schema, sorted; nil if
// none is known. It is the same for a raw identity and for a value.
func (i Instance) IdentityJSON() []byte {
	raw := i.RawIdentity
	if isSet(i.Identity) {
		if !Identified(i.Identity) {
			return nil
		}
		var err error
		if raw, err = wire.MarshalJSON(i.Identity, i.Identity.Type()); err != nil {
			return nil
		}
	}
	return canonical(raw)
}

// Identified reports whether an identity identifies an object: it is known, and has values.
// Providers return null for all of them if they do not know it, and states have that.
func Identified(identity cty.Value) bool {
	return isSet(identity) && identity.IsWhollyKnown() && !allNull(identity)
}

func allNull(v cty.Value) bool {
	for _, a := range v.AsValueMap() {
		if !a.IsNull() {
			return false
		}
	}
	return true
}

// canonical returns JSON with sorted keys and without white space. Numbers keep their digits.
func canonical(raw []byte) []byte {
	if !isSetJSON(raw) {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil
	}
	out, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return out
}

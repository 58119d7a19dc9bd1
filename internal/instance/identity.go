package instance

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/wire"
)

// FormerIdentity is an identity that an object had, and has no more.
type FormerIdentity struct {
	// Identity is JSON with the attribute names of the identity schema.
	Identity json.RawMessage `json:"identity"`
	// Version is that of the identity schema.
	Version int64 `json:"version,omitempty"`
	// Until is when another identity was first seen.
	Until time.Time `json:"until"`
}

// MaxIdentityHistory is how many former identities of an object are remembered.
const MaxIdentityHistory = 10

// IdentityChanged says whether two instances of one object, the earlier one first, have
// different identities of the same schema version. What an upgrade makes of an identity is no
// change of it, and neither is an identity that becomes known or unknown.
func IdentityChanged(prior, next Instance) bool {
	return prior.Exists() && next.Exists() && isSet(prior.Identity) && isSet(next.Identity) &&
		prior.Identity.Type().Equals(next.Identity.Type()) && !prior.Identity.RawEquals(next.Identity)
}

// AfterIdentity is the instance with the identity of prior, which is the same object, in its
// history, if it is another one than its own.
func (i Instance) AfterIdentity(prior Instance, now time.Time) Instance {
	if !IdentityChanged(prior, i) {
		return i
	}
	raw, err := wire.MarshalJSON(prior.Identity, prior.Identity.Type())
	if err != nil {
		return i // what cannot be written down was never stored
	}
	former := FormerIdentity{Identity: raw, Version: prior.IdentityVersion, Until: now.UTC().Truncate(time.Second)}
	i.IdentityHistory = append(slices.Clone(i.IdentityHistory), former)
	if n := len(i.IdentityHistory) - MaxIdentityHistory; n > 0 {
		i.IdentityHistory = slices.Delete(i.IdentityHistory, 0, n)
	}
	return i
}

// IdentityJSON is the identity as JSON with the attribute names of its schema, sorted; nil when
// none is known. It is the same however the identity came to be known.
func (i Instance) IdentityJSON() []byte {
	raw := i.RawIdentity
	if isSet(i.Identity) {
		if !i.Identity.IsWhollyKnown() || allNull(i.Identity) {
			return nil
		}
		var err error
		if raw, err = wire.MarshalJSON(i.Identity, i.Identity.Type()); err != nil {
			return nil
		}
	}
	return canonical(raw)
}

func allNull(v cty.Value) bool {
	for _, a := range v.AsValueMap() {
		if !a.IsNull() {
			return false
		}
	}
	return true
}

// canonical is JSON with its keys sorted and nothing between them. Numbers keep their digits.
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

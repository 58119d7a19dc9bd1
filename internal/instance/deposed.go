package instance

import (
	"crypto/rand"
	"encoding/hex"
	"slices"

	"github.com/zclconf/go-cty/cty"
)

// NewDeposedKey returns eight hex digits that no deposed object of the instance has as its key.
func (i Instance) NewDeposedKey() string {
	for {
		var b [4]byte
		_, _ = rand.Read(b[:]) // never fails
		if key := hex.EncodeToString(b[:]); i.DeposedIndex(key) < 0 {
			return key
		}
	}
}

// DeposedIndex returns the index in Deposed of the object with the key, or -1.
func (i Instance) DeposedIndex(key string) int {
	return slices.IndexFunc(i.Deposed, func(d Deposed) bool { return d.Key == key })
}

// Has reports whether there is a deposed object with the key; the current one, if the key is empty.
func (i Instance) Has(key string) bool {
	if key == "" {
		return i.Exists()
	}
	return i.DeposedIndex(key) >= 0
}

// SetAside returns the instance without a current object: the current one is deposed under key.
func (i Instance) SetAside(key string) Instance {
	return Instance{Deposed: append(slices.Clone(i.Deposed), i.Depose(key))}
}

// FallBack returns the instance with a deposed object as its current one, if it has no current
// object: the deposed object with the key, or else the last one.
func (i Instance) FallBack(key string) Instance {
	if i.Exists() || len(i.Deposed) == 0 {
		return i
	}
	n := i.DeposedIndex(key)
	if n < 0 {
		n = len(i.Deposed) - 1
	}
	out := i.Deposed[n].Instance()
	out.Operation = i.Operation
	if rest := slices.Delete(slices.Clone(i.Deposed), n, n+1); len(rest) > 0 {
		out.Deposed = rest
	}
	return out
}

// WithDeposed returns the instance in which left is the remainder of the deposed object with the
// key. If nothing remains, the deposed object is removed.
func (i Instance) WithDeposed(key string, left Instance) Instance {
	n := i.DeposedIndex(key)
	if n < 0 {
		return i
	}
	i.Deposed = slices.Clone(i.Deposed)
	if left.Exists() {
		i.Deposed[n] = left.Depose(key)
		return i
	}
	if i.Deposed = slices.Delete(i.Deposed, n, n+1); len(i.Deposed) == 0 {
		i.Deposed = nil
	}
	return i
}

// IsDeposed reports whether found is one of the deposed objects. It is true as well where that
// cannot be determined.
func (i Instance) IsDeposed(found Instance) bool {
	return slices.ContainsFunc(i.Deposed, func(d Deposed) bool {
		if a, b := found.Identity, d.Identity; isSet(a) && isSet(b) && a.IsWhollyKnown() && b.IsWhollyKnown() {
			return a.RawEquals(b)
		}
		// By convention, and always in the legacy SDK, the attribute id names an object.
		a, b := id(found.State), id(d.State)
		return a == cty.NilVal || b == cty.NilVal || a.RawEquals(b)
	})
}

// id returns the attribute id of an object; cty.NilVal if it has none, or an unknown or null one.
func id(state cty.Value) cty.Value {
	if !isSet(state) || !state.IsKnown() || !state.Type().IsObjectType() || !state.Type().HasAttribute("id") {
		return cty.NilVal
	}
	if v := state.GetAttr("id"); v.IsKnown() && !v.IsNull() {
		return v
	}
	return cty.NilVal
}

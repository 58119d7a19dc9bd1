package instance

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/wire"
)

// Drift is what was changed of an object outside Landbridge.
type Drift struct {
	// Found is when the first of the changes was read.
	Found time.Time `json:"found"`
	// Gone is set when the object was destroyed. Then there are no Changes.
	Gone    bool          `json:"gone,omitempty"`
	Changes []DriftChange `json:"changes,omitempty"`
}

// DriftChange is the change of one value. A list whose length changed is one value, and so is a
// set.
type DriftChange struct {
	Path Path `json:"path"`
	// Was identifies the value before the change. Config identifies the configured value, if the
	// object was compared with the same configuration before; empty otherwise.
	Was    string `json:"was"`
	Config string `json:"config,omitempty"`
	// Before and After are the values with their types; nil is null. If Instead is set, they are
	// not kept, and are true.
	Before  json.RawMessage `json:"before,omitempty"`
	After   json.RawMessage `json:"after,omitempty"`
	Instead Instead         `json:"instead,omitempty"`
}

// Instead is why the values of a DriftChange are not kept.
type Instead string

// The reasons.
const (
	Sensitive Instead = "sensitive"
	Long      Instead = "long"
)

// DriftOutcome is how a drift has ended.
type DriftOutcome string

// The outcomes.
const (
	// Repaired: an operation of Landbridge has changed the values.
	Repaired DriftOutcome = "Repaired"
	// Adopted: the configuration does not ask for other values any more.
	Adopted DriftOutcome = "Adopted"
	// Reverted: the values from before were set outside Landbridge.
	Reverted DriftOutcome = "Reverted"
	// Observed: the resource has no configuration that the object differs from.
	Observed DriftOutcome = "Observed"
)

// FormerDrift is drift that has ended.
type FormerDrift struct {
	Drift
	Until   time.Time    `json:"until"`
	Outcome DriftOutcome `json:"outcome"`
}

const (
	// MaxDriftHistory is the maximum number of former drifts of an object that are kept.
	MaxDriftHistory = 10
	// maxDriftChanges is the number of changes above which whole attributes are compared.
	maxDriftChanges = 100
	// maxDriftValue bounds a value that is kept, in bytes of JSON.
	maxDriftValue = 4 << 10
)

// AfterDrift returns the instance with a drift that has ended in its history.
func (i Instance) AfterDrift(d Drift, outcome DriftOutcome, now time.Time) Instance {
	i.DriftHistory = append(slices.Clone(i.DriftHistory), FormerDrift{Drift: d, Until: Moment(now), Outcome: outcome})
	if n := len(i.DriftHistory) - MaxDriftHistory; n > 0 {
		i.DriftHistory = slices.Delete(i.DriftHistory, 0, n)
	}
	return i
}

// Moment returns a time as it is kept.
func Moment(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

// Filter returns the drift with the changes for which keep returns true; nil if none is left.
func (d *Drift) Filter(keep func(DriftChange) bool) *Drift {
	if d == nil {
		return nil
	}
	out := *d
	out.Changes = nil
	for _, c := range d.Changes {
		if keep(c) {
			out.Changes = append(out.Changes, c)
		}
	}
	if len(out.Changes) == 0 {
		return nil
	}
	return &out
}

// Has reports whether the drift has a change of the value at a path.
func (d *Drift) Has(path cty.Path) bool {
	return d != nil && slices.ContainsFunc(d.Changes, func(c DriftChange) bool { return cty.Path(c.Path).Equals(path) })
}

// Read describes two states of an object, and what is known of their values.
type Read struct {
	Before, After cty.Value
	// Sensitive reports whether the value at a path must not be kept.
	Sensitive func(cty.Path) bool
	// Config is the configuration, if the object was compared with it before; else cty.NilVal.
	Config cty.Value
	At     time.Time
}

// DriftAfter returns the drift after a read; nil if there is none. Values that are as they were
// before former are left out.
func DriftAfter(former *Drift, read Read) *Drift {
	out := Drift{Found: Moment(read.At)}
	paths := Differences(read.Before, read.After)
	if former != nil && !former.Gone {
		if len(former.Changes) > 0 {
			out.Found = former.Found
		}
		for _, c := range former.Changes {
			covered := slices.ContainsFunc(paths, func(p cty.Path) bool { return len(p) < len(c.Path) && cty.Path(c.Path).HasPrefix(p) })
			now := ValueAt(read.After, cty.Path(c.Path))
			if covered || Digest(now) == c.Was {
				continue
			}
			if c.Instead == "" {
				c.After, c.Instead = kept(now)
			} else {
				c.After = present(now)
			}
			if c.Instead != "" {
				c.Before = presence(c.Before)
			}
			out.Changes = append(out.Changes, c)
		}
	}
	for _, p := range paths {
		known := func(c DriftChange) bool { return p.HasPrefix(cty.Path(c.Path)) }
		if former != nil && slices.ContainsFunc(former.Changes, known) {
			continue
		}
		out.Changes = append(out.Changes, read.change(p))
	}
	if len(out.Changes) == 0 {
		return nil
	}
	return &out
}

// change returns the change of the value at a path.
func (read Read) change(p cty.Path) DriftChange {
	before, after := ValueAt(read.Before, p), ValueAt(read.After, p)
	c := DriftChange{Path: Path(p), Was: Digest(before)}
	if read.Config != cty.NilVal {
		c.Config = Digest(ValueAt(read.Config, p))
	}
	if read.Sensitive(p) {
		c.Before, c.After, c.Instead = present(before), present(after), Sensitive
		return c
	}
	var long Instead
	c.Before, c.Instead = kept(before)
	if c.After, long = kept(after); c.Instead != "" || long != "" {
		c.Before, c.After, c.Instead = present(before), present(after), Long
	}
	return c
}

// kept returns a value with its type, or why it is not kept.
func kept(v cty.Value) (json.RawMessage, Instead) {
	if v == cty.NilVal {
		return nil, ""
	}
	b, err := wire.MarshalJSON(v, cty.DynamicPseudoType)
	if err != nil || len(b) > maxDriftValue {
		return present(v), Long
	}
	return b, ""
}

// present returns true for a value that is not null.
func present(v cty.Value) json.RawMessage {
	if v == cty.NilVal {
		return nil
	}
	return json.RawMessage("true")
}

func presence(b json.RawMessage) json.RawMessage {
	if b == nil {
		return nil
	}
	return json.RawMessage("true")
}

// Value returns a value of a DriftChange; cty.NilVal if it is null, or cannot be read any more.
func Value(kept json.RawMessage) cty.Value {
	if len(kept) == 0 {
		return cty.NilVal
	}
	v, err := wire.UnmarshalJSON(kept, cty.DynamicPseudoType)
	if err != nil {
		return cty.NilVal
	}
	return v
}

// ValueAt returns the value at a path; cty.NilVal if it is null or does not exist.
func ValueAt(v cty.Value, path cty.Path) cty.Value {
	if !isSet(v) {
		return cty.NilVal
	}
	v, err := path.Apply(v)
	if err != nil || v.IsNull() {
		return cty.NilVal
	}
	return v
}

// Digest identifies a value; empty if it is not wholly known.
func Digest(v cty.Value) string {
	if v == cty.NilVal {
		return "null"
	}
	v, _ = v.UnmarkDeep()
	b, err := wire.MarshalJSON(v, v.Type())
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Differences returns the paths of the values in which two states of one type differ, in the order
// of their attributes. If there are very many, the paths are those of whole attributes.
func Differences(before, after cty.Value) []cty.Path {
	if !isSet(before) || !isSet(after) || !sameAttributes(before.Type(), after.Type()) {
		return nil
	}
	var d differences
	d.compare(nil, before, after)
	if len(d) <= maxDriftChanges {
		return d
	}
	var out differences
	for _, p := range d {
		if p = p[:1]; !slices.ContainsFunc(out, p.Equals) {
			out = append(out, p)
		}
	}
	return out
}

// sameAttributes reports whether two types are of objects with the same attributes, whose types may
// differ if they are dynamic.
func sameAttributes(a, b cty.Type) bool {
	if !a.IsObjectType() || !b.IsObjectType() || len(a.AttributeTypes()) != len(b.AttributeTypes()) {
		return false
	}
	for name := range a.AttributeTypes() {
		if !b.HasAttribute(name) {
			return false
		}
	}
	return true
}

type differences []cty.Path

func (d *differences) compare(at cty.Path, before, after cty.Value) {
	if before.RawEquals(after) {
		return
	}
	t := before.Type()
	inside := isSet(before) && isSet(after) && before.IsKnown() && after.IsKnown()
	attributes := inside && sameAttributes(t, after.Type())
	inside = inside && t.Equals(after.Type())
	switch {
	case attributes:
		for _, name := range slices.Sorted(maps.Keys(t.AttributeTypes())) {
			d.compare(append(at.Copy(), cty.GetAttrStep{Name: name}), before.GetAttr(name), after.GetAttr(name))
		}
	case inside && t.IsMapType():
		b, a := before.AsValueMap(), after.AsValueMap()
		all := map[string]cty.Value{}
		for k := range b {
			all[k] = cty.NilVal
		}
		for k := range a {
			all[k] = cty.NilVal
		}
		found := len(*d)
		for _, k := range slices.Sorted(maps.Keys(all)) {
			x, y := cty.NullVal(t.ElementType()), cty.NullVal(t.ElementType())
			if v, ok := b[k]; ok {
				x = v
			}
			if v, ok := a[k]; ok {
				y = v
			}
			d.compare(append(at.Copy(), cty.IndexStep{Key: cty.StringVal(k)}), x, y)
		}
		if len(*d) == found { // an element is null in one and missing in the other
			*d = append(*d, at.Copy())
		}
	case inside && (t.IsListType() || t.IsTupleType()) && before.LengthInt() == after.LengthInt():
		b, a := before.AsValueSlice(), after.AsValueSlice()
		for i := range b {
			d.compare(append(at.Copy(), cty.IndexStep{Key: cty.NumberIntVal(int64(i))}), b[i], a[i])
		}
	default:
		*d = append(*d, at.Copy())
	}
}

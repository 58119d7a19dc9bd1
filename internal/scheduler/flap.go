package scheduler

import (
	"crypto/sha256"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Two resources may set the same remote object, if its type has no identity by which one of them
// could own it. Then each undoes at its checks what the other has done. This is noticed by
// corrections: changes of an object whose configuration has not changed. What is corrected again
// and again in the same way flaps. The other resource is known if it makes the reverse correction.

const (
	// flapsAfter is the number of equal corrections after which an object flaps.
	flapsAfter = 3
	// steadyAfter is the number of reads in a row without a change after which it does not flap any
	// more.
	steadyAfter = 3
)

// correctionOf returns what a plan changes of an existing object; the zero value if that is not
// known beforehand.
func correctionOf(p *terraform.Plan) correction {
	if p == nil || !p.Prior.Exists() || p.Action != terraform.Update && !p.Action.IsReplace() || p.Reason == terraform.ReplaceBecauseTainted {
		return correction{}
	}
	prior, planned := p.Prior.State, p.State
	if prior == cty.NilVal || planned == cty.NilVal || !prior.Type().IsObjectType() || prior.IsNull() ||
		planned.IsNull() || !planned.IsKnown() {
		return correction{}
	}
	var names []string
	before, after := sha256.New(), sha256.New()
	for _, name := range slices.Sorted(maps.Keys(prior.Type().AttributeTypes())) {
		if !planned.Type().HasAttribute(name) {
			continue
		}
		a, b := prior.GetAttr(name), planned.GetAttr(name)
		if !a.IsWhollyKnown() || !b.IsWhollyKnown() || a.RawEquals(b) {
			continue
		}
		names = append(names, name)
		before.Write([]byte(a.GoString()))
		after.Write([]byte(b.GoString()))
	}
	out := correction{attributes: strings.Join(names, " ")}
	before.Sum(out.before[:0])
	after.Sum(out.after[:0])
	if len(names) == 0 {
		return correction{}
	}
	return out
}

// reverses reports whether each correction undoes the other.
func (c correction) reverses(other correction) bool {
	return c.attributes == other.attributes && c.before == other.after && c.after == other.before
}

func (c correction) paths() []cty.Path {
	var out []cty.Path
	for _, name := range strings.Fields(c.attributes) {
		out = append(out, cty.GetAttrPath(name))
	}
	return out
}

// corrects notes the plan of an operation that begins. One that repeats what did not settle
// corrects nothing.
func (e *entry) corrects(p *terraform.Plan, repeats bool) {
	if p == nil || !p.Prior.Exists() {
		return // the second half of a replacement, for example
	}
	if e.flap == nil {
		e.flap = &flap{}
	}
	e.flap.pending = correction{}
	if !repeats {
		e.flap.pending = correctionOf(p)
	}
}

// done counts the correction of an operation that has succeeded.
func (f *flap) done(op instance.OperationKind, hash string) {
	if f == nil || op == instance.Delete {
		return
	}
	made := f.pending
	f.pending = correction{}
	switch {
	case f.hash != hash:
		*f = flap{hash: hash} // not a correction, but a change of the configuration
	case made == correction{}:
	case made == f.last:
		f.count, f.steady = f.count+1, 0
	default:
		f.last, f.count, f.steady = made, 1, 0
	}
}

// corrected reports whether the object was corrected for a configuration, a short time ago.
func (f *flap) corrected(hash string) bool {
	return f != nil && f.hash == hash && f.last != correction{}
}

// unchanged counts a read that found no change.
func (f *flap) unchanged() {
	if f == nil {
		return
	}
	if f.steady++; f.steady >= steadyAfter {
		f.last, f.count = correction{}, 0
	}
}

// flapping returns the Flap of a resource; nil if it does not flap.
func (s *Scheduler) flapping(e *entry, r *Request) *Flap {
	if e.flap == nil {
		return nil
	}
	s.corrections.set(r.Key, corrected{object: r.claiming().Objects(ownership.StateKey(e.record.Instance.State))[0], correction: e.flap.last})
	if e.flap.count < flapsAfter {
		return nil
	}
	return &Flap{Paths: e.flap.last.paths(), Other: s.corrections.reverse(r.Key)}
}

package differential

import (
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/test/contract/internal/cloud"
)

// compareCalls compares the calls, field by field.
func (h *Harness) compareCalls(x *compared) {
	ours, theirs := h.align(x)
	if !slices.Equal(names(ours), names(theirs)) {
		h.add(x, Difference{What: "calls", Engine: strings.Join(names(ours), " "), Tofu: strings.Join(names(theirs), " ")})
		return
	}
	var all []Difference
	for i := range ours {
		for _, field := range slices.Sorted(maps.Keys(ours[i].Fields)) {
			a, b := ours[i].Fields[field], theirs[i].Fields[field]
			if !same(a, b) {
				all = append(all, Difference{What: ours[i].RPC + "." + field, Engine: show(a), Tofu: show(b), ours: &ours[i], theirs: &theirs[i]})
			}
		}
	}
	// The calls may be in another order: what ends the case explains the others.
	if i := slices.IndexFunc(all, func(d Difference) bool { return h.explained(x, d) }); i >= 0 {
		all = all[i : i+1]
	}
	for _, d := range all {
		h.add(x, d)
	}
}

func names(calls []cloud.Call) []string {
	var out []string
	for _, c := range calls {
		out = append(out, c.RPC)
	}
	return out
}

// align removes from both sides' calls those that are repeated or missing for known reasons.
func (h *Harness) align(x *compared) (ours, theirs []cloud.Call) {
	created := false
	for _, c := range x.ours.Calls() {
		created = created || c.RPC == "Apply" && !isNull(&c, "planned")
		if c.RPC == "Plan" && isNull(&c, "proposed") && x.replaces() && !created {
			h.Uses[destroyIsPlanned]++
			continue
		}
		if n := len(ours); n > 0 && c.RPC == "Plan" && isNull(&c, "prior") && ours[n-1].RPC == "Plan" &&
			!isNull(&ours[n-1], "prior") && !isEmpty(&c, "identity") {
			h.Uses[secondPlanHasIdentity]++
			c = with(c, "identity", cty.NilVal)
		}
		if c.RPC == "Upgrade" && len(ours) > 0 && ours[len(ours)-1].RPC == "Move" {
			h.Uses[movedIsUpgraded]++
			continue
		}
		ours = append(ours, c)
	}
	ours = withoutRepeatedPlans(ours)
	theirs = withoutRepeatedPlans(firstOnly(x.theirs.Calls()))
	for i := 0; i+1 < len(theirs); i++ {
		a, b := theirs[i], theirs[i+1]
		if a.RPC == "Plan" && b.RPC == "Plan" && x.isGone() && isNull(&a, "prior") && isNull(&b, "prior") &&
			isEmpty(&b, "private") && isEmpty(&b, "identity") {
			h.Uses[goneIsForgotten]++
			theirs = slices.Delete(theirs, i, i+1)
			break
		}
	}
	if len(x.before.Deposed) > 0 {
		return unordered(ours), unordered(theirs)
	}
	return ours, theirs
}

// unordered returns the calls of a step with a deposed object in a fixed order, because tofu
// handles the deposed and the current object concurrently. Duplicates are removed. So are upgrades
// and plans of destroys, because it is unknown which object they belong to.
func unordered(calls []cloud.Call) []cloud.Call {
	key := func(c cloud.Call) string {
		out := c.RPC
		// The object comes first: the other fields may differ.
		for _, name := range append([]string{"prior", "state", "planned"}, slices.Sorted(maps.Keys(c.Fields))...) {
			if v, ok := c.Fields[name]; ok {
				out += "|" + show(v)
			}
		}
		return out
	}
	out := slices.DeleteFunc(slices.Clone(calls), func(c cloud.Call) bool {
		return strings.HasPrefix(c.RPC, "Upgrade") || c.RPC == "Plan" && isNull(&c, "proposed")
	})
	slices.SortStableFunc(out, func(a, b cloud.Call) int { return strings.Compare(key(a), key(b)) })
	return slices.CompactFunc(out, sameCall)
}

// firstOnly returns tofu's calls without those that it repeats between plan and apply: validations,
// and upgrades of what it has just read.
func firstOnly(calls []cloud.Call) []cloud.Call {
	wasValidated, wasRead := false, false
	return slices.DeleteFunc(slices.Clone(calls), func(c cloud.Call) bool {
		switch c.RPC {
		case "Validate":
			defer func() { wasValidated = true }()
			return wasValidated
		case "Upgrade", "UpgradeIdentity":
			return wasRead
		case "Read":
			wasRead = true
		}
		return false
	})
}

// withoutRepeatedPlans removes plans that equal the call before: tofu plans again before it
// applies.
func withoutRepeatedPlans(calls []cloud.Call) []cloud.Call {
	var out []cloud.Call
	for _, c := range calls {
		if n := len(out); n > 0 && c.RPC == "Plan" && sameCall(c, out[n-1]) {
			continue
		}
		out = append(out, c)
	}
	return out
}

func sameCall(a, b cloud.Call) bool {
	if a.RPC != b.RPC {
		return false
	}
	for name := range a.Fields {
		if !same(a.Fields[name], b.Fields[name]) {
			return false
		}
	}
	return true
}

func isNull(c *cloud.Call, field string) bool {
	if c == nil {
		return false
	}
	v, ok := c.Fields[field].(cty.Value)
	return ok && (v == cty.NilVal || v.IsNull())
}

func isEmpty(c *cloud.Call, field string) bool {
	return c != nil && (isNull(c, field) || c.Fields[field] == "")
}

// with returns a copy of the call with another value in a field.
func with(c cloud.Call, field string, v any) cloud.Call {
	fields := maps.Clone(c.Fields)
	fields[field] = v
	return cloud.Call{RPC: c.RPC, Fields: fields}
}

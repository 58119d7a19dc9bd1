package differential

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/instance"
	"github.com/landbridge-io/landbridge/schema"
	"github.com/landbridge-io/landbridge/test/differential/internal/cloud"
	"github.com/landbridge-io/landbridge/test/differential/internal/tofu"
)

// Difference is one thing that is not the same on both sides.
type Difference struct {
	Step int
	// What is where: "calls", "errors", a call's field such as "Plan.identity", or a part of
	// the state such as "state.private".
	What         string
	Engine, Tofu string
	// Calls are all calls of the step on both sides.
	Calls [2][]string
	// ours and theirs are the call that differs, where it is one.
	ours, theirs *cloud.Call
}

func (d Difference) String() string {
	return fmt.Sprintf("step %d: %s\n  engine: %s\n  tofu:   %s\n  engine's calls: %s\n  tofu's calls:   %s", d.Step, d.What, d.Engine, d.Tofu,
		strings.Join(d.Calls[0], " "), strings.Join(d.Calls[1], " "))
}

// compared is one step of one case, on both sides.
type compared struct {
	track    *track
	step     int
	schema   *schema.Resource
	before   instance.Instance
	importID string
	engine   outcome
	// a is the engine's side, tofu is tofu's.
	a, tofu    *cloud.Active
	tofuErrors []string
	// excused are the deliberate differences met in this step.
	excused []string
}

func names(calls []cloud.Call) []string {
	var out []string
	for _, c := range calls {
		out = append(out, c.RPC)
	}
	return out
}

// add notes a difference, unless it is a deliberate one. Either way the case ends here: what
// comes after would only be a consequence.
func (h *Harness) add(x *compared, d Difference) {
	d.Step = x.step
	d.Calls = [2][]string{names(x.engine.calls), names(x.tofu.Calls())}
	for _, rule := range deliberate {
		if rule.is != nil && rule.is(x, d) {
			h.Uses[rule.Name]++
			x.excused = append(x.excused, rule.Name)
			x.track.ended = x.track.ended || rule.ends
			return
		}
	}
	x.track.found = append(x.track.found, d)
	x.track.ended = true
}

// compare compares what both sides made of a step, and makes it what the next one starts from.
func (h *Harness) compare(x *compared, result tofu.Result) error {
	t := x.track
	h.Steps++
	x.tofuErrors = result.Errors[t.name]
	unnamed := len(result.Errors[""]) > 0
	if (len(x.tofuErrors) > 0) != (len(x.engine.errors) > 0) && !(unnamed && len(x.engine.errors) > 0) {
		h.addErrors(x)
		if x.engine.reached != applies {
			t.ended = true
			return nil
		}
	}
	h.compareCalls(x)
	state := result.State[t.name]
	if x.engine.reached == applies {
		theirs, err := read(state, x.schema)
		if err != nil {
			return fmt.Errorf("case %d: %w", t.number, err)
		}
		h.compareInstances(x, "state", x.engine.instance, theirs)
		if len(x.excused) > 0 {
			// Go on from tofu's state: the engine's would make all that follows differ.
			x.engine.instance = theirs
		}
		t.instance, t.state, t.wrote = x.engine.instance, state, x.schema
	}
	ours, theirs := x.engine.world, x.tofu.World()
	if what := ours.Difference(theirs); what != "" {
		h.add(x, Difference{What: "world", Engine: what})
	}
	t.worlds = [2]cloud.World{theirs.Clone(), theirs}
	h.see(x)
	return nil
}

func (h *Harness) addErrors(x *compared) {
	h.add(x, Difference{What: "errors", Engine: fmt.Sprintf("%q", x.engine.errors), Tofu: fmt.Sprintf("%q", x.tofuErrors)})
}

func (h *Harness) compareInstances(x *compared, what string, ours, theirs instance.Instance) {
	check := func(part string, same bool, a, b any) {
		if !same {
			h.add(x, Difference{What: what + "." + part, Engine: show(a), Tofu: show(b)})
		}
	}
	check("exists", ours.Exists() == theirs.Exists(), ours.Exists(), theirs.Exists())
	if ours.Exists() && theirs.Exists() {
		check("value", same(ours.State, theirs.State), ours.State, theirs.State)
		check("version", ours.SchemaVersion == theirs.SchemaVersion, ours.SchemaVersion, theirs.SchemaVersion)
		check("private", bytes.Equal(ours.Private, theirs.Private), string(ours.Private), string(theirs.Private))
		check("identity", same(ours.Identity, theirs.Identity), ours.Identity, theirs.Identity)
		if ours.HasIdentity() && theirs.HasIdentity() {
			check("identity version", ours.IdentityVersion == theirs.IdentityVersion, ours.IdentityVersion, theirs.IdentityVersion)
		}
		check("status", ours.Status == theirs.Status, ours.Status, theirs.Status)
		check("create_before_destroy", ours.CreateBeforeDestroy == theirs.CreateBeforeDestroy, ours.CreateBeforeDestroy, theirs.CreateBeforeDestroy)
	}
	check("deposed", len(ours.Deposed) == len(theirs.Deposed), len(ours.Deposed), len(theirs.Deposed))
	if len(ours.Deposed) == 1 && len(theirs.Deposed) == 1 {
		h.compareInstances(x, what+".deposed", ours.Deposed[0].Instance(), theirs.Deposed[0].Instance())
	}
}

// compareCalls compares the calls, field by field.
func (h *Harness) compareCalls(x *compared) {
	ours, theirs := h.align(x)
	if x.engine.reached != applies && len(ours) < len(theirs) && slices.Equal(names(ours), names(theirs)[:len(ours)]) {
		// What fails for the engine does not for tofu, which says nothing of this case.
		h.addErrors(x)
		x.track.ended = true
		return
	}
	if !slices.Equal(names(ours), names(theirs)) {
		h.add(x, Difference{What: "calls", Engine: strings.Join(names(ours), " "), Tofu: strings.Join(names(theirs), " ")})
		return
	}
	for i := range ours {
		for _, field := range slices.Sorted(maps.Keys(ours[i].Fields)) {
			a, b := ours[i].Fields[field], theirs[i].Fields[field]
			if !same(a, b) {
				h.add(x, Difference{What: ours[i].RPC + "." + field, Engine: show(a), Tofu: show(b), ours: &ours[i], theirs: &theirs[i]})
			}
		}
	}
}

func same(a, b any) bool {
	va, ok := a.(cty.Value)
	if !ok {
		return a == b
	}
	vb, ok := b.(cty.Value)
	if !ok {
		return false
	}
	if va == cty.NilVal || vb == cty.NilVal {
		return (va == cty.NilVal || va.IsNull()) && (vb == cty.NilVal || vb.IsNull())
	}
	return va.RawEquals(vb)
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

func show(v any) string {
	switch v := v.(type) {
	case cty.Value:
		return strings.ReplaceAll(v.GoString(), "cty.", "")
	case string:
		return v
	}
	return fmt.Sprint(v)
}

// see counts what a step was like.
func (h *Harness) see(x *compared) {
	step := x.track.c.Steps[x.step]
	h.Seen[fmt.Sprintf("style %s, reached %s", x.track.c.Style, x.engine.reached)]++
	calls := names(x.engine.calls)
	h.Seen["calls "+strings.Join(calls, " ")]++
	for rpc, kind := range step.Faults {
		if slices.Contains(calls, rpc) {
			h.Seen["fault "+rpc+" "+kind]++
		}
	}
	if x.engine.instance.Status == instance.Tainted {
		h.Seen["ends tainted"]++
	}
	if len(x.before.Deposed) > 0 {
		h.Seen["begins with a deposed object"]++
	}
	if len(x.engine.instance.Deposed) > 0 {
		h.Seen["ends with a deposed object"]++
	}
}

package differential

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/schema"
	"github.com/landbridge-io/landbridge/test/contract/internal/cloud"
	"github.com/landbridge-io/landbridge/test/contract/internal/tofu"
)

// Difference is something that differs between the two sides.
type Difference struct {
	Step int
	// What is what differs: "calls", "diagnostics", "plan", a call's field such as "Plan.identity",
	// or a part of the state such as "state.private".
	What         string
	Engine, Tofu string
	// Calls are all calls of the step on both sides.
	Calls [2][]string
	// ours and theirs are the call that differs; nil if the difference is not in a call.
	ours, theirs *cloud.Call
	// kind must stay the same when a case is made smaller.
	kind string
}

func (d Difference) String() string {
	return fmt.Sprintf("step %d: %s\n  engine: %s\n  tofu:   %s\n  engine's calls: %s\n  tofu's calls:   %s", d.Step, d.What, d.Engine, d.Tofu,
		strings.Join(d.Calls[0], " "), strings.Join(d.Calls[1], " "))
}

// add records a difference unless a deliberate rule covers it. In both cases the case ends here or
// continues from tofu's state: later differences would only be consequences.
func (h *Harness) add(x *compared, d Difference) {
	d.Step = x.index
	d.Calls = [2][]string{names(x.ours.Calls()), names(x.theirs.Calls())}
	for _, rule := range deliberate {
		if rule.covers(x, d) {
			h.excused(x, rule)
			return
		}
	}
	x.track.found = append(x.track.found, d)
	x.track.ended = true
}

// explained reports whether a deliberate difference after which the two sides have different
// objects covers a difference.
func (h *Harness) explained(x *compared, d Difference) bool {
	return slices.ContainsFunc(deliberate, func(r rule) bool { return r.ends && r.covers(x, d) })
}

// compare compares the results of a step on both sides. The next step starts from them.
func (h *Harness) compare(x *compared, result *tofu.Result) error {
	t := x.track
	h.Steps++
	defer h.see(x)
	h.compareDiagnostics(x, result)
	failed := slices.ContainsFunc(result.Of(t.name, x.movedFrom), tofu.Diagnostic.IsError)
	if x.engine.reached != applies && (t.ended || !failed && slices.ContainsFunc(x.asks.engine, said.isError)) {
		t.ended = true // what tofu did after we failed is not comparable
		return nil
	}
	if t.ended && x.onlyWeWentOn(result) {
		return nil
	}
	h.compareCalls(x)
	if t.ended {
		return nil
	}
	theirs := result.State[t.name]
	if x.engine.reached == applies {
		if err := h.compareStates(x, x.engine.raw, theirs); err != nil {
			return fmt.Errorf("case %d: %w", t.number, err)
		}
		h.comparePlans(x, result)
		if err := h.compareShown(x, result); err != nil {
			return fmt.Errorf("case %d: %w", t.number, err)
		}
		t.states = [2]json.RawMessage{x.engine.raw, theirs}
		if len(x.excused) > 0 {
			// Continue from tofu's state: with ours every later step would differ.
			t.states[0] = theirs
		}
	}
	worlds := [2]cloud.World{x.ours.World(), x.theirs.World()}
	if what := worlds[0].Difference(worlds[1]); what != "" {
		h.add(x, Difference{What: "world", Engine: what})
	}
	t.worlds = [2]cloud.World{worlds[1].Clone(), worlds[1]}
	return nil
}

// onlyWeWentOn reports whether tofu failed where our side did not.
func (x *compared) onlyWeWentOn(result *tofu.Result) bool {
	return x.engine.reached == applies && slices.ContainsFunc(result.Of(x.track.name, x.movedFrom), tofu.Diagnostic.IsError) &&
		(!x.failed() || !slices.Contains(names(x.theirs.Calls()), "Apply"))
}

// comparePlans compares planned changes and drift.
func (h *Harness) comparePlans(x *compared, result *tofu.Result) {
	if len(x.before.Deposed) > 0 || x.track.c.Direct && x.movedFrom != "" {
		return // tofu does not report which object of a resource it means, nor other changes of a moved one
	}
	name := x.track.name
	check := func(what string, ours, theirs []tofu.Change) {
		if !slices.Equal(ours, theirs) {
			h.add(x, Difference{What: what, Engine: fmt.Sprint(ours), Tofu: fmt.Sprint(theirs)})
		}
	}
	check("plan", x.engine.planned, result.Planned[name])
	if !x.track.c.Direct { // the engine alone does not look for drift
		check("drift", x.engine.drift, result.Drift[name])
	}
}

// compareStates compares resources of state files: first what they decode to, then the whole JSON.
func (h *Harness) compareStates(x *compared, ours, theirs json.RawMessage) error {
	a, err := readResource(ours, x.schema)
	if err != nil {
		return err
	}
	b, err := readResource(theirs, x.schema)
	if err != nil {
		return err
	}
	x.after = b
	before := len(x.excused) + len(x.track.found)
	h.compareInstances(x, "state", a, b)
	if len(x.excused)+len(x.track.found) > before {
		return nil
	}
	one, err := x.normal(ours)
	if err != nil {
		return err
	}
	other, err := x.normal(theirs)
	if err != nil {
		return err
	}
	if one != other {
		h.add(x, Difference{What: "state.file", Engine: one, Tofu: other})
	}
	return nil
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
		check("create_before_destroy", ours.CreateBeforeDestroy == theirs.CreateBeforeDestroy,
			ours.CreateBeforeDestroy, theirs.CreateBeforeDestroy)
		a, b := x.marks(ours), x.marks(theirs)
		check("sensitive", slices.Equal(a, b), a, b)
	}
	check("deposed", len(ours.Deposed) == len(theirs.Deposed), len(ours.Deposed), len(theirs.Deposed))
	if len(ours.Deposed) == len(theirs.Deposed) {
		a, b := byContent(ours.Deposed), byContent(theirs.Deposed)
		for i := range a {
			h.compareInstances(x, "state.deposed", a[i].Instance(), b[i].Instance())
		}
	}
}

// byContent sorts deposed objects by their content: their keys are random.
func byContent(in []instance.Deposed) []instance.Deposed {
	return slices.SortedFunc(slices.Values(in), func(a, b instance.Deposed) int {
		return strings.Compare(show(a.State)+string(a.RawState), show(b.State)+string(b.RawState))
	})
}

// marks returns the sensitive paths of an instance, except those sensitive by schema: tofu stores
// these, too (contract § 2). A sensitive path inside a set makes the whole set sensitive.
func (x *compared) marks(in instance.Instance) []string {
	var out []string
	for _, path := range in.SensitivePaths {
		if !sensitiveBySchema(x.schema.Block, path) {
			out = append(out, diagnostic.FormatPath(path))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// sensitiveBySchema reports whether the schema marks the path, or something in the set there, as
// sensitive.
func sensitiveBySchema(b *schema.Block, path cty.Path) bool {
	for i, step := range path {
		a := b.AttributeByPath(path[:i+1])
		if a != nil && (a.Sensitive || a.Nested != nil && i == len(path)-1 && hasSensitive(&schema.Block{Attributes: a.Nested.Attributes})) {
			return true
		}
		if name, ok := step.(cty.GetAttrStep); ok && a == nil && b.Blocks[name.Name] != nil {
			n := b.Blocks[name.Name]
			rest := path[i+1:]
			if len(rest) == 0 {
				return hasSensitive(n.Block)
			}
			if n.Nesting != schema.NestingSingle && n.Nesting != schema.NestingGroup {
				rest = rest[1:]
			}
			return sensitiveBySchema(n.Block, rest)
		}
	}
	return false
}

func hasSensitive(b *schema.Block) bool {
	return hasAttribute(b, func(a *schema.Attribute) bool { return a.Sensitive })
}

// hasAttribute reports whether an attribute of the block, or one inside it, is as match says.
func hasAttribute(b *schema.Block, match func(*schema.Attribute) bool) bool {
	for _, a := range b.Attributes {
		if match(a) || a.Nested != nil && hasAttribute(&schema.Block{Attributes: a.Nested.Attributes}, match) {
			return true
		}
	}
	for _, n := range b.Blocks {
		if hasAttribute(n.Block, match) {
			return true
		}
	}
	return false
}

// normal returns a resource of a state file as text, without what compareInstances compares and
// without values that both sides choose freely.
func (x *compared) normal(resource json.RawMessage) (string, error) {
	if resource == nil {
		return "", nil
	}
	var fields map[string]any
	if err := decodeJSON(resource, &fields); err != nil {
		return "", err
	}
	instances, _ := fields["instances"].([]any)
	for _, i := range instances {
		i, _ := i.(map[string]any)
		if i["identity"] == nil {
			delete(i, "identity_schema_version") // § 6: OpenTofu leaves it out
		}
		if i["deposed"] != nil {
			i["deposed"] = "key"
		}
		delete(i, "sensitive_attributes")
	}
	slices.SortFunc(instances, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	out, err := json.Marshal(fields)
	return string(out), err
}

func decodeJSON(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return d.Decode(into)
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

func show(v any) string {
	switch v := v.(type) {
	case cty.Value:
		return strings.ReplaceAll(v.GoString(), "cty.", "")
	case string:
		return v
	}
	return fmt.Sprint(v)
}

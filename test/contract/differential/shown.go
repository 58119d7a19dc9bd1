package differential

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/schema"
	"github.com/landbridge-io/landbridge/test/contract/internal/tofu"
)

// compareShown compares the plans that both sides showed as JSON. landbridge leaves out what is
// sensitive and what is not known yet, where tofu shows the one and leaves out the other.
func (h *Harness) compareShown(x *compared, result *tofu.Result) error {
	theirs := result.Shown[x.track.name]
	if x.engine.shown == "" && theirs == nil {
		return nil
	}
	a, err := changeOf(json.RawMessage(x.engine.shown))
	if err != nil {
		return err
	}
	b, err := changeOf(theirs)
	if err != nil {
		return err
	}
	if theirs == nil && mustJSON(a["actions"]) == `["no-op"]` {
		return nil // tofu does not show a no-op for a missing object
	}
	for _, when := range []string{"before", "after"} {
		for _, marks := range []any{a[when+"_sensitive"], b[when+"_sensitive"], a[when+"_unknown"], b[when+"_unknown"]} {
			a[when], b[when] = without(a[when], marks), without(b[when], marks)
		}
	}
	for _, field := range []string{
		"actions", "action_reason", "replace_paths", "importing", "before_identity", "after_identity",
		"before_sensitive", "after_sensitive", "after_unknown", "before", "after",
	} {
		if ours, theirs := mustJSON(a[field]), mustJSON(b[field]); ours != theirs {
			h.add(x, Difference{What: "shown." + field, Engine: ours, Tofu: theirs})
		}
	}
	return nil
}

// changeOf is what is to be compared of a change.
func changeOf(raw json.RawMessage) (map[string]any, error) {
	if len(raw) == 0 {
		return map[string]any{}, nil
	}
	var c map[string]any
	if err := decodeJSON(raw, &c); err != nil {
		return nil, err
	}
	change, _ := c["change"].(map[string]any)
	out := map[string]any{"action_reason": reason(text(c["action_reason"]))}
	if out["action_reason"] == "delete_because_no_resource_config" {
		out["action_reason"] = "" // it is how a destroy is asked for here
	}
	for _, name := range []string{"actions", "importing"} {
		out[name] = change[name]
	}
	// Core has a set of them, whose order means nothing; we have the provider's order.
	paths, _ := change["replace_paths"].([]any)
	slices.SortFunc(paths, func(a, b any) int { return strings.Compare(mustJSON(a), mustJSON(b)) })
	out["replace_paths"] = paths
	for _, name := range []string{"before", "after", "before_identity", "after_identity"} {
		out[name] = exact(change[name])
	}
	for _, name := range []string{"before_sensitive", "after_sensitive", "after_unknown"} {
		out[name] = onlyTrue(change[name])
	}
	return out, nil
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// onlyTrue is a value of the form that says where something is so, without the places where it is
// not.
func onlyTrue(v any) any {
	switch v := v.(type) {
	case bool:
		if v {
			return true
		}
	case map[string]any:
		out := map[string]any{}
		for name, x := range v {
			if x := onlyTrue(x); x != nil {
				out[name] = x
			}
		}
		if len(out) > 0 {
			return out
		}
	case []any:
		out, some := make([]any, len(v)), false
		for i, x := range v {
			out[i] = onlyTrue(x)
			some = some || out[i] != nil
		}
		if some {
			return out
		}
	}
	return nil
}

// without is a value without what is at the marked places: attributes and keys are left out,
// elements are null.
func without(v, marks any) any {
	switch marks := marks.(type) {
	case bool:
		if marks {
			return nil
		}
	case map[string]any:
		in, ok := v.(map[string]any)
		if !ok {
			return v
		}
		out := map[string]any{}
		for name, x := range in {
			if marks[name] != true {
				out[name] = without(x, marks[name])
			}
		}
		return out
	case []any:
		in, ok := v.([]any)
		if !ok {
			return v
		}
		out := make([]any, len(in))
		for i, x := range in {
			out[i] = x
			if i < len(marks) {
				out[i] = without(x, marks[i])
			}
		}
		return out
	}
	return v
}

// exact is a value whose numbers are written in one way.
func exact(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := cty.ParseNumberVal(v.String()); err == nil {
			return json.Number(n.AsBigFloat().Text('g', -1))
		}
	case map[string]any:
		for name, x := range v {
			v[name] = exact(x)
		}
	case []any:
		for i, x := range v {
			v[i] = exact(x)
		}
	}
	return v
}

// sameMarks reports whether marks of objects, as JSON, are the same but for what is write-only, and
// for which parts of a set they are of.
func sameMarks(b *schema.Block, ours, theirs string) bool {
	var x, y any
	return json.Unmarshal([]byte(ours), &x) == nil && json.Unmarshal([]byte(theirs), &y) == nil &&
		mustJSON(coarse(b, x)) == mustJSON(coarse(b, y))
}

// coarse is the marks of an object without what is write-only. Sets are marked whole.
func coarse(b *schema.Block, marks any) any {
	in, ok := marks.(map[string]any)
	if !ok {
		return marks
	}
	out := map[string]any{}
	for name, m := range in {
		if a, n := b.Attributes[name], b.Blocks[name]; a != nil && a.WriteOnly {
			continue
		} else if a != nil && a.Nested != nil {
			m = coarseElements(a.Nested.Nesting, &schema.Block{Attributes: a.Nested.Attributes}, m)
		} else if n != nil && n.Block == nil {
			continue
		} else if n != nil {
			m = coarseElements(n.Nesting, n.Block, m)
		}
		out[name] = m
	}
	return onlyTrue(out)
}

func coarseElements(nesting schema.Nesting, b *schema.Block, marks any) any {
	switch in := marks.(type) {
	case []any:
		out := make([]any, len(in))
		for i, m := range in {
			out[i] = coarse(b, m)
		}
		if nesting == schema.NestingSet && onlyTrue(out) != nil {
			return true
		}
		return out
	case map[string]any:
		if nesting != schema.NestingMap {
			return coarse(b, in)
		}
		out := map[string]any{}
		for key, m := range in {
			out[key] = coarse(b, m)
		}
		return out
	}
	return marks
}

// withoutOpenBlocks is a schema whose labelled blocks without a fixed type have no contents, so
// that marks in them are not compared.
func withoutOpenBlocks(b *schema.Block) *schema.Block {
	out := &schema.Block{Attributes: b.Attributes, Blocks: map[string]*schema.NestedBlock{}}
	for name, n := range b.Blocks {
		x := &schema.NestedBlock{Nesting: n.Nesting}
		if n.Nesting != schema.NestingMap || n.ImpliedType() != cty.DynamicPseudoType {
			x.Block = withoutOpenBlocks(n.Block)
		}
		out.Blocks[name] = x
	}
	return out
}

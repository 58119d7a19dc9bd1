package differential

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/command/local"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/schema"
	"github.com/landbridge-io/landbridge/test/contract/internal/cloud"
	"github.com/landbridge-io/landbridge/test/contract/internal/tofu"
)

// said is a diagnostic of the engine: the parts that are compared.
type said struct {
	diagnostic.Severity
	Summary string
	Path    cty.Path
	// isHidden is set when the path is redacted because it contains a secret.
	isHidden bool
	// inside is the whole path where Path ends at an element whose key is not told. Any key stands
	// for it.
	inside cty.Path
}

func (s said) isError() bool { return s.Severity == diagnostic.Error }

func (s said) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s: %s %s", s.Severity, s.Summary, diagnostic.FormatPath(s.Path)))
}

// saidByMessages converts messages. Paths of the configured object are read back from the
// manifest's spelling; other messages have no path.
func saidByMessages(m *model.Resource, messages local.Messages) []said {
	var out []said
	for _, x := range messages {
		s := said{Severity: x.Severity, Summary: x.Summary}
		for _, prefix := range []string{"spec.forProvider.", "status.atProvider."} {
			if field, ok := strings.CutPrefix(x.Path, prefix); ok {
				if whole := strings.ReplaceAll(field, "[*]", `["key"]`); whole != field {
					s.inside, _ = m.ParseFieldPath(whole)
				}
				field, _, _ = strings.Cut(field, "[*]")
				path, err := m.ParseFieldPath(field)
				s.Path, s.isHidden = path, err != nil || strings.Contains(field, redact.Concealed)
			}
		}
		out = append(out, s)
	}
	return out
}

// asks holds the diagnostics that only one side has.
type asks struct {
	engine []said
	tofu   []tofu.Diagnostic
	// words are the rules by which differently worded diagnostics matched.
	words []rule
}

// unmatched compares the diagnostics of a resource. Each must have a match on the other side, in
// the same words or in those of a rule; the number of repetitions does not matter. Some of tofu's
// diagnostics do not name their resource; those that match one of ours are recorded in claimed.
func (x *compared) unmatched(result *tofu.Result, claimed map[string]bool) asks {
	theirs := result.Of(x.track.name, x.movedFrom)
	loose := result.Diagnostics[""]
	var out asks
	isSame := func(s said, d tofu.Diagnostic) bool {
		if r, ok := x.sameInOtherWords(s, d); ok {
			out.words = append(out.words, r)
			return true
		}
		return x.sameSaid(s, d, &result.Configuration)
	}
	for _, s := range x.engine.said {
		matched := slices.ContainsFunc(theirs, func(d tofu.Diagnostic) bool { return isSame(s, d) })
		for _, d := range loose {
			if s.Severity == d.Severity && s.Summary == d.Summary || isSame(s, d) {
				matched, claimed[d.Summary] = true, true
			}
		}
		isKnown := func(x said) bool { return x.String() == s.String() }
		if !matched && !slices.ContainsFunc(out.engine, isKnown) {
			out.engine = append(out.engine, s)
		}
	}
	for _, d := range theirs {
		matched := slices.ContainsFunc(x.engine.said, func(s said) bool { return isSame(s, d) })
		isKnown := func(x tofu.Diagnostic) bool {
			return x.Summary == d.Summary && x.Offset == d.Offset && x.Path() == d.Path()
		}
		if !matched && !slices.ContainsFunc(out.tofu, isKnown) {
			out.tofu = append(out.tofu, d)
		}
	}
	return out
}

// sameSaid reports whether the two are the same diagnostic: severity, summary, and attribute as far
// as tofu reports it.
func (x *compared) sameSaid(s said, d tofu.Diagnostic, c *tofu.Configuration) bool {
	name := x.track.name
	switch {
	case s.Severity != d.Severity || !sameSummary(s.Summary, d.Summary):
		return false
	case s.isHidden, !x.sameConfig():
		return true
	case d.Offset < 0:
		return d.Path() == "" || x.samePath(s.Path, d.Path())
	case !c.Has(name, d.Offset):
		return true // the offset is not that of an attribute
	case len(s.inside) > 0 && c.Place(name, s.inside) == d.Offset:
		return true // inside a value from a Secret, which is one expression, names are looked for among the attributes around it
	}
	// The single element of a block that is presented as an object has no index.
	return c.Place(name, s.Path) == d.Offset || c.Place(name, s.Path.IndexInt(0)) == d.Offset
}

// sameConfig reports whether both sides send the same configurations. Where they differ, which is
// compared, too, providers find their problems at other places.
func (x *compared) sameConfig() bool {
	last := func(side []cloud.Call, rpc string) any {
		for _, c := range slices.Backward(side) {
			if c.RPC == rpc {
				return c.Fields["config"]
			}
		}
		return nil
	}
	return !slices.ContainsFunc([]string{"Plan", "Apply"}, func(rpc string) bool {
		ours, theirs := last(x.ours.Calls(), rpc), last(x.theirs.Calls(), rpc)
		return ours != nil && theirs != nil && !same(ours, theirs)
	})
}

// sameSummary compares summaries. In ours, secrets are redacted, also where others have the same
// text.
func sameSummary(ours, theirs string) bool {
	if !strings.Contains(ours, redact.Concealed) {
		return ours == theirs
	}
	parts := strings.Split(ours, redact.Concealed)
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile("(?s)^" + strings.Join(parts, ".*") + "$").MatchString(theirs)
}

// samePath compares one of our paths with tofu's spelling of one. Paths end at a set, whose
// elements have no index. At a value that is or contains something sensitive, one side may report a
// longer path. Tofu spells keys of nested attributes as names.
func (x *compared) samePath(path cty.Path, theirs string) bool {
	theirs, _, cut := strings.Cut(theirs, "[*]")
	ours, theirs := named(diagnostic.FormatPath(path)), named(theirs)
	switch {
	case ours == theirs, cut && strings.HasPrefix(ours, theirs):
		return true
	case strings.HasPrefix(theirs, ours+".") || strings.HasPrefix(theirs, ours+"["):
		return x.hasSensitive(path)
	}
	for i := range path {
		if named(diagnostic.FormatPath(path[:i])) == theirs {
			return x.hasSensitive(path[:i])
		}
	}
	return false
}

var keyIn = regexp.MustCompile(`\["((?:[^"\\]|\\.)*)"\]`)

// named returns a path with keys spelled as names.
func named(path string) string { return keyIn.ReplaceAllString(path, ".$1") }

// hasSensitive reports whether something at a path, inside or around it is sensitive, by the schema
// or by the user. What is write-only is sensitive, too.
func (x *compared) hasSensitive(path cty.Path) bool {
	if sensitiveBySchema(x.schema.Block, path) {
		return true
	}
	hidden := func(a *schema.Attribute) bool { return a.Sensitive || a.WriteOnly }
	for i := range path {
		a := x.schema.Block.AttributeByPath(path[:i+1])
		if a != nil && hasAttribute(&schema.Block{Attributes: map[string]*schema.Attribute{"": a}}, hidden) {
			return true
		}
	}
	path = withNames(path)
	return slices.ContainsFunc(slices.Concat(x.step().SensitivePaths(), x.before.SensitivePaths), func(marked cty.Path) bool {
		marked = withNames(marked)
		return marked.HasPrefix(path) || path.HasPrefix(marked)
	})
}

// withNames returns a path with keys as names, as those of labelled blocks without a fixed type
// are.
func withNames(path cty.Path) cty.Path {
	out := slices.Clone(path)
	for i, step := range out {
		if key, ok := step.(cty.IndexStep); ok && key.Key.Type() == cty.String {
			out[i] = cty.GetAttrStep{Name: key.Key.AsString()}
		}
	}
	return out
}

// compareDiagnostics compares the diagnostics of both sides.
func (h *Harness) compareDiagnostics(x *compared, result *tofu.Result) {
	claimed := map[string]bool{}
	left := x.unmatched(result, claimed)
	if len(result.Diagnostics[""]) > 0 && x.alone {
		for _, d := range result.Diagnostics[""] {
			if !claimed[d.Summary] {
				left.tofu = append(left.tofu, d)
			}
		}
	}
	for _, r := range left.words {
		h.excused(x, r)
	}
	x.asks = asks{engine: slices.Clone(left.engine), tofu: slices.Clone(left.tofu)}
	h.excuse(x, &left)
	switch {
	case x.track.ended && x.engine.reached != applies:
		left.tofu = nil // tofu continued after the point where our side ended
	case x.track.ended && x.onlyWeWentOn(result):
		left.engine = nil // and here our side did
	}
	if len(left.engine) == 0 && len(left.tofu) == 0 {
		return
	}
	var theirs, kinds []string
	for _, s := range left.engine {
		kinds = append(kinds, "ours: "+s.Summary)
	}
	for _, d := range left.tofu {
		kinds = append(kinds, "tofu's: "+d.Summary)
		place := d.Path()
		if d.Offset >= 0 {
			place = fmt.Sprintf("at %d", d.Offset)
		}
		theirs = append(theirs, strings.TrimSpace(fmt.Sprintf("%s: %s %s", d.Severity, d.Summary, place)))
	}
	h.add(x, Difference{What: diagnostics, Engine: fmt.Sprint(left.engine), Tofu: fmt.Sprint(theirs), kind: fmt.Sprint(slices.Compact(kinds))})
}

package planview

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/zclconf/go-cty/cty"
)

// contextLines is the number of unchanged lines to show around changed lines of a text.
const contextLines = 3

// text shows a text with several lines line by line; ok is false for other values.
func (b *builder) text(before, after cty.Value) (n node, ok bool) {
	several := func(v cty.Value) bool {
		return v.IsKnown() && !v.IsNull() && strings.Contains(v.AsString(), "\n")
	}
	if !several(before) && !several(after) {
		return node{}, false
	}
	n = node{symbol: symbolOf(before, after), open: "<<-EOT", end: "EOT"}
	switch {
	case !after.IsKnown():
		n.suffix = " -> " + knownAfterApply
	case after.IsNull():
		n.suffix = " -> null"
	}
	was, is := splitLines(before), splitLines(after)
	pairs := alignFunc(len(was), len(is), func(i, j int) bool { return was[i] == is[j] }, func(int) bool { return false })
	shown := make([]bool, len(pairs))
	for i, p := range pairs {
		if p.before < 0 || p.after < 0 {
			for k := max(0, i-contextLines); k <= min(len(pairs)-1, i+contextLines); k++ {
				shown[k] = true
			}
		}
	}
	skipped := 0
	flush := func() {
		if skipped > 0 {
			n.lines = append(n.lines, node{comment: plural(skipped, "unchanged line") + " hidden"})
			skipped = 0
		}
	}
	for i, p := range pairs {
		if !shown[i] {
			skipped++
			continue
		}
		flush()
		line := node{symbol: same}
		switch {
		case p.before < 0:
			line.symbol, line.text = added, is[p.after]
		case p.after < 0:
			line.symbol, line.text = removed, was[p.before]
		default:
			line.text = is[p.after]
		}
		if n.symbol != updated {
			line.symbol = same // the whole text is added or removed
		}
		line.text = harmless(line.text)
		n.lines = append(n.lines, line)
	}
	flush()
	if n.symbol == updated && after.IsKnown() && endsLine(before) != endsLine(after) {
		what := "a line break is added at the end"
		if endsLine(before) {
			what = "the line break at the end is removed"
		}
		n.lines = append(n.lines, node{comment: what})
	}
	return n, true
}

func endsLine(v cty.Value) bool { return strings.HasSuffix(v.AsString(), "\n") }

func splitLines(v cty.Value) []string {
	if !v.IsKnown() || v.IsNull() {
		return nil
	}
	return strings.Split(strings.TrimSuffix(v.AsString(), "\n"), "\n")
}

// quote returns text in quotes, without control characters for a terminal.
func quote(s string) string { return strconv.Quote(s) }

// harmless returns a line without control characters for a terminal.
func harmless(s string) string {
	clean := func(r rune) bool { return r == '\t' || unicode.IsPrint(r) }
	if strings.IndexFunc(s, func(r rune) bool { return !clean(r) }) < 0 {
		return s
	}
	var out strings.Builder
	for _, r := range s {
		if clean(r) {
			out.WriteRune(r)
		} else {
			q := strconv.QuoteRune(r)
			out.WriteString(q[1 : len(q)-1])
		}
	}
	return out.String()
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

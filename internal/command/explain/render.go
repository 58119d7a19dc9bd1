package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/landbridge-io/landbridge/internal/command/status"
	"github.com/landbridge-io/landbridge/internal/command/stream"
)

// Text returns the explanation for people. Times are in UTC.
func (e Explanation) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", stream.OneLine(e.Summary))
	writeNode(&b, &e.Tree, "", "")
	if len(e.History) > 0 {
		b.WriteString("\nHistory\n")
	}
	for _, h := range e.History {
		fmt.Fprintf(&b, "  %s  ", h.At.UTC().Format(time.DateTime))
		if h.Count > 1 {
			fmt.Fprintf(&b, "%d times", h.Count)
			if !h.Since.IsZero() {
				fmt.Fprintf(&b, " since %s", h.Since.UTC().Format(time.DateTime))
			}
			b.WriteString(": ")
		}
		b.WriteString(stream.OneLine(h.What) + "\n")
	}
	if !e.NextAttempt.IsZero() {
		fmt.Fprintf(&b, "  %s  The next attempt, in %s.\n", e.NextAttempt.UTC().Format(time.DateTime), status.Elapsed(e.At, e.NextAttempt))
	}
	fmt.Fprintf(&b, "\n%s\n", e.Help.Text)
	if e.Help.Command != "" {
		fmt.Fprintf(&b, "  %s\n", e.Help.Command)
	}
	return b.String()
}

// writeNode writes a node and those below it. first is the beginning of its line, rest that of the
// lines below.
func writeNode(b *strings.Builder, n *Node, first, rest string) {
	line := n.Name
	if n.Via != "" {
		line += " (" + n.Via + ")"
	}
	line += ": " + string(n.Health)
	if n.Reason != "" && n.Reason != string(n.Health) && n.Reason != "Available" && n.Reason != "NotFound" {
		line += ", " + n.Reason
	}
	if n.Cause {
		line += " <- the cause"
	}
	fmt.Fprintf(b, "%s%s\n", first, stream.OneLine(line))
	bar := "   "
	if len(n.Nodes) > 0 {
		bar = "│  "
	}
	if n.Message != "" && !slices.ContainsFunc(n.Nodes, func(below Node) bool { return below.Message == n.Message }) {
		fmt.Fprintf(b, "%s%s%s\n", rest, bar, stream.OneLine(n.Message))
	}
	for i := range n.Nodes {
		if i == len(n.Nodes)-1 {
			writeNode(b, &n.Nodes[i], rest+"└─ ", rest+"   ")
		} else {
			writeNode(b, &n.Nodes[i], rest+"├─ ", rest+"│  ")
		}
	}
}

// Essence returns what matters of the explanation, to compare it with an earlier one: ages of
// Leases and times do not.
func (e Explanation) Essence() string {
	e.At, e.NextAttempt = time.Time{}, time.Time{}
	return e.Text()
}

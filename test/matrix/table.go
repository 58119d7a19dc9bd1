package matrix

import (
	"fmt"
	"slices"
	"strings"
)

// table returns the cells as a Markdown table, followed by the reasons why some do not apply.
func table(m Matrix, cells []cell) string {
	var b strings.Builder
	fixed := []string{"behaviour"}
	if m.Sources {
		fixed = append(fixed, "from")
	}
	b.WriteString("| " + strings.Join(fixed, " | ") + " |")
	for _, c := range m.Columns {
		fmt.Fprintf(&b, " %s |", c.Heading)
	}
	b.WriteString("\n|" + strings.Repeat("---|", len(fixed)+len(m.Columns)) + "\n")
	var reasons []string
	section := ""
	for i, c := range cells {
		if c.behaviour.Section != section {
			section = c.behaviour.Section
			fmt.Fprintf(&b, "| **%s** |%s\n", section, strings.Repeat(" |", len(fixed)-1+len(m.Columns)))
		}
		if i%len(m.Columns) == 0 {
			fmt.Fprintf(&b, "| %s |", c.behaviour.Says)
			if m.Sources {
				fmt.Fprintf(&b, " %s |", c.behaviour.Source)
			}
		}
		if c.outcome == notApplicable {
			n := slices.Index(reasons, c.reason)
			if n < 0 {
				n = len(reasons)
				reasons = append(reasons, c.reason)
			}
			fmt.Fprintf(&b, " n/a (%d) |", n+1)
		} else {
			b.WriteString(" pass |")
		}
		if i%len(m.Columns) == len(m.Columns)-1 {
			b.WriteString("\n")
		}
	}
	for i, reason := range reasons {
		fmt.Fprintf(&b, "\n(%d) %s\n", i+1, reason)
	}
	fmt.Fprintf(&b, "\n%s.\n", summary(m.Title, cells))
	return b.String()
}

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/landbridge-io/landbridge/examples/examplecloud/provider"
	"github.com/landbridge-io/landbridge/test/behaviour"
)

// headings are what the columns are called.
var headings = map[provider.Form]string{
	provider.SDKv2: "SDKv2", provider.Framework5: "framework 5", provider.Framework6: "framework 6",
}

var ways = map[behaviour.Way]string{behaviour.Plugin: "plugin", behaviour.InProcess: "in process", behaviour.CLI: "CLI"}

// table is the cells in Markdown, with the reasons of those that do not apply below it.
func table(cells []cell) string {
	var b strings.Builder
	columns := behaviour.Columns()
	b.WriteString("| behaviour | from |")
	for _, c := range columns {
		fmt.Fprintf(&b, " %s, %s |", headings[c.Form], ways[c.Way])
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(columns)) + "\n")
	var reasons []string
	section := ""
	for i, c := range cells {
		if c.section != section {
			section = c.section
			fmt.Fprintf(&b, "| **%s** |%s\n", section, strings.Repeat(" |", 1+len(columns)))
		}
		if i%len(columns) == 0 {
			fmt.Fprintf(&b, "| %s | %s |", c.behaviour.Says, c.behaviour.Source)
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
		if i%len(columns) == len(columns)-1 {
			b.WriteString("\n")
		}
	}
	for i, reason := range reasons {
		fmt.Fprintf(&b, "\n(%d) %s\n", i+1, reason)
	}
	fmt.Fprintf(&b, "\n%s.\n", summary(cells))
	return b.String()
}

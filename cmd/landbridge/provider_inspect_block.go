package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/landbridge-io/landbridge/schema"
)

// writeBlocks writes the arguments of actions, or the arguments and results of ephemeral resources.
func writeBlocks(w io.Writer, what string, blocks map[string]*schema.Block, results bool) error {
	if len(blocks) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	header := what + "\tARGUMENTS"
	if results {
		header += "\tRESULT"
	}
	fmt.Fprintln(t, header)
	for _, name := range slices.Sorted(maps.Keys(blocks)) {
		line := name + "\t" + orDash(argumentsOf(blocks[name]))
		if results {
			line += "\t" + orDash(resultsOf(blocks[name]))
		}
		fmt.Fprintln(t, line)
	}
	return t.Flush()
}

// argumentsOf returns the names of what can be configured: what is required first, and what is
// optional in brackets.
func argumentsOf(b *schema.Block) []string {
	var required, optional []string
	for _, name := range slices.Sorted(maps.Keys(b.Attributes)) {
		switch a := b.Attributes[name]; {
		case a.Required:
			required = append(required, name+flagsOf(a))
		case a.Optional:
			optional = append(optional, "["+name+flagsOf(a)+"]")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.Blocks)) {
		switch n := b.Blocks[name]; {
		case n.Computed:
		case n.MinItems > 0:
			required = append(required, name)
		default:
			optional = append(optional, "["+name+"]")
		}
	}
	return append(required, optional...)
}

// resultsOf returns the names of what only the provider sets.
func resultsOf(b *schema.Block) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(b.Attributes)) {
		if a := b.Attributes[name]; a.Computed && !a.Optional {
			out = append(out, name+flagsOf(a))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.Blocks)) {
		if b.Blocks[name].Computed {
			out = append(out, name)
		}
	}
	return out
}

func flagsOf(a *schema.Attribute) string {
	switch {
	case a.WriteOnly:
		return " (write-only)"
	case a.Sensitive:
		return " (sensitive)"
	default:
		return ""
	}
}

func orDash(names []string) string {
	if len(names) == 0 {
		return "-"
	}
	return strings.Join(names, ", ")
}

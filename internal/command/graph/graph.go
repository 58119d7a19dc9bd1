package graph

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// State is how a node is doing, as far as a drawing tells.
type State string

// The states of nodes.
const (
	Ready   State = "ready"
	Waiting State = "waiting"
	Failed  State = "failed"
	Unknown State = "unknown"
)

// Graph is a directed graph.
type Graph struct {
	Nodes []Node `json:"nodes"`
	Edges []Edge `json:"edges"`
}

// Node is an object.
type Node struct {
	// ID is unique in the graph.
	ID string `json:"id"`
	// Title and Text are its two lines, such as "Password team-a/db" and "Ready".
	Title string `json:"title"`
	Text  string `json:"text,omitempty"`
	State State  `json:"state"`
	// Subject is set on the node that the graph is about.
	Subject bool `json:"subject,omitempty"`
}

// Edge leads from what depends to what it depends on.
type Edge struct {
	From string `json:"from"`
	To   string `json:"to"`
	// Label is how it depends, such as a field.
	Label string `json:"label,omitempty"`
}

// Sorted returns the graph with nodes and edges in a fixed order, and each edge once.
func (g Graph) Sorted() Graph {
	out := Graph{Nodes: slices.Clone(g.Nodes), Edges: slices.Clone(g.Edges)}
	slices.SortFunc(out.Nodes, func(a, b Node) int { return strings.Compare(a.ID, b.ID) })
	slices.SortFunc(out.Edges, func(a, b Edge) int {
		return cmp.Or(strings.Compare(a.From, b.From), strings.Compare(a.To, b.To), strings.Compare(a.Label, b.Label))
	})
	out.Edges = slices.Compact(out.Edges)
	return out
}

// Mermaid returns the graph as a Mermaid flowchart.
func (g Graph) Mermaid() string {
	g = g.Sorted()
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	names := map[string]string{}
	for i, n := range g.Nodes {
		names[n.ID] = fmt.Sprintf("n%d", i)
		open, end := `["`, `"]`
		switch n.State {
		case Waiting:
			open, end = `("`, `")`
		case Failed:
			open, end = `{{"`, `"}}`
		case Unknown:
			open, end = `(["`, `"])`
		}
		fmt.Fprintf(&b, "  %s%s%s%s:::%s\n", names[n.ID], open, mermaidText(n.lines("<br>")), end, n.State)
		if n.Subject {
			fmt.Fprintf(&b, "  style %s stroke-width:3px\n", names[n.ID])
		}
	}
	for _, e := range g.Edges {
		if e.Label == "" {
			fmt.Fprintf(&b, "  %s --> %s\n", names[e.From], names[e.To])
			continue
		}
		fmt.Fprintf(&b, "  %s -->|\"%s\"| %s\n", names[e.From], mermaidText(e.Label), names[e.To])
	}
	for _, s := range []State{Ready, Waiting, Failed, Unknown} {
		fmt.Fprintf(&b, "  classDef %s fill:%s,stroke:%s,color:#000\n", s, colors[s].fill, colors[s].line)
	}
	return b.String()
}

// DOT returns the graph in the language of Graphviz.
func (g Graph) DOT() string {
	g = g.Sorted()
	var b strings.Builder
	b.WriteString("digraph landbridge {\n  rankdir=LR\n  node [style=filled fontname=\"sans-serif\"]\n  edge " +
		"[fontname=\"sans-serif\" fontsize=10]\n")
	shapes := map[State]string{Ready: "box", Waiting: "oval", Failed: "hexagon", Unknown: "note"}
	for _, n := range g.Nodes {
		width := ""
		if n.Subject {
			width = " penwidth=3"
		}
		fmt.Fprintf(&b, "  %s [label=%s shape=%s fillcolor=%q color=%q%s]\n", dotText(n.ID), dotText(n.lines("\n")),
			shapes[n.State], colors[n.State].fill, colors[n.State].line, width)
	}
	for _, e := range g.Edges {
		fmt.Fprintf(&b, "  %s -> %s", dotText(e.From), dotText(e.To))
		if e.Label != "" {
			fmt.Fprintf(&b, " [label=%s]", dotText(e.Label))
		}
		b.WriteString("\n")
	}
	b.WriteString("}\n")
	return b.String()
}

// lines returns the title and the text, if there is one.
func (n Node) lines(between string) string {
	if n.Text == "" {
		return n.Title
	}
	return n.Title + between + n.Text
}

var colors = map[State]struct{ fill, line string }{
	Ready: {"#e6f4ea", "#1e7e34"}, Waiting: {"#fff4d6", "#946200"}, Failed: {"#fde7e9", "#b00020"}, Unknown: {"#eeeeee", "#555555"},
}

// mermaidText escapes a text: Mermaid knows HTML's entities, and reads Markdown and commands in
// other characters. The line break of a node stays.
func mermaidText(s string) string {
	var b strings.Builder
	for i, line := range strings.Split(s, "<br>") {
		if i > 0 {
			b.WriteString("<br>")
		}
		for _, r := range line {
			switch {
			case r == '"', r == '<', r == '>', r == '&', r == '#', r == ';', r == '`', r == '|', r == '\\', r == '*', r == '_':
				fmt.Fprintf(&b, "#%d;", r)
			case r < ' ':
				b.WriteByte(' ')
			default:
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}

// dotText quotes a text. A quote is the only character that ends it; a backslash begins an escape.
func dotText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", " ").Replace(s) + `"`
}

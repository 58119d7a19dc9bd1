package graph_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/command/graph"
	"github.com/landbridge-io/landbridge/internal/testing/golden"
)

// estate has all states, a circle, a label, and texts that end quotes and tags where they are not
// escaped.
var estate = graph.Graph{
	Nodes: []graph.Node{
		{ID: "db", Title: "Database team-a/db", Text: "Waiting, ReferenceNotResolved", State: graph.Waiting, Subject: true},
		{ID: "net", Title: "Network team-a/net", Text: "Failed, ReconcileError", State: graph.Failed},
		{ID: "token", Title: "Secret team-a/token", State: graph.Ready},
		{ID: "config", Title: "ProviderConfig team-a/default", Text: "Ready", State: graph.Ready},
		{ID: `hostile"]`, Title: `<script>alert(1)</script> "]; click n0 call x() `, Text: "may not be read \\\" --> n1\n", State: graph.Unknown},
		{ID: "app", Title: "App " + strings.Repeat("long-", 30), Text: "Ready", State: graph.Ready},
	},
	Edges: []graph.Edge{
		{From: "app", To: "db", Label: "spec.databaseRef"},
		{From: "db", To: "net", Label: `spec.forProvider.rule[0].networkRef|"x"`},
		{From: "db", To: "config", Label: "spec.providerConfigRef"},
		{From: "db", To: "config", Label: "spec.providerConfigRef"},
		{From: "config", To: "token"},
		{From: "net", To: "app", Label: "closes a circle"},
		{From: "net", To: `hostile"]`},
	},
}

func TestFormats(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"estate.mmd": estate.Mermaid(), "estate.dot": estate.DOT(), "estate.svg": estate.SVG(),
		"empty.svg": graph.Graph{}.SVG(),
	} {
		golden.Check(t, name, []byte(text))
		if !strings.HasSuffix(name, ".dot") && strings.Contains(text, "<script") {
			t.Errorf("%s: a title is not escaped", name)
		}
	}
}

// Whatever objects are called, the drawing is XML with one box for each node, none of which covers
// another, and the other formats have a line for each.
func TestAnyGraph(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 30).Draw(t, "nodes")
		g := graph.Graph{}
		for i := range n {
			g.Nodes = append(g.Nodes, graph.Node{
				ID: strconv.Itoa(i), Title: rapid.String().Draw(t, "title"), Text: rapid.String().Draw(t, "text"),
				State: rapid.SampledFrom([]graph.State{graph.Ready, graph.Waiting, graph.Failed, graph.Unknown}).Draw(t, "state"),
			})
		}
		for range rapid.IntRange(0, 2*n).Draw(t, "edges") {
			end := func() string { return strconv.Itoa(rapid.IntRange(0, n-1).Draw(t, "end")) }
			g.Edges = append(g.Edges, graph.Edge{From: end(), To: end(), Label: rapid.String().Draw(t, "label")})
		}
		boxes := map[string]bool{}
		for d := xml.NewDecoder(strings.NewReader(g.SVG())); ; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, g.SVG())
			}
			if e, ok := token.(xml.StartElement); ok && e.Name.Local == "rect" && attribute(e, "rx") == "4" {
				boxes[attribute(e, "x")+" "+attribute(e, "y")] = true
			}
		}
		if len(boxes) != n {
			t.Fatalf("%d places of %d nodes", len(boxes), n)
		}
		edges := len(g.Sorted().Edges)
		if lines := strings.Count(g.DOT(), "\n"); lines != 5+n+edges {
			t.Fatalf("%d lines of DOT for %d nodes and %d edges:\n%s", lines, n, edges, g.DOT())
		}
		if lines := strings.Count(g.Mermaid(), "\n"); lines != 5+n+edges {
			t.Fatalf("%d lines of Mermaid for %d nodes and %d edges:\n%s", lines, n, edges, g.Mermaid())
		}
	})
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// Without circles, each edge leads to the right.
func TestEdgesLeadRight(t *testing.T) {
	t.Parallel()
	start := regexp.MustCompile(`<path d="M([0-9.]+) [0-9.]+C[0-9.]+ [0-9.]+ [0-9.]+ [0-9.]+ ([0-9.]+) `)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 20).Draw(t, "nodes")
		g := graph.Graph{}
		for i := range n {
			g.Nodes = append(g.Nodes, graph.Node{ID: fmt.Sprint(i), Title: "node", State: graph.Ready})
		}
		for range rapid.IntRange(1, 2*n).Draw(t, "edges") {
			to := rapid.IntRange(1, n-1).Draw(t, "to")
			g.Edges = append(g.Edges, graph.Edge{From: fmt.Sprint(rapid.IntRange(0, to-1).Draw(t, "from")), To: fmt.Sprint(to)})
		}
		for _, m := range start.FindAllStringSubmatch(g.SVG(), -1) {
			from, _ := strconv.ParseFloat(m[1], 64)
			to, _ := strconv.ParseFloat(m[2], 64)
			if from >= to {
				t.Fatalf("an edge leads from %v to %v:\n%s", from, to, g.SVG())
			}
		}
	})
}

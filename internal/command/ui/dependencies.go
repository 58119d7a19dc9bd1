package ui

import (
	"html/template"

	"github.com/landbridge-io/landbridge/internal/command/explain"
	"github.com/landbridge-io/landbridge/internal/command/graph"
)

// Dependencies is what an object depends on, and what depends on it.
type Dependencies struct {
	explain.Key
	// Graph is the same as landbridge graph draws.
	Graph graph.Graph `json:"graph"`
	// LeftOut is how many dependents are not in it, since there are too many.
	LeftOut int `json:"leftOut,omitempty"`
	// Rows are the edges of the graph.
	Rows []Edge `json:"-"`
}

// Edge is a dependency in a table.
type Edge struct {
	From, To graph.Node
	// FromPath and ToPath are the addresses of their views; "" for objects that have none.
	FromPath, ToPath string
	Field            string
}

// Path is the address of the object's view.
func (d Dependencies) Path() string { return pathOf("resources", d.Key) }

// SVG is the drawing. Its texts are escaped by the package that draws it.
func (d Dependencies) SVG() template.HTML { return template.HTML(d.Graph.SVG()) } //nolint:gosec // escaped by graph

// DependenciesOf returns the dependencies in a snapshot.
func DependenciesOf(c Content, s *explain.Snapshot, leftOut int) Dependencies {
	out := Dependencies{Key: s.Subject, Graph: s.Graph(), LeftOut: leftOut}
	nodes, paths := map[string]graph.Node{}, map[string]string{}
	for _, n := range out.Graph.Nodes {
		nodes[n.ID] = n
	}
	for _, u := range s.Objects {
		if k := explain.KeyOf(u); c.Find(k) != nil {
			paths[k.Resource()+k.In()] = pathOf("dependencies", k)
		}
	}
	for _, e := range out.Graph.Edges {
		out.Rows = append(out.Rows, Edge{nodes[e.From], nodes[e.To], paths[e.From], paths[e.To], e.Label})
	}
	return out
}

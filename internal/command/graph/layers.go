package graph

import (
	"cmp"
	"slices"
)

// layers divides nodes into columns: what depends on nothing is in the last one, and each edge
// leads to the right, apart from those that close a circle. Within a column, nodes are ordered so
// that few edges cross.
func (g Graph) layers() [][]string {
	below := map[string][]string{}
	for _, e := range g.Edges {
		below[e.From] = append(below[e.From], e.To)
	}
	// The longest way down from a node. An edge back to a node that is being visited closes a
	// circle, and does not count.
	height, visiting := map[string]int{}, map[string]bool{}
	var visit func(id string) int
	visit = func(id string) int {
		if h, known := height[id]; known {
			return h
		}
		visiting[id] = true
		h := 0
		for _, next := range below[id] {
			if !visiting[next] {
				h = max(h, visit(next)+1)
			}
		}
		delete(visiting, id)
		height[id] = h
		return h
	}
	highest := 0
	for _, n := range g.Nodes {
		highest = max(highest, visit(n.ID))
	}
	if len(g.Nodes) == 0 {
		return nil
	}
	out := make([][]string, highest+1)
	for _, n := range g.Nodes {
		at := highest - height[n.ID]
		out[at] = append(out[at], n.ID)
	}
	g.order(out)
	return out
}

// sweeps is how often the order of the columns is improved, from left to right and back.
const sweeps = 4

// order puts each node beside the middle of its neighbours in the other columns.
func (g Graph) order(columns [][]string) {
	neighbours := map[string][]string{}
	for _, e := range g.Edges {
		neighbours[e.From] = append(neighbours[e.From], e.To)
		neighbours[e.To] = append(neighbours[e.To], e.From)
	}
	row := map[string]float64{}
	place := func(column []string) {
		for i, id := range column {
			row[id] = (float64(i) + .5) / float64(len(column))
		}
	}
	for _, column := range columns {
		place(column)
	}
	for range sweeps {
		for range 2 {
			for _, column := range columns {
				middle := map[string]float64{}
				for _, id := range column {
					middle[id] = row[id]
					if near := neighbours[id]; len(near) > 0 {
						sum := 0.0
						for _, other := range near {
							sum += row[other]
						}
						middle[id] = sum / float64(len(near))
					}
				}
				slices.SortStableFunc(column, func(a, b string) int { return cmp.Compare(middle[a], middle[b]) })
				place(column)
			}
			slices.Reverse(columns)
		}
	}
}

// Package graph draws what depends on what: as Mermaid, as DOT, and as SVG.
//
// In: a Graph of nodes and edges. Out: text. Nodes are told apart by shape and text, not by color
// alone, and the SVG prints on paper. It knows nothing of clusters; explain makes the graphs.
package graph

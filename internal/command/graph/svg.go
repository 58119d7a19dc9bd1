package graph

import (
	"fmt"
	"html"
	"strings"
	"unicode/utf8"

	"github.com/landbridge-io/landbridge/internal/text"
)

// Measures of the drawing, in CSS pixels. A character of the font is estimated, since the width of
// one is known to the viewer only.
const (
	boxHeight, rowGap, columnGap, margin = 44, 20, 120, 16
	characterWidth, boxPadding           = 7.2, 24
	longest                              = 60 // characters of a line
)

type box struct{ x, y, width float64 }

// SVG returns the graph as a drawing: what depends is on the left of what it depends on. It has no
// scripts and no references to the outside.
func (g Graph) SVG() string {
	g = g.Sorted()
	columns := g.layers()
	nodes := map[string]Node{}
	for _, n := range g.Nodes {
		nodes[n.ID] = n
	}
	boxes := map[string]box{}
	x, height := float64(margin), 0.0
	for _, column := range columns {
		width := 0.0
		for _, id := range column {
			width = max(width, nodes[id].width())
		}
		for i, id := range column {
			boxes[id] = box{x: x, y: margin + float64(i)*(boxHeight+rowGap), width: width}
		}
		x += width + columnGap
		height = max(height, float64(len(column))*(boxHeight+rowGap))
	}
	width := max(x-columnGap+margin, 2*margin)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" font-family="sans-serif" font-size="12" role="img">`+"\n",
		width, height+2*margin, width, height+2*margin)
	b.WriteString("<title>Dependencies</title>\n")
	b.WriteString(`<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>` + "\n")
	for _, e := range g.Edges {
		writeEdge(&b, e, boxes[e.From], boxes[e.To])
	}
	for _, n := range g.Nodes {
		writeBox(&b, n, boxes[n.ID])
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func (n Node) width() float64 {
	return characterWidth*float64(max(utf8.RuneCountInString(cut(n.Title)), utf8.RuneCountInString(cut(n.Text)))) + boxPadding
}

// cut shortens a line for the drawing. The whole is in the title, which viewers show on demand.
func cut(s string) string {
	return text.Fit(s, longest)
}

// writeEdge draws an edge from the right side of one box to the left side of another, or, where
// that leads back, from the left to the right.
func writeEdge(b *strings.Builder, e Edge, from, to box) {
	x1, x2 := from.x+from.width, to.x
	if to.x <= from.x {
		x1, x2 = from.x, to.x+to.width
	}
	y1, y2 := from.y+boxHeight/2, to.y+boxHeight/2
	middle := (x1 + x2) / 2
	fmt.Fprintf(
		b,
		`<path d="M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f" fill="none" stroke="#444" marker-end="url(#arrow)"><title>%s</title></path>`+
			"\n",
		x1, y1, middle, y1, middle, y2, x2, y2, escaped(e.Label),
	)
}

// writeBox draws a node. Its border tells its state, too: a line that is solid, dashed, double or
// dotted.
func writeBox(b *strings.Builder, n Node, at box) {
	stroke := map[State]string{Waiting: ` stroke-dasharray="8 4"`, Unknown: ` stroke-dasharray="2 3"`}[n.State]
	thick := 1
	if n.Subject {
		thick = 3
	}
	fmt.Fprintf(b, `<g><title>%s</title>`, escaped(n.lines("\n")))
	fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%d" rx="4" fill="%s" stroke="%s" stroke-width="%d"%s/>`,
		at.x, at.y, at.width, boxHeight, colors[n.State].fill, colors[n.State].line, thick, stroke)
	if n.State == Failed {
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%d" rx="2" fill="none" stroke="%s"/>`,
			at.x+4, at.y+4, at.width-8, boxHeight-8, colors[n.State].line)
	}
	middle := at.x + at.width/2
	first := at.y + boxHeight/2 - 3
	if n.Text == "" {
		first += 7
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="middle" font-weight="bold">%s</text>`, middle, first, escaped(cut(n.Title)))
	if n.Text != "" {
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="middle">%s</text>`, middle, first+15, escaped(cut(n.Text)))
	}
	b.WriteString("</g>\n")
}

// escaped escapes a text for SVG. Characters that XML does not have are left out.
func escaped(s string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\n', r == '\r', r >= ' ' && r <= 0xD7FF, r >= 0xE000 && r <= 0xFFFD && r != utf8.RuneError, r >= 0x10000:
			return r
		}
		return -1
	}, s))
}

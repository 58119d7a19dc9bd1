package stream

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Table writes lines in columns. Columns get wider where later lines need it.
type Table struct {
	Out io.Writer
	// Columns is the length that lines are cut to; 0 does not cut them.
	Columns int
	widths  []int
}

// Write writes lines, all with the same number of cells.
func (t *Table) Write(lines [][]string) error {
	for _, cells := range lines {
		for i, c := range cells {
			if i == len(t.widths) {
				t.widths = append(t.widths, 0)
			}
			t.widths[i] = max(t.widths[i], utf8.RuneCountInString(c))
		}
	}
	var out strings.Builder
	for _, cells := range lines {
		var line strings.Builder
		for i, c := range cells {
			fmt.Fprintf(&line, "%-*s   ", t.widths[i], c)
		}
		out.WriteString(Cut(strings.TrimRight(line.String(), " "), t.Columns) + "\n")
	}
	_, err := io.WriteString(t.Out, out.String())
	return err
}

// Cut shortens text to a number of characters; 0 does not shorten it.
func Cut(s string, most int) string {
	if most <= 0 || utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}

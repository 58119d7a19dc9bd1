package stream

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/landbridge-io/landbridge/internal/text"
)

// Table writes lines in columns. Columns get wider where later lines need it.
type Table struct {
	Out io.Writer
	// Columns is the length that lines are cut to; 0 does not cut them.
	Columns int
	// Shrink are columns that get narrower where a line would be longer than Columns, in this
	// order.
	Shrink []Shrink
	// Paint colours a cell, given with the spaces that fill its column. It may be nil, and nothing
	// is coloured.
	Paint  func(column int, cell, filled string) string
	widths []int
}

// Shrink is a column that may be cut to some characters.
type Shrink struct {
	Column, Least int
	// Tail is set if the end of its cells is kept, instead of the beginning.
	Tail bool
}

// gap is between columns.
const gap = "   "

// Write writes lines, all with the same number of cells. A line of one cell is written as it is,
// and is of no column.
func (t *Table) Write(lines [][]string) error {
	for _, cells := range lines {
		if len(cells) == 1 {
			continue
		}
		for i, c := range cells {
			if i == len(t.widths) {
				t.widths = append(t.widths, 0)
			}
			t.widths[i] = max(t.widths[i], utf8.RuneCountInString(c))
		}
	}
	widths := t.fit()
	var out strings.Builder
	for _, cells := range lines {
		if len(cells) == 1 {
			out.WriteString(cells[0] + "\n")
			continue
		}
		out.WriteString(t.line(cells, widths) + "\n")
	}
	_, err := io.WriteString(t.Out, out.String())
	return err
}

func (t *Table) line(cells []string, widths []int) string {
	last := len(cells)
	for last > 0 && cells[last-1] == "" {
		last--
	}
	var line strings.Builder
	room := t.Columns
	for i, c := range cells[:last] {
		c = t.cut(i, c, widths[i])
		filled := fmt.Sprintf("%-*s", widths[i], c)
		if i < last-1 {
			filled += gap
		} else {
			filled = c
		}
		if t.Columns > 0 {
			if room <= 0 {
				break
			}
			filled = Cut(filled, room)
			room -= utf8.RuneCountInString(filled)
		}
		if t.Paint != nil {
			filled = t.Paint(i, c, filled)
		}
		line.WriteString(filled)
	}
	return line.String()
}

// cut shortens the cell of a column.
func (t *Table) cut(column int, cell string, most int) string {
	tail := slices.ContainsFunc(t.Shrink, func(s Shrink) bool { return s.Column == column && s.Tail })
	if n := utf8.RuneCountInString(cell); tail && most > 0 && n > most {
		return "…" + string([]rune(cell)[n-most+1:])
	}
	return Cut(cell, most)
}

// fit returns the widths of the columns, shrunk where a line would be too long.
func (t *Table) fit() []int {
	out := slices.Clone(t.widths)
	if t.Columns <= 0 {
		return out
	}
	excess := -len(gap) - t.Columns
	for _, w := range out {
		excess += w + len(gap)
	}
	for _, s := range t.Shrink {
		if s.Column >= len(out) || excess <= 0 {
			continue
		}
		by := min(excess, max(0, out[s.Column]-s.Least))
		out[s.Column] -= by
		excess -= by
	}
	return out
}

// Cut shortens text to a number of characters; 0 does not shorten it.
func Cut(s string, most int) string {
	if most <= 0 {
		return s
	}
	return text.Fit(s, most)
}

// Wrap returns text in lines of at most so many characters, broken at spaces; 0 does not break it.
// Words that are longer stay whole.
func Wrap(s string, most int) []string {
	words := strings.Fields(s)
	if most <= 0 || len(words) == 0 {
		return []string{s}
	}
	out := words[:1:1]
	for _, w := range words[1:] {
		if last := &out[len(out)-1]; utf8.RuneCountInString(*last)+1+utf8.RuneCountInString(w) <= most {
			*last += " " + w
		} else {
			out = append(out, w)
		}
	}
	return out
}

// OneLine returns text without line ends and other characters that move a terminal's cursor.
func OneLine(s string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return '�'
		}
		return r
	}, s)), " ")
}

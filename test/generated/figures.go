package main

import (
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// figures are those that make figures of a repository has measured: what, in process, as a plugin.
type figures [][]string

func (f figures) String() string {
	var b strings.Builder
	for _, row := range f {
		fmt.Fprintf(&b, "  %s: %s in process, %s as a plugin\n", row[0], row[1], row[2])
	}
	return b.String()
}

// measures are the first cells of the rows that are read.
var measures = []string{
	"Start, until all kinds are served", "Processor time of the start", "Memory without resources",
	"Memory with resources",
}

// readFigures reads the table that make figures has written.
func readFigures(page string) (figures, error) {
	raw, err := os.ReadFile(page)
	if err != nil {
		return nil, err
	}
	var out figures
	for line := range strings.Lines(string(raw)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if len(cells) == 3 && slices.Contains(measures, cells[0]) {
			out = append(out, cells)
		}
	}
	if len(out) != len(measures) {
		return nil, fmt.Errorf("make figures has written:\n%s", raw)
	}
	return out, nil
}

const (
	beginFigures = "<!-- table linked: made by make figures-in-process -->"
	endFigures   = "<!-- end of table linked -->"
)

// writeFigures writes the figures of all providers to a page.
func writeFigures(page string, measured map[string]figures) error {
	raw, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(raw), beginFigures)
	_, after, ok2 := strings.Cut(rest, endFigures)
	if !ok || !ok2 {
		return fmt.Errorf("%s lacks the lines %q and %q", page, beginFigures, endFigures)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s\n\nMeasured on %s, with %d processors. Each cell is in process / as a "+
		"plugin.\n\n| provider |", before, beginFigures, time.Now().UTC().Format(time.DateOnly), runtime.NumCPU())
	for _, m := range measures {
		fmt.Fprintf(&b, " %s |", strings.ToLower(m[:1])+m[1:])
	}
	b.WriteString("\n|" + strings.Repeat("---|", 1+len(measures)) + "\n")
	for _, name := range slices.Sorted(maps.Keys(measured)) {
		fmt.Fprintf(&b, "| %s |", name)
		for _, row := range measured[name] {
			fmt.Fprintf(&b, " %s / %s |", row[1], row[2])
		}
		b.WriteString("\n")
	}
	b.WriteString("\n" + endFigures + after)
	return os.WriteFile(page, []byte(b.String()), 0o644)
}

package figure

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// Figure is a measured value.
type Figure struct {
	Name string `json:"name"`
	// Column names the compared alternative, if there are several.
	Column string  `json:"column,omitempty"`
	Value  float64 `json:"value"`
	Unit   string  `json:"unit"`
	// RatioTo is Value divided by another figure of the same run, with that figure's name.
	RatioTo *Ratio `json:"ratio_to,omitempty"`
	// Bound is the maximum of Value. Defaults to no bound; a negative one is 0.
	Bound float64 `json:"bound,omitempty"`
	// MaxRatio is the maximum of RatioTo. Defaults to no bound.
	MaxRatio float64 `json:"max_ratio,omitempty"`
	Note     string  `json:"note,omitempty"`
}

// Ratio is a value divided by that of another figure.
type Ratio struct {
	Name  string  `json:"name"`
	Ratio float64 `json:"ratio"`
}

// Report collects the figures of a run.
type Report struct{ figures []Figure }

// Figures returns the added figures.
func (r *Report) Figures() []Figure { return r.figures }

// Add adds a figure and prints it.
func (r *Report) Add(f Figure) {
	r.figures = append(r.figures, f)
	b, err := json.Marshal(f)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(b))
}

// Ratio adds a figure together with its ratio to an earlier one of the same column.
func (r *Report) Ratio(f Figure, to string) {
	i := slices.IndexFunc(r.figures, func(x Figure) bool { return x.Name == to && x.Column == f.Column })
	if i >= 0 && r.figures[i].Value != 0 {
		f.RatioTo = &Ratio{Name: to, Ratio: f.Value / r.figures[i].Value}
	}
	r.Add(f)
}

// Exceeded returns the names of figures that exceed their bounds.
func (r *Report) Exceeded() []string {
	var out []string
	for _, f := range r.figures {
		if f.Bound > 0 && f.Value > f.Bound || f.Bound < 0 && f.Value > 0 {
			out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s is %.4g %s, more than %.4g", f.Column, f.Name, f.Value, f.Unit, max(f.Bound, 0))))
		}
		if f.RatioTo != nil && f.MaxRatio > 0 && f.RatioTo.Ratio > f.MaxRatio {
			out = append(
				out, strings.TrimSpace(fmt.Sprintf("%s %s is %.2f × %s, more than %.2f", f.Column, f.Name,
					f.RatioTo.Ratio, f.RatioTo.Name, f.MaxRatio)),
			)
		}
	}
	return out
}

const (
	begin = "<!-- %s: made by make bench -->"
	end   = "<!-- end of figures -->"
)

// Write puts the figures into the marked part of a Markdown file.
func (r *Report) Write(path, part string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	begin := fmt.Sprintf(begin, part)
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return fmt.Errorf("%s has no part between %q and %q", path, begin, end)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s\n\nMeasured on %s.\n\n", before, begin, time.Now().UTC().Format(time.DateOnly))
	if slices.ContainsFunc(r.figures, func(f Figure) bool { return f.Column != "" }) {
		r.compare(&b)
	} else {
		r.list(&b)
	}
	b.WriteString("\n" + end + after)
	return os.WriteFile(path, []byte(b.String()), 0o644)
}

// list writes a line for each figure.
func (r *Report) list(b *strings.Builder) {
	b.WriteString("| figure | value | bound | ratio |\n|---|---|---|---|\n")
	for _, f := range r.figures {
		bound, to := "", ""
		switch {
		case f.Bound < 0:
			bound = "0"
		case f.Bound > 0:
			bound = fmt.Sprintf("%.4g", f.Bound)
		}
		if f.RatioTo != nil {
			to = fmt.Sprintf("%.2f × %s", f.RatioTo.Ratio, f.RatioTo.Name)
			if f.MaxRatio > 0 {
				to += fmt.Sprintf(", at most %.2f", f.MaxRatio)
			}
		}
		fmt.Fprintf(b, "| %s | %.4g %s | %s | %s |\n", f.Name, f.Value, f.Unit, bound, to)
	}
}

// compare writes a line for all figures of the same name, with their columns side by side.
func (r *Report) compare(b *strings.Builder) {
	var names, columns []string
	for _, f := range r.figures {
		if !slices.Contains(names, f.Name) {
			names = append(names, f.Name)
		}
		if !slices.Contains(columns, f.Column) {
			columns = append(columns, f.Column)
		}
	}
	fmt.Fprintf(b, "| figure | unit | %s | (×) |\n|---|---|%s---|\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
	for _, name := range names {
		unit, to, cells := "", "", make([]string, len(columns))
		for _, f := range r.figures {
			if f.Name != name {
				continue
			}
			unit = f.Unit
			cell := fmt.Sprintf("%.4g", f.Value)
			if f.RatioTo != nil {
				to = f.RatioTo.Name
				cell += fmt.Sprintf(" (%.2f×", f.RatioTo.Ratio)
				if f.MaxRatio > 0 {
					cell += fmt.Sprintf(", at most %.2f×", f.MaxRatio)
				}
				cell += ")"
			}
			if f.Bound != 0 {
				cell += fmt.Sprintf(", at most %.4g", max(f.Bound, 0))
			}
			cells[slices.Index(columns, f.Column)] = cell
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", name, unit, strings.Join(cells, " | "), to)
	}
}

// Median returns the median of values.
func Median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// Percentile returns a percentile of durations, with p from 0 to 1.
func Percentile(d []time.Duration, p float64) time.Duration {
	d = slices.Sorted(slices.Values(d))
	return d[min(len(d)-1, int(float64(len(d))*p))]
}

package figure

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// Figure is one result.
type Figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	// RatioTo is Value divided by another figure of the same run, and that figure's name.
	RatioTo *Ratio `json:"ratio_to,omitempty"`
	// Bound is what Value must not exceed; 0 is no bound.
	Bound float64 `json:"bound,omitempty"`
	Note  string  `json:"note,omitempty"`
}

// Ratio is a value divided by that of another figure.
type Ratio struct {
	Name  string  `json:"name"`
	Ratio float64 `json:"ratio"`
}

// Report are the figures of a run.
type Report struct{ figures []Figure }

// Add takes in a figure, and prints it.
func (r *Report) Add(f Figure) {
	r.figures = append(r.figures, f)
	b, err := json.Marshal(f)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(b))
}

// Ratio adds a figure together with its ratio to an earlier one.
func (r *Report) Ratio(f Figure, to string) {
	i := slices.IndexFunc(r.figures, func(x Figure) bool { return x.Name == to })
	if i >= 0 && r.figures[i].Value != 0 {
		f.RatioTo = &Ratio{Name: to, Ratio: f.Value / r.figures[i].Value}
	}
	r.Add(f)
}

// Exceeded names the figures that are out of their bounds.
func (r *Report) Exceeded() []string {
	var out []string
	for _, f := range r.figures {
		if f.Bound > 0 && f.Value > f.Bound || f.Bound < 0 && f.Value > 0 {
			out = append(out, fmt.Sprintf("%s is %.4g %s, more than %.4g", f.Name, f.Value, f.Unit, max(f.Bound, 0)))
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
	fmt.Fprintf(&b, "%s%s\n\nMeasured on %s.\n\n| figure | value | bound | ratio |\n|---|---|---|---|\n", before, begin, time.Now().UTC().Format(time.DateOnly))
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
		}
		fmt.Fprintf(&b, "| %s | %.4g %s | %s | %s |\n", f.Name, f.Value, f.Unit, bound, to)
	}
	b.WriteString("\n" + end + after)
	return os.WriteFile(path, []byte(b.String()), 0o644)
}

// Percentile is that of some durations, p from 0 to 1.
func Percentile(d []time.Duration, p float64) time.Duration {
	d = slices.Sorted(slices.Values(d))
	return d[min(len(d)-1, int(float64(len(d))*p))]
}

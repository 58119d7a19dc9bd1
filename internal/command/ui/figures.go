package ui

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/landbridge-io/landbridge/internal/command/state"
	"github.com/landbridge-io/landbridge/internal/command/status"
	"github.com/landbridge-io/landbridge/internal/history"
)

// Figures are what the change records tell of the last day, by the hour.
type Figures struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
	// Records is the number of change records, and Cut that of entries that they do not keep any
	// more, whatever their age.
	Records int    `json:"records"`
	Cut     int    `json:"cut"`
	Hours   []Hour `json:"hours"`
	// Durations are those of the operations that have ended, by action.
	Durations []Durations `json:"durations"`
	// Now counts the objects by health.
	Now []HealthCount `json:"now"`
	// Problem says which change records could not be read, and why.
	Problem string `json:"problem,omitempty"`
}

// Hour is what happened in an hour.
type Hour struct {
	At time.Time `json:"at"`
	// Succeeded, Failed and Other count the operations that began, by outcome. Others still run, or
	// were interrupted.
	Succeeded int `json:"succeeded"`
	Failed    int `json:"failed"`
	Other     int `json:"other"`
	// Drift counts changes outside, destroyed objects among them.
	Drift int `json:"drift"`
	// UnderWay is the most operations that were under way at the same time.
	UnderWay int `json:"underWay"`
	// Slow is the duration in milliseconds that one operation in twenty exceeds.
	Slow int64 `json:"slowMilliseconds"`
}

// Durations are those of an action, in milliseconds: the median, what one in twenty exceeds, and
// the longest.
type Durations struct {
	Action history.Action `json:"action"`
	Count  int            `json:"count"`
	Median int64          `json:"medianMilliseconds"`
	Slow   int64          `json:"slowMilliseconds"`
	Max    int64          `json:"maxMilliseconds"`
}

// HealthCount is the number of objects of a health.
type HealthCount struct {
	Health status.Health `json:"health"`
	Count  int           `json:"count"`
}

// hours is the number of hours in the view.
const hours = 24

// Still reports that the view does not follow the cluster: operations would have it drawn all the
// time.
func (Figures) Still() bool { return true }

// figures is the view of figures.
func (s *Server) figures(r *http.Request) (string, any, error) {
	records, err := s.records(r.Context())
	out := FiguresOf(s.index.Content(), records, s.now())
	if err != nil {
		out.Problem = err.Error()
	}
	return "Figures", out, nil
}

// span is the time of an operation.
type span struct{ from, to time.Time }

// FiguresOf returns the figures of change records.
func FiguresOf(c Content, records []state.History, now time.Time) Figures {
	to := now.UTC().Truncate(time.Hour).Add(time.Hour)
	out := Figures{
		From: to.Add(-hours * time.Hour), To: to, Records: len(records), Hours: make([]Hour, hours),
		Durations: []Durations{}, Now: healthsOf(c),
	}
	for i := range out.Hours {
		out.Hours[i].At = out.From.Add(time.Duration(i) * time.Hour)
	}
	all, byHour := map[history.Action][]int64{}, make([][]int64, hours)
	var spans []span
	for _, record := range records {
		out.Cut += record.Cut
		for _, e := range record.Entries {
			if e.At.Before(out.From) || !e.At.Before(to) {
				continue
			}
			i := int(e.At.Sub(out.From) / time.Hour)
			out.Hours[i].add(e)
			if e.Outcome == "" {
				continue
			}
			end := e.At.Add(time.Duration(e.Took) * time.Millisecond)
			if e.Outcome == history.Running {
				end = now
			}
			spans = append(spans, span{e.At, end})
			if e.Took > 0 {
				all[e.Action], byHour[i] = append(all[e.Action], e.Took), append(byHour[i], e.Took)
			}
		}
	}
	for i := range out.Hours {
		out.Hours[i].Slow = quantile(byHour[i], 0.95)
	}
	underWay(out.Hours, spans)
	for action, d := range all {
		out.Durations = append(out.Durations, Durations{action, len(d), quantile(d, 0.5), quantile(d, 0.95), quantile(d, 1)})
	}
	slices.SortFunc(out.Durations, func(a, b Durations) int { return compareActions(a.Action, b.Action) })
	return out
}

// add counts an entry.
func (h *Hour) add(e history.Entry) {
	switch {
	case e.Action == history.Drift, e.Action == history.Gone:
		h.Drift++
	case e.Outcome == history.Succeeded:
		h.Succeeded++
	case e.Outcome == history.Failed:
		h.Failed++
	case e.Outcome != "":
		h.Other++
	}
}

// underWay sets how many operations were under way at the same time, at most, in each hour.
func underWay(all []Hour, spans []span) {
	type change struct {
		at time.Time
		by int
	}
	for i := range all {
		from, to := all[i].At, all[i].At.Add(time.Hour)
		var changes []change
		for _, s := range spans {
			if s.from.Before(to) && !s.to.Before(from) {
				changes = append(changes, change{s.from, 1}, change{s.to, -1})
			}
		}
		// One that begins when another ends is not beside it.
		slices.SortFunc(changes, func(a, b change) int {
			if n := a.at.Compare(b.at); n != 0 {
				return n
			}
			return a.by - b.by
		})
		n := 0
		for _, c := range changes {
			if n += c.by; c.at.Before(to) {
				all[i].UnderWay = max(all[i].UnderWay, n)
			}
		}
	}
}

// quantile returns the value that a share of the values does not exceed; 0 if there is none.
func quantile(all []int64, share float64) int64 {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[int(math.Ceil(share*float64(len(all))))-1]
}

func compareActions(a, b history.Action) int {
	order := []history.Action{history.Create, history.Update, history.Delete}
	return slices.Index(order, a) - slices.Index(order, b)
}

func healthsOf(c Content) []HealthCount {
	counts := map[status.Health]int{}
	for _, e := range c.Entries {
		if !e.Supporting {
			counts[e.Health]++
		}
	}
	out := []HealthCount{}
	for h, n := range counts {
		out = append(out, HealthCount{h, n})
	}
	slices.SortFunc(out, func(a, b HealthCount) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Health, b.Health)) })
	return out
}

// Chart is a drawing of a figure by the hour.
type Chart struct {
	Title string
	// Top is the largest value as a text.
	Top  string
	Bars []Bar
}

// Bar is a rectangle of a chart. Class says what it stands for.
type Bar struct {
	X, Y, Width, Height int
	Class, Text         string
}

// Sizes of a chart.
const (
	chartHeight, barWidth, barStep = 100, 20, 24
)

// part is a part of a stacked bar.
type part struct {
	class string
	value int64
}

// Charts are the drawings.
func (f Figures) Charts() []Chart {
	number := func(n int64) string { return fmt.Sprint(n) }
	duration := func(n int64) string { return (time.Duration(n) * time.Millisecond).String() }
	return []Chart{
		f.chart("Operations", number, func(h Hour) []part {
			return []part{{"succeeded", int64(h.Succeeded)}, {"failed", int64(h.Failed)}, {"other", int64(h.Other)}}
		}),
		f.chart("Duration that one operation in twenty exceeds", duration, func(h Hour) []part { return []part{{"other", h.Slow}} }),
		f.chart("Drift", number, func(h Hour) []part { return []part{{"drift", int64(h.Drift)}} }),
		f.chart("Operations under way at the same time", number, func(h Hour) []part { return []part{{"other", int64(h.UnderWay)}} }),
	}
}

// chart returns a drawing of stacked bars.
func (f Figures) chart(title string, text func(int64) string, of func(Hour) []part) Chart {
	var top int64
	for _, h := range f.Hours {
		var sum int64
		for _, p := range of(h) {
			sum += p.value
		}
		top = max(top, sum)
	}
	out := Chart{Title: title, Top: text(top)}
	for i, h := range f.Hours {
		bottom := chartHeight
		for _, p := range of(h) {
			if p.value == 0 {
				continue
			}
			height := max(1, int(p.value*chartHeight/top))
			bottom -= height
			out.Bars = append(out.Bars, Bar{
				X: i * barStep, Y: bottom, Width: barWidth, Height: height, Class: p.class,
				Text: fmt.Sprintf("%s: %s %s", h.At.Format("15:04"), text(p.value), p.class),
			})
		}
	}
	return out
}

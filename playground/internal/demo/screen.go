package demo

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// screen prints the output for the user.
type screen struct {
	out   io.Writer
	start time.Time
	steps int // how many there are
	step  int // which one this is
}

// title begins a step.
func (s *screen) title(format string, args ...any) {
	s.step++
	fmt.Fprintf(s.out, "\n[%d/%d] %s\n", s.step, s.steps, fmt.Sprintf(format, args...))
}

// line prints something that happened, and when.
func (s *screen) line(format string, args ...any) {
	fmt.Fprintf(s.out, "  %6.1fs  %s\n", time.Since(s.start).Seconds(), fmt.Sprintf(format, args...))
}

// table shows resources as kubectl would.
func (s *screen) table(objects []*unstructured.Unstructured) {
	fmt.Fprintln(s.out)
	w := tabwriter.NewWriter(s.out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "  NAME\tKIND\tREADY\tSYNCED\tSTATE\tEXTERNAL-NAME\tIDENTITY")
	for _, u := range objects {
		ready, _, _ := condition(u, "Ready")
		synced, _, _ := condition(u, "Synced")
		identity := ""
		if value, found, _ := unstructured.NestedMap(u.Object, "status", "identity"); found {
			b, _ := json.Marshal(value)
			identity = string(b)
		}
		cells := []string{u.GetName(), u.GetKind(), ready, synced, text(u.Object, "status", "state"),
			shorten(u.GetAnnotations()["crossplane.io/external-name"], 28), identity}
		for i, cell := range cells {
			if cell == "" {
				cells[i] = "-"
			}
		}
		fmt.Fprintln(w, "  "+strings.Join(cells, "\t"))
	}
	w.Flush()
	fmt.Fprintln(s.out)
}

// plan shows the plan in a resource's status.
func (s *screen) plan(u *unstructured.Unstructured) {
	fmt.Fprintf(s.out, "           plan of %s: %s\n", nameOf(u), text(u.Object, "status", "plan", "action"))
	replace, _, _ := unstructured.NestedStringSlice(u.Object, "status", "plan", "requiresReplace")
	changes, _, _ := unstructured.NestedSlice(u.Object, "status", "plan", "changes")
	for _, c := range changes {
		c, ok := c.(map[string]any)
		if !ok {
			continue
		}
		path, note := text(c, "path"), ""
		for _, r := range replace {
			if r == path {
				note = "   # forces a replacement"
			}
		}
		fmt.Fprintf(s.out, "             ~ %s: %s -> %s%s\n", path, value(c, "before"), value(c, "after"), note)
	}
}

func value(change map[string]any, side string) string {
	v, ok := change[side]
	switch {
	case change[side+"Sensitive"] == true:
		return "(sensitive value)"
	case side == "after" && change["afterUnknown"] == true:
		return "(known after apply)"
	case !ok || v == nil:
		return "(none)"
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return shorten(string(b), 60)
}

func shorten(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}

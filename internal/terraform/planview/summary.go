package planview

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/text"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// Limits of Summary. The API server cuts warnings at 256 characters, and has 4,096 for all of them.
const (
	maxSummary = 12
	maxValue   = 60
)

// Summary returns a plan in a few short lines, such as "~ size: 1 → 2". It is empty if there is
// nothing to do.
func Summary(m *model.Resource, p terraform.Plan) []string {
	var out []string
	switch {
	case p.Action == terraform.NoOp:
		return nil
	case p.Action == terraform.Create:
		out = append(out, "+ creates the object")
	case p.Action == terraform.Delete:
		return []string{"- destroys the object"}
	case p.Action.IsReplace():
		because := ""
		switch paths := translate.FieldPaths(m, p.RequiresReplace); {
		case len(paths) > 0:
			because = " because of " + strings.Join(paths, ", ")
		case p.Reason == terraform.ReplaceBecauseTainted:
			because = " because it is tainted"
		}
		out = append(out, text.Shorten(sign(p.Action)+" replaces the object"+because, 200))
	}
	for _, c := range p.Contained {
		if c.Action != terraform.NoOp {
			out = append(out, text.Shorten(fmt.Sprintf("%s %s", sign(c.Action), c.Address), 200))
		}
	}
	for _, c := range translate.Changes(m, p.Prior.State, p.State,
		translate.Concealed(m, slices.Concat(p.Prior.SensitivePaths, p.SensitivePaths))...) {
		if p.Action == terraform.Create && c.After == nil && c.AfterUnknown {
			continue
		}
		was, is := c.BeforeText(Brief), c.AfterText(Brief)
		switch {
		case c.Adds():
			out = append(out, fmt.Sprintf("+ %s: %s", c.Path, is))
		case c.Removes():
			out = append(out, fmt.Sprintf("- %s: %s", c.Path, was))
		default:
			out = append(out, fmt.Sprintf("~ %s: %s → %s", c.Path, was, is))
		}
	}
	if more := len(out) - maxSummary; more > 0 {
		out = append(out[:maxSummary], fmt.Sprintf("… and %d more: landbridge diff shows the whole plan", more))
	}
	return out
}

// Brief returns a value as short JSON.
func Brief(v any) string {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return "…"
	}
	return text.Shorten(strings.TrimSpace(out.String()), maxValue)
}

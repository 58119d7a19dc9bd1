package main

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/landbridge-io/landbridge/internal/command/local"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/terraform/planview"
)

// planDocument is the JSON output of plan and apply. resource_changes are as in Terraform's JSON
// plans; planview.ChangeContents documents the differences.
type planDocument struct {
	FormatVersion string     `json:"format_version"`
	Mode          local.Mode `json:"mode"`
	// Applyable is set when there are changes and no errors.
	Applyable bool `json:"applyable"`
	// Errored is set when the plan is incomplete, or not all of it could be applied.
	Errored         bool                      `json:"errored"`
	ResourceChanges []planview.ResourceChange `json:"resource_changes"`
	ResourceDrift   []planview.ResourceChange `json:"resource_drift,omitempty"`
	// NotInManifest are the addresses of resources in the state that are left alone.
	NotInManifest []string `json:"not_in_manifest,omitempty"`
	// Policies are what PlanPolicies decide about the changes.
	Policies []local.PolicyResult `json:"policies,omitempty"`
	// Results are the outcomes of the changes, in their order; set by apply only.
	Results     []resultDocument `json:"results,omitempty"`
	Diagnostics local.Messages   `json:"diagnostics,omitempty"`
}

type resultDocument struct {
	Address string       `json:"address"`
	Deposed string       `json:"deposed,omitempty"`
	Actions []string     `json:"actions"`
	Status  local.Status `json:"status"`
}

func newPlanDocument(mode local.Mode, plan *local.Plan, messages local.Messages) planDocument {
	d := planDocument{
		FormatVersion: planview.FormatVersion, Mode: mode, Errored: messages.HasErrors(), Diagnostics: messages,
		ResourceChanges: []planview.ResourceChange{},
	}
	if plan != nil {
		v := plan.View()
		d.ResourceChanges, d.ResourceDrift, d.NotInManifest = planview.JSON(v.Changes), planview.JSON(v.Drift), plan.Others
		d.Applyable = !d.Errored && plan.HasChanges()
	}
	return d
}

func (d *planDocument) results(results []local.Result) {
	for i, r := range results {
		d.Results = append(d.Results, resultDocument{
			Address: r.Change.Address, Deposed: r.Change.Deposed, Actions: d.ResourceChanges[i].Change.Actions, Status: r.Status,
		})
	}
}

// tell prints messages as text.
func (s *openSession) tell(messages local.Messages) {
	colour := s.colour && isTerminal(s.err)
	for _, m := range messages {
		paint := "\x1b[31m"
		if m.Severity == diagnostic.Warning {
			paint = "\x1b[33m"
		}
		head := string(m.Severity) + ":"
		if colour {
			head = "\x1b[1m" + paint + head + "\x1b[0m"
		}
		fmt.Fprintf(s.err, "\n%s %s\n", head, printable(m.Summary))
		var where []string
		for _, x := range []string{m.Address, m.Path} {
			if x != "" {
				where = append(where, x)
			}
		}
		if len(where) > 0 {
			fmt.Fprintf(s.err, "\n  with %s\n", printable(strings.Join(where, ", ")))
		}
		if m.Source != "" {
			fmt.Fprintf(s.err, "  in %s\n", printable(m.Source))
		}
		if m.Detail != "" {
			fmt.Fprintf(s.err, "\n  %s\n", strings.ReplaceAll(printable(strings.TrimSpace(m.Detail)), "\n", "\n  "))
		}
	}
}

// printable returns text without characters that move a terminal's cursor.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return -1
	}, s)
}

package upgrade_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/internal/upgrade"
)

var volumes = upgrade.Kind{ResourceType: "cloud_volume", Group: "cloud.example.org", Kind: "Volume"}

func change(path string, before, after any) upgrade.Change {
	return upgrade.Change{Change: translate.Change{Path: path, Before: before, After: after}}
}

func update(after any) upgrade.Finding {
	return upgrade.Finding{Outcome: upgrade.Update, Cause: upgrade.Cause{Changes: []upgrade.Change{change("tier", "free", after)}}}
}

func refused(detail string) upgrade.Finding {
	return upgrade.Finding{
		Outcome: upgrade.Refused,
		Cause:   upgrade.Cause{Path: "spec.forProvider.size", Summary: "Invalid size", Detail: detail},
	}
}

func unchanged() upgrade.Finding { return upgrade.Finding{Outcome: upgrade.Unchanged} }

// found is what was found about a resource.
type found struct {
	namespace, name string
	findings        []upgrade.Finding
}

// row is a row in brief.
type row struct {
	Outcome upgrade.Outcome
	Count   int
	Varies  bool
	Where   map[string]int
}

func TestGrouper(t *testing.T) {
	t.Parallel()
	many := make([]found, 25)
	for i := range many {
		many[i] = found{"a", fmt.Sprint("v", i), []upgrade.Finding{update(fmt.Sprint("tier ", i))}}
	}
	details := make([]found, 12)
	for i := range details {
		details[i] = found{"a", fmt.Sprint("v", i), []upgrade.Finding{refused(fmt.Sprint("detail ", i))}}
	}
	alone := func(outcome upgrade.Outcome, n int) (out []row) {
		for range n {
			out = append(out, row{outcome, 1, false, map[string]int{"a": 1}})
		}
		return out
	}
	tests := map[string]struct {
		in       []found
		rows     []row
		outcomes map[upgrade.Outcome]int
		failed   bool
		changes  bool
	}{
		"nothing": {outcomes: map[upgrade.Outcome]int{}},
		"identical changes are one row": {
			in: []found{
				{"a", "x", []upgrade.Finding{update("basic")}}, {"b", "y", []upgrade.Finding{update("basic")}},
				{"a", "z", []upgrade.Finding{unchanged()}},
			},
			rows:     []row{{upgrade.Update, 2, false, map[string]int{"a": 1, "b": 1}}, {upgrade.Unchanged, 1, false, map[string]int{"a": 1}}},
			outcomes: map[upgrade.Outcome]int{upgrade.Update: 2, upgrade.Unchanged: 1}, changes: true,
		},
		"other values are other rows": {
			in:       []found{{"a", "x", []upgrade.Finding{update("basic")}}, {"a", "y", []upgrade.Finding{update("gold")}}},
			rows:     alone(upgrade.Update, 2),
			outcomes: map[upgrade.Outcome]int{upgrade.Update: 2}, changes: true,
		},
		"too many values share a row": {
			in: many, rows: append([]row{{upgrade.Update, 15, true, map[string]int{"a": 15}}}, alone(upgrade.Update, 10)...),
			outcomes: map[upgrade.Outcome]int{upgrade.Update: 25}, changes: true,
		},
		"too many details share a row": {
			in: details, rows: append([]row{{upgrade.Refused, 2, true, map[string]int{"a": 2}}}, alone(upgrade.Refused, 10)...),
			outcomes: map[upgrade.Outcome]int{upgrade.Refused: 12}, failed: true,
		},
		"a resource counts once for each outcome": {
			in: []found{{
				"a", "x", []upgrade.Finding{
					refused("a"), refused("b"),
					{Outcome: upgrade.FieldChanged, Cause: upgrade.Cause{Path: "spec.forProvider.color"}},
				},
			}},
			rows:     append(alone(upgrade.Refused, 2), alone(upgrade.FieldChanged, 1)...),
			outcomes: map[upgrade.Outcome]int{upgrade.Refused: 1, upgrade.FieldChanged: 1}, failed: true, changes: true,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := &upgrade.Grouper{Examples: 2}
			for _, f := range test.in {
				g.Add(upgrade.Subject{Kind: volumes, Namespace: f.namespace, Name: f.name}, f.findings)
			}
			report := g.Report()
			var rows []row
			for _, r := range report.Rows {
				rows = append(rows, row{r.Outcome, r.Count, r.Varies, r.Namespaces})
				if len(r.Examples) > 2 {
					t.Errorf("%d examples", len(r.Examples))
				}
			}
			if diff := cmp.Diff(test.rows, rows); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			if diff := cmp.Diff(test.outcomes, report.Outcomes); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			if report.Failed() != test.failed || report.HasChanges() != test.changes || report.Resources != len(test.in) {
				t.Errorf("failed %t, changes %t, %d resources", report.Failed(), report.HasChanges(), report.Resources)
			}
		})
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	g := &upgrade.Grouper{Examples: 1}
	for i, findings := range [][]upgrade.Finding{
		{update("basic")}, {update("basic")}, {refused("It must be\na multiple of 8.")}, {unchanged()},
		{{Outcome: upgrade.Replace, Cause: upgrade.Cause{Held: "the resource is paused", Changes: []upgrade.Change{
			{Change: translate.Change{Path: "id", AfterUnknown: true}},
			{Change: translate.Change{Path: "key", BeforeSensitive: true, AfterSensitive: true}, Replaces: true},
			change("tags.a", "b", nil),
		}}}},
	} {
		g.Add(upgrade.Subject{Kind: volumes, Namespace: "team-a", Name: fmt.Sprint("v", i)}, findings)
	}
	report := g.Report()
	report.Provider, report.Installed, report.New = "cloud", "1.0.0", "2.0.0"
	report.Notes = []string{"A note."}
	var out strings.Builder
	if err := report.Text(&out); err != nil {
		t.Fatal(err)
	}
	want := `TerraformProvider cloud: 1.0.0 -> 2.0.0, 5 resources previewed. Nothing was written. The objects are previewed as they are stored: --refresh reads them first.

configuration refused: 1
  cloud_volume (Volume): 1 (team-a 1): team-a/v2
      spec.forProvider.size: Invalid size: It must be a multiple of 8.

would be replaced: 1
  cloud_volume (Volume): 1 (team-a 1): team-a/v4
      ~ id: (known after apply)
      ~ key: (sensitive value) -> (sensitive value) (forces replacement)
      - tags.a: "b"
      not carried out: the resource is paused

would be updated: 2
  cloud_volume (Volume): 2 (team-a 2): team-a/v0, …
      ~ tier: "free" -> "basic"

as it is: 1
  cloud_volume (Volume): 1 (team-a 1)

Note: A note.
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	out.Reset()
	if err := report.Markdown(&out); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"### TerraformProvider cloud: 1.0.0 -> 2.0.0", "| would be updated | 2 |", "> A note.",
		"<details><summary>would be replaced: 1</summary>",
	} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("lacks %q:\n%s", part, out.String())
		}
	}
}

// A provider without a cluster is no TerraformProvider.
func TestTitleWithoutCluster(t *testing.T) {
	t.Parallel()
	report := &upgrade.Report{Provider: "cloud", Installed: "1.0.0", New: "2.0.0", WithoutCluster: true}
	for name, c := range map[string]struct {
		write func(io.Writer) error
		want  string
	}{
		"text":     {report.Text, "Provider cloud: 1.0.0 -> 2.0.0, 0 resources previewed."},
		"Markdown": {report.Markdown, "### Provider cloud: 1.0.0 -> 2.0.0, 0 resources previewed\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			if err := c.write(&out); err != nil || !strings.HasPrefix(out.String(), c.want) {
				t.Errorf("%v, %s", err, &out)
			}
		})
	}
}

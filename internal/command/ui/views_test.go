package ui_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/command/explain"
	"github.com/landbridge-io/landbridge/internal/command/ui"
	"github.com/landbridge-io/landbridge/internal/history"
	"github.com/landbridge-io/landbridge/internal/testing/golden"
)

// of returns the snapshot of an object of the estate.
func of(kind, name string) *explain.Snapshot {
	s := *snapshot
	for _, u := range objects() {
		if k := explain.KeyOf(u); k.Name == name && k.Kind == kind {
			s.Subject = k
		}
		s.Objects = append(s.Objects, u)
	}
	return &s
}

// withTimeline returns the view of a resource with a change record.
func withTimeline(r ui.Resource) ui.Resource {
	raw := func(text string) json.RawMessage { return json.RawMessage(text) }
	r.Timeline = ui.TimelineOf(history.Log{Cut: 2, Entries: []history.Entry{
		{
			At: now.Add(-2 * time.Hour), Took: 40_000, Action: history.Create, Outcome: history.Succeeded, Because: "spec, generation 1",
			Author:  history.Author{ChangedBy: "<b>too bold", FieldManager: "kubectl-edit"},
			Changes: []history.Change{{Path: "name", After: raw(`"<script>alert(1)</script>"`)}, {Path: "password", AfterSensitive: true}},
		},
		{At: now.Add(-time.Hour), Action: history.Drift, Changes: []history.Change{{Path: "size", Before: raw("1"), After: raw("2")}}},
		{
			At: now.Add(-time.Minute), Took: 1_000, Action: history.Update, Outcome: history.Failed,
			Because: "the object was changed outside of the resource", Message: "no quota",
		},
		{At: now, Action: history.Update, Outcome: history.Running, Because: "the object was changed outside of the resource"},
	}})
	return r
}

func line(args ...string) string { return "landbridge " + strings.Join(args, " ") }

// TestViews compares the models and the pages of all views with golden files.
func TestViews(t *testing.T) {
	x := index(objects()...)
	c := x.Content()
	for name, tc := range map[string]struct {
		view  string
		model any
	}{
		"attention":       {"attention", ui.AttentionOf(c, now)},
		"attention-empty": {"attention", ui.AttentionOf(index(provider()).Content(), now)},
		"estate":          {"estate", ui.EstateOf(c, ui.Filter{Kind: "server.cloud.landbridge.io", Page: 1})},
		"resource":        {"resources", withTimeline(ui.ResourceOf(c, of("Network", "planned")))},
		"resource-cause":  {"resources", ui.ResourceOf(c, of("Server", "behind"))},
		"dependencies":    {"dependencies", ui.DependenciesOf(c, of("Network", "main"), 0)},
		"search":          {"search", ui.SearchIn(c, "ID-Web")},
		"search-nothing":  {"search", ui.SearchIn(c, " ")},
		"plans":           {"plans", ui.PlansOf(c)},
		"providers":       {"providers", ui.ProvidersOf(c)},
		"upgrades":        {"upgrades", ui.UpgradesOf(c, line)},
		"figures":         {"figures", ui.FiguresOf(c, records(), now)},
	} {
		t.Run(name, func(t *testing.T) {
			model, err := json.MarshalIndent(tc.model, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden.Check(t, name+".json", append(model, '\n'))
			w := httptest.NewRecorder()
			ui.NewOf(x, now).Write(w, httptest.NewRequest("GET", "/"+tc.view, nil), tc.view, "Title of "+name, tc.model)
			if w.Code != 200 {
				t.Fatalf("status %d: %s", w.Code, w.Body)
			}
			golden.Check(t, name+".html", w.Body.Bytes())
			for _, bad := range []string{"<script>alert", "<script>/cloud", "<b>too", "planted-argument"} {
				if strings.Contains(w.Body.String(), bad) ||
					bad == "planted-argument" && strings.Contains(string(model), bad) && tc.view != "resources" {
					t.Errorf("the view has %q in it", bad)
				}
			}
		})
	}
}

// TestYAML checks what is left out of the YAML of an object.
func TestYAML(t *testing.T) {
	config := object("cloud.landbridge.io/v1alpha1", "ClusterProviderConfig", "", "default",
		append(ready[:2:2], [4]string{"PlainTextCredentials", "True", "NotInSecrets", ""})...)
	set(config, map[string]any{"password": "planted-argument"}, "spec")
	config.SetAnnotations(map[string]string{
		"kubectl.kubernetes.io/last-applied-configuration": `{"spec":{"password":"planted-argument"}}`, "kept": "yes",
	})
	s := *snapshot
	s.Subject, s.Objects = explain.KeyOf(config), append(s.Objects, config)
	r := ui.ResourceOf(index(config).Content(), &s)
	if strings.Contains(r.YAML, "planted-argument") || !strings.Contains(r.YAML, "kept: ") || !strings.Contains(r.YAML, "spec is left out") {
		t.Errorf("got:\n%s", r.YAML)
	}
	if found := ui.SearchIn(index(config).Content(), "planted-argument"); found.Count != 0 {
		t.Error("an argument of a provider configuration is found")
	}
}

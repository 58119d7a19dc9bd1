package ui_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/internal/command/explain"
	"github.com/landbridge-io/landbridge/internal/command/ui"
	"github.com/landbridge-io/landbridge/internal/testing/golden"
)

// TestViews compares the models and the pages of all views with golden files.
func TestViews(t *testing.T) {
	x := index(objects()...)
	c := x.Content()
	of := func(kind, name string) *explain.Snapshot {
		s := *snapshot
		for _, u := range objects() {
			if k := explain.KeyOf(u); k.Name == name && k.Kind == kind {
				s.Subject = k
			}
			s.Objects = append(s.Objects, u)
		}
		return &s
	}
	for name, tc := range map[string]struct {
		view  string
		model any
	}{
		"attention":       {"attention", ui.AttentionOf(c, now)},
		"attention-empty": {"attention", ui.AttentionOf(index(provider()).Content(), now)},
		"estate":          {"estate", ui.EstateOf(c, ui.Filter{Kind: "server.cloud.landbridge.io", Page: 1})},
		"resource":        {"resources", ui.ResourceOf(c, of("Network", "planned"))},
		"resource-cause":  {"resources", ui.ResourceOf(c, of("Server", "behind"))},
		"dependencies":    {"dependencies", ui.DependenciesOf(c, of("Network", "main"), 0)},
		"search":          {"search", ui.SearchIn(c, "ID-Web")},
		"search-nothing":  {"search", ui.SearchIn(c, " ")},
		"plans":           {"plans", ui.PlansOf(c)},
		"providers":       {"providers", ui.ProvidersOf(c)},
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
				if strings.Contains(w.Body.String(), bad) || bad == "planted-argument" && strings.Contains(string(model), bad) && tc.view != "resources" {
					t.Errorf("the view has %q in it", bad)
				}
			}
		})
	}
}

package local_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/command/local"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/schema"
)

// A data source is read while the plan is made, unless what it refers to is going to change. Then
// what depends on it is known after that was applied.
func TestDataSources(t *testing.T) {
	t.Parallel()
	launcher := &plugin.Launcher{Path: providertest.Binary(t, "local")}
	p, err := model.NewProvider("local", schemaOf(t, launcher), config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	written := func(content string) string {
		return fmt.Sprintf(`
apiVersion: local.landbridge.io/v1alpha1
kind: File
metadata: {name: a}
spec: {forProvider: {filename: %q, content: %q}}
---
apiVersion: data.local.landbridge.io/v1alpha1
kind: File
metadata: {name: read}
spec:
  forProvider: {}
  references:
  - {to: forProvider.filename, from: {apiVersion: local.landbridge.io/v1alpha1, kind: File, name: a, fieldPath: spec.forProvider.filename}}
---
apiVersion: local.landbridge.io/v1alpha1
kind: File
metadata: {name: b}
spec:
  forProvider: {filename: %q}
  references:
  - {to: forProvider.content, from: {apiVersion: data.local.landbridge.io/v1alpha1, kind: File, name: read, fieldPath: status.atProvider.content}}
`, file("a"), content, file("b"))
	}
	plan := func(manifest string) (*local.Session, *local.Plan, local.Messages) {
		t.Helper()
		m, messages := local.ReadManifest(p, []local.Source{{Name: "m.yaml", Data: []byte(manifest)}})
		if messages.HasErrors() {
			t.Fatal(messages)
		}
		s := local.New(p, source, launcher, m, open(t, p, file("s.tfstate")))
		t.Cleanup(func() { _ = s.Close(context.Background()) })
		out, messages := s.Plan(t.Context(), local.Normal)
		return s, out, messages
	}
	// contents are those that files get, as they are planned.
	contents := func(plan *local.Plan) map[string]string {
		out := map[string]string{}
		for _, c := range plan.Changes {
			for _, x := range translate.Changes(c.Resource.Model, c.Plan.Prior.State, c.Plan.State) {
				if x.Path == "content" {
					out[c.Resource.Name] = x.AfterText(func(v any) string { return fmt.Sprint(v) })
				}
			}
		}
		return out
	}
	for i, content := range []string{"one", "two"} {
		s, made, messages := plan(written(content))
		if messages.HasErrors() {
			t.Fatal(messages)
		}
		if diff := cmp.Diff(map[string]string{"a": content, "b": translate.KnownAfterApply}, contents(made)); diff != "" {
			t.Errorf("plan %d (-want +got):\n%s", i, diff)
		}
		if _, messages := s.Apply(t.Context(), made, local.Hooks{}); messages.HasErrors() {
			t.Fatal(messages)
		}
		if got, err := os.ReadFile(file("b")); err != nil || string(got) != content {
			t.Errorf("b has %q, %v", got, err)
		}
	}
	if _, made, messages := plan(written("two")); messages.HasErrors() || made.HasChanges() {
		t.Errorf("unchanged: %s, %v", messages, contents(made))
	}
	// It is read while the plan is made.
	only := "apiVersion: data.local.landbridge.io/v1alpha1\nkind: File\nmetadata: {name: read}\nspec: {forProvider: " +
		"{filename: /nowhere/at/all}}\n"
	if _, _, messages := plan(only); !messages.HasErrors() || !strings.Contains(messages.String(), "data.local_file.read") {
		t.Errorf("a file that does not exist: %s", messages)
	}
}

func schemaOf(t *testing.T, launcher *plugin.Launcher) *schema.Provider {
	t.Helper()
	server, err := launcher.Launch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close(t.Context())
	s, diags := server.Schema(t.Context())
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return s
}

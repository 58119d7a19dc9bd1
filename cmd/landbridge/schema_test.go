package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/testing/providertest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// Schemas are written in kubeconform's layout, or printed.
func TestSchema(t *testing.T) {
	t.Parallel()
	binary := providertest.Binary(t, "time")
	dir := filepath.Join(t.TempDir(), "schemas")
	if out, _, err := run(t, "schema", "--provider", binary, "--output-dir", dir); err != nil || !strings.Contains(out, ": 6 schemas") {
		t.Fatalf("%s, %v", out, err)
	}
	read := func(name string) map[string]any {
		raw, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		var out map[string]any
		if err := json.Unmarshal(raw, &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	var refs []string
	for _, x := range read("all.json")["oneOf"].([]any) {
		refs = append(refs, x.(map[string]any)["$ref"].(string))
	}
	want := []string{"clusterproviderconfig", "offset", "providerconfig", "rotating", "sleep", "static"}
	for i, kind := range want {
		want[i] = "time.landbridge.io/" + kind + "_v1alpha1.json"
		if s := read(want[i]); s["additionalProperties"] != false {
			t.Errorf("%s permits unknown fields", kind)
		}
	}
	if diff := cmp.Diff(want, refs); diff != "" {
		t.Errorf("all.json (-want +got):\n%s", diff)
	}

	crds := filepath.Join(t.TempDir(), "crds.yaml")
	out, _, err := run(t, "crds", binary, "time_offset")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(crds, []byte(out), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _, err = run(t, "schema", "offset", "-f", crds)
	if err != nil {
		t.Fatal(err)
	}
	var printed map[string]any
	if err := json.Unmarshal([]byte(out), &printed); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(read("time.landbridge.io/offset_v1alpha1.json"), printed); diff != "" {
		t.Errorf("the schema by the CRD (-written +printed):\n%s", diff)
	}
}

func TestSchemaRefuses(t *testing.T) {
	t.Parallel()
	root, err := testbin.Root()
	if err != nil {
		t.Fatal(err)
	}
	crds := filepath.Join(root, "deploy", "chart", "crds")
	empty := t.TempDir()
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"another format":        {[]string{"-f", crds, "-o", "xml"}, "-o xml: the formats are json and yaml"},
		"a format for files":    {[]string{"-f", crds, "-o", "yaml", "--output-dir", empty}, "files are JSON"},
		"an unknown kind":       {[]string{"-f", crds, "password"}, "there is no kind password"},
		"no such file":          {[]string{"-f", filepath.Join(empty, "x.yaml")}, "no such file"},
		"nothing in it":         {[]string{"-f", empty}, "there is no CustomResourceDefinition in"},
		"a provider and a file": {[]string{"-f", crds, "--provider", "x"}, "cannot be given together"},
		"no cluster":            {[]string{"--kubeconfig", filepath.Join(empty, "kubeconfig")}, "give --provider or --filename"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := run(t, append([]string{"schema"}, test.args...)...); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
	if entries, err := os.ReadDir(empty); err != nil || len(entries) > 0 {
		t.Errorf("it has written %v, %v", entries, err)
	}
}

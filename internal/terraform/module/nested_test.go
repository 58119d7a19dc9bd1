package module_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	ociregistry "github.com/landbridge-io/landbridge/internal/provider/registry"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
	"github.com/landbridge-io/landbridge/internal/terraform/module"
	"github.com/landbridge-io/landbridge/internal/testing/registrytest"
)

func newRunner(t *testing.T) *commandline.Runner {
	t.Helper()
	runner, err := commandline.New(commandline.Options{Program: openTofu(t), Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := runner.Close(); err != nil {
			t.Error(err)
		}
	})
	return runner
}

const (
	labelled = "variable \"team\" { type = string }\n\nmodule \"label\" {\n  source = \"./modules/label\"\n  team   = var.team\n}\n"
	label    = "variable \"team\" { type = string }\noutput \"id\" { value = var.team }\n"
)

// Modules that call modules of their own package come from a ConfigMap and from an OCI repository,
// too.
func TestNestedModules(t *testing.T) {
	t.Parallel()
	runner := newRunner(t)
	files := map[string]string{"main.tf": labelled, "modules/label/main.tf": label}
	within := map[string]string{"README": "", "site/main.tf": labelled, "site/modules/label/main.tf": label}
	r := registrytest.New(t)
	r.AddArtifact("modules/web", "1.0.0", "archive/zip", zipped(t, files))
	r.AddArtifact("modules/all", "1.0.0", "archive/zip", zipped(t, within))
	artifacts := &ociregistry.Client{CA: r.CA(t)}
	oci := func(path string) module.Source {
		return module.Source{Address: "oci://" + r.Host() + "/" + path, Artifacts: artifacts}
	}
	of := func(keys map[string][]byte) module.Source {
		files, err := module.FilesOf(keys)
		if err != nil {
			t.Fatal(err)
		}
		return module.Source{Files: files}
	}
	for name, test := range map[string]struct {
		source  module.Source
		summary string
		says    string
	}{
		"keys of a ConfigMap": {source: of(map[string][]byte{"main.tf": []byte(labelled), "modules__label__main.tf": []byte(label)})},
		"an archive":          {source: of(map[string][]byte{"module.zip": zipped(t, files)})},
		"an artifact":         {source: oci("modules/web?tag=1.0.0")},
		"a folder of one":     {source: oci("modules/all//site?tag=1.0.0")},
		"no such folder": {
			source: of(map[string][]byte{"main.tf": []byte(labelled)}), summary: "main.tf:3: Module cannot be read",
			says: "the keys of its files begin with modules__label__,",
		},
		"nothing in the folder": {
			source:  of(map[string][]byte{"main.tf": []byte(labelled), "modules__label__README": nil}),
			summary: "module.label: Module cannot be read", says: "There are no files",
		},
		"no folder in a folder": {
			source: of(map[string][]byte{
				"main.tf":                 []byte(labelled),
				"modules__label__main.tf": []byte("module \"x\" {\n  source = \"../x\"\n}\n"),
			}), summary: "module.label: main.tf:1: Module cannot be read", says: "the folder modules/x does not exist",
		},
		"no such artifact":       {source: oci("modules/shop?tag=1.0.0"), summary: module.NotFetched, says: "modules/shop"},
		"no folder of that name": {source: oci("modules/all//shop?tag=1.0.0"), summary: module.NotFetched, says: "has no folder shop"},
		"an unknown argument":    {source: oci("modules/all?ref=1.0.0"), summary: module.NotFetched, says: "only tag and digest"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, diags := module.Fetch(t.Context(), runner, test.source, filepath.Join(t.TempDir(), "module"), "web")
			if test.summary != "" {
				if !has(diags, test.summary) || !strings.Contains(diags.String(), test.says) {
					t.Errorf("got %v, want %s: … %s", diags, test.summary, test.says)
				}
				return
			}
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			if diff := cmp.Diff([]string{"team"}, slices.Collect(maps.Keys(m.Variables))); diff != "" || m.Digest == "" {
				t.Errorf("the digest is %q, and variables (-want +got):\n%s", m.Digest, diff)
			}
		})
	}
}

func has(diags diagnostic.Diagnostics, summary string) bool { return diags.HasSummary(summary) }

// A module that may call modules outside its own folder is not current any more when one of them
// changes.
func TestCurrent(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"main.tf": label})
	web := write(t, map[string]string{"main.tf": strings.Replace(labelled, "./modules/label", dir, 1)})
	m, diags := module.Fetch(t.Context(), newRunner(t), module.Source{
		Directory: web, Allow: []module.Permission{module.Files},
	}, filepath.Join(t.TempDir(), "module"), "web")
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	if !m.Current() {
		t.Error("nothing has changed, and it is not current")
	}
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(label+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if m.Current() {
		t.Error("a module that it calls has changed, and it is current")
	}
}

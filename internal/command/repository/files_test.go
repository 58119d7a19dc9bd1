package repository_test

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/internal/command/repository"
)

func TestDefaultGroup(t *testing.T) {
	t.Parallel()
	for module, want := range map[string]string{
		"provider-random":                        "random.landbridge.io",
		"example.org/provider-random":            "random.example.org",
		"go.example.org/cloud/provider-random":   "random.go.example.org",
		"github.com/acme/provider-random":        "random.acme.github.io",
		"github.com/ACME/provider-random":        "random.acme.github.io",
		"gitlab.com/acme/clouds/provider-random": "random.acme.gitlab.io",
		"github.com/provider-random":             "random.landbridge.io",
		"internal/provider-random":               "random.landbridge.io",
	} {
		if got := repository.DefaultGroup("random", module); got != want {
			t.Errorf("%s: %s, want %s", module, got, want)
		}
	}
}

// A repository works on other machines: only go.mod files name directories of this one. Its YAML
// files are valid.
func TestFiles(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		inProcess, legacy bool
		generator         string
	}{
		"plugin":                        {generator: "cmd/generator/main.go"},
		"in process":                    {inProcess: true, generator: "cmd/generator/main.go"},
		"in process, on the legacy SDK": {inProcess: true, legacy: true, generator: "cmd/provider/generator/main.go"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files, err := repository.Files("github.com/acme/provider-cloud", "/home/me/landbridge",
				"/home/me/terraform-provider-cloud", test.inProcess, test.legacy)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{
				".github/dependabot.yml", ".github/workflows/ci.yaml", ".github/workflows/release.yaml",
				"docs/install.md", test.generator,
			} {
				if files[want] == nil {
					t.Errorf("there is no %s", want)
				}
			}
			for _, file := range slices.Sorted(maps.Keys(files)) {
				content := files[file]
				if file != "go.mod" && bytes.Contains(content, []byte("/home/me")) {
					t.Errorf("%s names a directory of this machine", file)
				}
				if bytes.Contains(content, []byte("[[")) && file != "Makefile" {
					t.Errorf("%s has an action of a template", file)
				}
				if ext := path.Ext(file); ext == ".yaml" || ext == ".yml" {
					var document map[string]any
					if err := yaml.UnmarshalStrict(content, &document); err != nil {
						t.Errorf("%s: %v", file, err)
					}
				}
			}
			if dir := path.Dir(test.generator); !bytes.Contains(files["README.md"], []byte("`"+dir+"`")) {
				t.Errorf("README.md does not name %s:\n%s", dir, files["README.md"])
			}
			if !bytes.Contains(files["docs/install.md"], []byte("package: ghcr.io/acme/provider-cloud:VERSION")) {
				t.Errorf("docs/install.md:\n%s", files["docs/install.md"])
			}
		})
	}
}

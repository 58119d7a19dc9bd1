package repository

import (
	"bytes"
	"embed"
	"fmt"
	"go/format"
	"maps"
	"path"
	"text/template"

	"github.com/landbridge-io/landbridge/internal/generator"
)

//go:embed templates
var templates embed.FS

// authors are the templates of the files that belong to the author, by their paths in the
// repository.
var authors = map[string]string{
	".dockerignore":                  "dockerignore",
	".github/dependabot.yml":         "dependabot.yml",
	".github/workflows/ci.yaml":      "ci.yaml",
	".github/workflows/release.yaml": "release.yaml",
	".gitignore":                     "gitignore",
	"Dockerfile":                     "Dockerfile",
	"Makefile":                       "Makefile",
	"README.md":                      "README.md",
	"apis/apis_test.go":              "apis_test.go.tmpl",
	"cmd/generator/main.go":          "generator.go.tmpl",
	"cmd/provider/main.go":           "provider.go.tmpl",
	"config/provider.go":             "config.go.tmpl",
	"docs/install.md":                "install.md",
	"go.mod":                         "go.mod.tmpl",
	"package/crossplane.yaml":        "crossplane.yaml",
	"test/e2e/e2e_test.go":           "e2e_test.go.tmpl",
}

// facts are the input of the templates.
type facts struct {
	// Name of the repository, and of its program and package; Module is its import path.
	Name, Module string
	// Provider is the provider's name, Group the API group of its kinds.
	Provider, Group string
	// Version of the provider.
	Version string
	// Package is the provider's main package. Empty if it is not built from source. Checkout is the
	// directory of its module, if it is not downloaded.
	Package, Checkout string
	// Source is the address or path of a provider that is not built from source. Mirror is the
	// mirror for addresses.
	Source, Mirror string
	// SHA256 is the checksum of the provider's binary for Platform, such as linux_amd64.
	Platform, SHA256 string
	// Landbridge is the required version, Replace the directory that replaces it, if any.
	Landbridge, Replace string
	// Resources is the number of kinds.
	Resources int
	// Configured is set if the provider has a configuration. Registry is where the release workflow
	// pushes packages.
	Configured bool
	Registry   string
	// References is set if there is a config/references.yaml.
	References bool
	// InProcess is set if the program links the provider. Protocol is the version of the plugin
	// protocol that the provider speaks, Server the import path of the package that makes its
	// servers.
	InProcess bool
	Protocol  int
	Server    string
	// Legacy is set if the program links a provider of which a part is on the legacy SDK. Then the
	// generator links it, too.
	Legacy bool
	// Internal is set if the package is in a module of its own, since it imports internal packages
	// of the provider's module, ProviderModule.
	Internal       bool
	ProviderModule string
}

// linked are the templates that are only in repositories whose program links the provider, or
// differ there.
var linked = map[string]string{
	"cmd/provider/main.go":         "linked.go.tmpl",
	"cmd/provider/main_test.go":    "linked_test.go.tmpl",
	"docs/in-process.md":           "in-process.md",
	"test/figures/figures_test.go": "figures_test.go.tmpl",
}

// render returns the author's files.
func (f facts) render() (generator.Files, error) {
	out := generator.Files{}
	all := maps.Clone(authors)
	if f.InProcess {
		maps.Copy(all, linked)
	}
	if f.Legacy {
		delete(all, "cmd/generator/main.go")
		all["cmd/provider/generator/main.go"] = "linked_generator.go.tmpl"
	}
	for name, from := range all {
		raw, err := templates.ReadFile("templates/" + from)
		if err != nil {
			return nil, err
		}
		// Make, GitHub and Go use braces.
		t, err := template.New(from).Delims("[[", "]]").Parse(string(raw))
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		if err := t.Execute(&b, f); err != nil {
			return nil, err
		}
		out[name] = b.Bytes()
		if path.Ext(name) == ".go" {
			if out[name], err = format.Source(b.Bytes()); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return out, nil
}

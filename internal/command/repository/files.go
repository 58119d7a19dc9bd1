package repository

import (
	"bytes"
	"embed"
	"fmt"
	"go/format"
	"path"
	"text/template"

	"github.com/landbridge-io/landbridge/internal/generator"
)

//go:embed templates
var templates embed.FS

// authors are the templates of the files that belong to the author, by their paths in the repository.
var authors = map[string]string{
	".dockerignore":             "dockerignore",
	".github/workflows/ci.yaml": "ci.yaml",
	".gitignore":                "gitignore",
	"Dockerfile":                "Dockerfile",
	"Makefile":                  "Makefile",
	"README.md":                 "README.md",
	"apis/apis_test.go":         "apis_test.go.tmpl",
	"cmd/generator/main.go":     "generator.go.tmpl",
	"cmd/provider/main.go":      "provider.go.tmpl",
	"config/provider.go":        "config.go.tmpl",
	"go.mod":                    "go.mod.tmpl",
	"package/crossplane.yaml":   "crossplane.yaml",
	"test/e2e/e2e_test.go":      "e2e_test.go.tmpl",
}

// facts are the input of the templates.
type facts struct {
	// Name of the repository, and of its program and package; Module is its import path.
	Name, Module string
	// Provider is the provider's name, Group the API group of its kinds.
	Provider, Group string
	// Version of the provider.
	Version string
	// Package is the provider's main package. Empty if it is not built from source.
	Package string
	// Source is the address or path of a provider that is not built from source. Mirror is the mirror for
	// addresses.
	Source, Mirror string
	// SHA256 is the checksum of the provider's binary for Platform, such as linux_amd64.
	Platform, SHA256 string
	// Landbridge is the required version, Replace the directory that replaces it, if any.
	Landbridge, Replace string
	// Resources is the number of kinds.
	Resources int
	// References is set if there is a config/references.yaml.
	References bool
}

// render returns the author's files.
func (f facts) render() (generator.Files, error) {
	out := generator.Files{}
	for name, from := range authors {
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

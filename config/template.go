package config

import (
	"fmt"
	"regexp"
	"strings"
)

// Template is text in which {{ .some.path }} is replaced with a value. A path begins with
// parameters, attributes, metadata or externalName. parameters has the fields of spec.forProvider,
// and attributes those of the object, by Terraform's names.
type Template string

// Part is a part of a template: a path, or text.
//
// +kubebuilder:object:generate=false
type Part struct {
	Text string
	Path []string
}

var placeholder = regexp.MustCompile(`^\s*((?:\.[A-Za-z_][A-Za-z0-9_-]*)+)\s*$`)

// Parse returns the parts of a template. Paths must begin with one of roots.
func (t Template) Parse(roots ...string) ([]Part, error) {
	var out []Part
	for rest := string(t); rest != ""; {
		text, after, found := strings.Cut(rest, "{{")
		if text != "" {
			out = append(out, Part{Text: text})
		}
		if !found {
			break
		}
		inner, after, found := strings.Cut(after, "}}")
		m := placeholder.FindStringSubmatch(inner)
		if !found || m == nil {
			return nil, fmt.Errorf("%q: a path such as .%s must be between {{ and }}", t, example(roots))
		}
		path := strings.Split(m[1], ".")[1:]
		if !valid(path, roots) {
			return nil, fmt.Errorf("%q: there is no .%s here; available: %s", t, strings.Join(path, "."), "."+strings.Join(roots, ", ."))
		}
		out, rest = append(out, Part{Path: path}), after
	}
	return out, nil
}

// The first names of paths in templates.
const (
	Parameters   = "parameters"
	Attributes   = "attributes"
	Metadata     = "metadata"
	ExternalKey  = "externalName"
	metadataName = "name"
)

func example(roots []string) string {
	for _, r := range roots {
		if r == Metadata {
			return Metadata + "." + metadataName
		}
	}
	return strings.Join(roots, " or .")
}

func valid(path, roots []string) bool {
	for _, r := range roots {
		if path[0] != r {
			continue
		}
		switch r {
		case Metadata:
			return len(path) == 2 && (path[1] == metadataName || path[1] == "namespace")
		case ExternalKey:
			return len(path) == 1
		default:
			return len(path) > 1
		}
	}
	return false
}

package translate

import (
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/model"
)

// UserPath formats a path as in the custom resource: spec.forProvider.rule[0].maxAgeDays.
func UserPath(r *model.Resource, p cty.Path) string { return r.UserPath(p) }

// FieldPath formats a path as in status.plan and spec.lifecycle.ignoreChanges: rule[0].maxAgeDays.
func FieldPath(r *model.Resource, p cty.Path) string { return r.FieldPath(p) }

// FieldPaths formats several paths with FieldPath.
func FieldPaths(r *model.Resource, paths []cty.Path) []string {
	out := make([]string, 0, len(paths))
	for _, p := range paths {
		out = append(out, r.FieldPath(p))
	}
	return out
}

// Message returns the diagnostics as text for a condition or an event, one per line, with paths as
// in UserPath, and those of an identity as in spec.import.identity.
func Message(r *model.Resource, d diagnostic.Diagnostics) string {
	lines := make([]string, 0, len(d))
	for _, x := range d {
		path := r.UserPath
		if x.OfIdentity {
			path = r.ImportPath
		}
		lines = append(lines, x.Format(path))
	}
	return strings.Join(lines, "\n")
}

// IgnoreChanges parses spec.lifecycle.ignoreChanges: paths as in FieldPath, or "*" for everything.
func IgnoreChanges(r *model.Resource, in []string) (all bool, paths []cty.Path, diags diagnostic.Diagnostics) {
	for _, s := range in {
		if s == "*" || s == "all" {
			all = true
			continue
		}
		p, err := r.ParseFieldPath(s)
		if err != nil {
			diags = append(diags, diagnostic.Errorf("Invalid ignoreChanges", "spec.lifecycle.ignoreChanges: %s.", err)...)
			continue
		}
		paths = append(paths, p)
	}
	return all, paths, diags
}

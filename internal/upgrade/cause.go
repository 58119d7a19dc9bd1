package upgrade

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// changes returns what a plan changes, without sensitive values.
func changes(m *model.Resource, plan terraform.Plan) []Change {
	var replaces []string
	if plan.Action.IsReplace() {
		replaces = translate.FieldPaths(m, plan.RequiresReplace)
	}
	var out []Change
	concealed := translate.Concealed(m, slices.Concat(plan.Prior.SensitivePaths, plan.SensitivePaths))
	for _, c := range translate.Changes(m, plan.Prior.State, plan.State, concealed...) {
		if c.AfterUnknown && c.After == nil {
			c.Before, c.BeforeSensitive = nil, false // resources with other values are alike
		}
		out = append(out, Change{
			Change: c,
			Replaces: slices.ContainsFunc(replaces, func(path string) bool {
				return within(c.Path, path) || within(path, c.Path)
			}),
		})
	}
	return out
}

// within reports whether a path is another one, or leads into it.
func within(path, of string) bool {
	rest, ok := strings.CutPrefix(path, of)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// key identifies a cause.
func (c Cause) key() string { return encoded(c) }

// shape identifies a cause without its values: the fields that it is about.
func (c Cause) shape() string { return encoded(c.withoutValues()) }

// withoutValues returns the cause without values and details, which differ between resources.
func (c Cause) withoutValues() Cause {
	out := Cause{Path: c.Path, Summary: c.Summary, Held: c.Held}
	for _, x := range c.Changes {
		x.Before, x.After = nil, nil
		out.Changes = append(out.Changes, x)
	}
	return out
}

func encoded(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // values are of JSON
	}
	return string(b)
}

// conceal returns the cause without secrets.
func (c Cause) conceal(secrets *redact.Redactor) Cause {
	c.Path, c.Summary, c.Detail = secrets.Replace(c.Path), secrets.Replace(c.Summary), secrets.Replace(c.Detail)
	c.Changes = slices.Clone(c.Changes)
	for i := range c.Changes {
		x := &c.Changes[i]
		x.Path, x.Before, x.After = secrets.Replace(x.Path), secrets.JSON(x.Before), secrets.JSON(x.After)
	}
	return c
}

// without returns what a new version does, apart from what the installed version does, too. again
// has the installed version do it once more: values that differ then are those of an unstable plan.
func (a attempt) without(installed attempt, again func() attempt) attempt {
	if a.outcome != installed.outcome {
		return a
	}
	if a.outcome.Failed() {
		a.causes = slices.DeleteFunc(slices.Clone(a.causes), installed.has)
		return a.orAsInstalled(installed)
	}
	was := installed.causes[0]
	left := a.causes[0].less(was, nil)
	if len(left.Changes) > 0 {
		if second := again(); second.outcome == installed.outcome {
			left = a.causes[0].less(was, unstable(was, second.causes[0]))
		}
	}
	a.causes = []Cause{left}
	if len(left.Changes) == 0 {
		a.causes = nil
	}
	return a.orAsInstalled(installed)
}

// orAsInstalled returns the attempt, or that of the installed version if nothing is left of it.
func (a attempt) orAsInstalled(installed attempt) attempt {
	if len(a.causes) > 0 {
		return a
	}
	out := attempt{outcome: AsInstalled, causes: slices.Clone(installed.causes)}
	for i, c := range out.causes {
		if len(c.Changes) > 0 { // its values may be others each time
			out.causes[i] = c.withoutValues()
		}
	}
	return out
}

func (a attempt) has(c Cause) bool {
	return slices.ContainsFunc(a.causes, func(x Cause) bool { return x.key() == c.key() })
}

// less returns the cause without the changes that another one has, too. Of unstable paths, the
// values may differ.
func (c Cause) less(of Cause, unstable map[string]bool) Cause {
	c.Changes = slices.DeleteFunc(slices.Clone(c.Changes), func(x Change) bool {
		return slices.ContainsFunc(of.Changes, func(y Change) bool {
			return x.Path == y.Path && (unstable[x.Path] || encoded(x) == encoded(y))
		})
	})
	return c
}

// unstable returns the paths whose planned values differ between two plans of one version.
func unstable(first, second Cause) map[string]bool {
	out := map[string]bool{}
	for _, x := range slices.Concat(first.less(second, nil).Changes, second.less(first, nil).Changes) {
		out[x.Path] = true
	}
	return out
}

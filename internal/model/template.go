package model

import (
	"fmt"
	"strings"

	"github.com/landbridge-io/landbridge/config"
)

// Template is a template of the configuration whose paths are valid.
type Template []config.Part

// Empty reports whether there is no template.
func (t Template) Empty() bool { return len(t) == 0 }

// Render replaces paths with values. ok is false if a path has no value.
func (t Template) Render(value func(path []string) (string, bool)) (text string, ok bool) {
	var b strings.Builder
	for _, p := range t {
		if p.Path == nil {
			b.WriteString(p.Text)
			continue
		}
		v, ok := value(p.Path)
		if !ok {
			return "", false
		}
		b.WriteString(v)
	}
	return b.String(), true
}

// Match is the inverse of Render for a template that has a path once: it returns the text in place
// of the path. ok is false if the text does not match the template, or the value is empty.
func (t Template) Match(text, path string, value func(path []string) (string, bool)) (found string, ok bool) {
	i := 0
	for i < len(t) && strings.Join(t[i].Path, ".") != path {
		i++
	}
	if i == len(t) {
		return "", false
	}
	before, ok := t[:i].Render(value)
	if !ok {
		return "", false
	}
	after, ok := t[i+1:].Render(value)
	if !ok || len(text) <= len(before)+len(after) || !strings.HasPrefix(text, before) || !strings.HasSuffix(text, after) {
		return "", false
	}
	return text[len(before) : len(text)-len(after)], true
}

// template checks a template of the configuration. secrets allows sensitive values.
func (r *Resource) template(t config.Template, secrets bool, roots ...string) (Template, error) {
	parts, err := t.Parse(roots...)
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		if len(p.Path) < 2 || p.Path[0] == config.Metadata {
			continue
		}
		path := strings.Join(p.Path[1:], ".")
		if p.Path[0] == config.Parameters && len(p.Path) == 2 && r.Root().Object.IsAdded(p.Path[1]) {
			continue
		}
		f, in := r.Root().at(p.Path[1:])
		switch {
		case f == nil:
			return nil, fmt.Errorf("%q: there is no %s", t, path)
		case p.Path[0] == config.Parameters && !f.Input:
			return nil, fmt.Errorf("%q: %s is not in spec.forProvider", t, path)
		case f.WriteOnly, !secrets && (f.Secret() || in.HasSecrets()):
			return nil, fmt.Errorf("%q: %s is sensitive", t, path)
		case !secrets && !in.IsPrimitive():
			return nil, fmt.Errorf("%q: %s is neither a string, nor a number, nor a boolean", t, path)
		}
	}
	return parts, nil
}

// at returns the field at a path of Terraform names through objects, its type, and whether it is
// sensitive, which includes everything in a sensitive field. Elements of lists, sets and maps have
// no path, except for the one of a singleton.
func (t *Type) at(path []string) (*Field, *Type) {
	for i, name := range path {
		if t.Singleton {
			t = t.Element
		}
		if t.Kind != Object {
			return nil, nil
		}
		f := t.Object.ByTerraform(name)
		if f == nil {
			return nil, nil
		}
		if t = f.Type; i == len(path)-1 || f.Secret() {
			return f, t
		}
	}
	return nil, nil
}

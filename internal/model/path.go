package model

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
)

// UserPath formats a path as in the custom resource: spec.forProvider.rule[0].maxAgeDays. Steps
// into singleton blocks are left out, secrets have the name of their reference, and fields that
// cannot be set are below status.atProvider. Unknown steps are formatted as in Terraform.
func (r *Resource) UserPath(p cty.Path) string {
	prefix := "spec.forProvider"
	if len(p) > 0 {
		if s, ok := p[0].(cty.GetAttrStep); ok {
			if f := r.Root().Object.ByTerraform(s.Name); f != nil && !f.Input {
				prefix = "status.atProvider"
			}
		}
	}
	return r.Root().spell(prefix, p, true)
}

// ImportPath formats a path of the identity that is given for an import:
// spec.import.identity.accountId.
func (r *Resource) ImportPath(p cty.Path) string {
	const prefix = "spec.import.identity"
	if r.Identity() == nil {
		return prefix
	}
	return r.Identity().spell(prefix, p, false)
}

// FieldPath formats a path as below status.atProvider: rule[0].maxAgeDays. ParseFieldPath parses
// it.
func (r *Resource) FieldPath(p cty.Path) string { return r.Root().spell("", p, false) }

// UserPath formats a path of the provider's configuration as in a ProviderConfig.
func (p *Provider) UserPath(path cty.Path) string { return p.Config.spell("spec", path, true) }

func (t *Type) spell(prefix string, p cty.Path, refs bool) string {
	var b strings.Builder
	b.WriteString(prefix)
	name := func(n string) {
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(n)
	}
	secret := false // then the keys below are, too
	for _, step := range p {
		switch s := step.(type) {
		case cty.GetAttrStep:
			var f *Field
			if t != nil && t.Object != nil {
				f = t.Object.ByTerraform(s.Name)
			}
			secret = secret || f != nil && f.Secret()
			switch {
			case f == nil && secret:
				b.WriteString("[*]")
				t = t.element()
				continue
			case f == nil && (s.Name == "" || strings.ContainsAny(s.Name, `.[]"`)):
				// A key of a dynamically typed value may be anything.
				b.WriteString(diagnostic.FormatIndex(cty.StringVal(s.Name)))
				t = t.element()
				continue
			case f == nil:
				name(s.Name)
				// A dynamic value made of blocks: an object that stands for a map.
				t = t.element()
				continue
			case refs:
				name(f.preferredName())
			default:
				name(f.JSONName)
			}
			t = f.Type
		case cty.IndexStep:
			switch {
			case t != nil && t.Singleton:
				// the one element is presented as the object itself
			case t != nil && t.Kind == Set, secret && (t == nil || t.Kind != List && t.Kind != Tuple):
				b.WriteString("[*]")
			default:
				b.WriteString(diagnostic.FormatIndex(s.Key))
			}
			if t != nil && t.Kind == Tuple {
				t = t.elementAt(s.Key)
			} else {
				t = t.element()
			}
		}
	}
	return b.String()
}

func (f *Field) preferredName() string {
	if f.Input {
		return f.InputName()
	}
	return f.JSONName
}

func (t *Type) element() *Type {
	if t == nil {
		return nil
	}
	return t.Element
}

func (t *Type) elementAt(key cty.Value) *Type {
	if key.Type() != cty.Number || key.IsNull() || !key.IsKnown() {
		return nil
	}
	if i, _ := key.AsBigFloat().Int64(); i >= 0 && i < int64(len(t.Tuple)) {
		return t.Tuple[i]
	}
	return nil
}

// ParseFieldPath parses the paths that FieldPath formats, and those of
// spec.lifecycle.ignoreChanges: rule[0].maxAgeDays, tags["team"], tags.team. Elements of sets have
// no path.
func (r *Resource) ParseFieldPath(s string) (cty.Path, error) {
	steps, err := splitPath(s)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", s, err)
	}
	var out cty.Path
	t := r.Root()
	for _, step := range steps {
		if t.Singleton {
			if t.Kind == Set {
				return nil, fmt.Errorf("%q: the fields of %s cannot be selected; name %s itself", s, r.FieldPath(out), r.FieldPath(out))
			}
			out, t = out.IndexInt(0), t.Element
		}
		switch t.Kind {
		case Object:
			f := t.Object.lookup(step.text)
			if f == nil || step.index {
				return nil, fmt.Errorf("%q: there is no field %s", s, step.text)
			}
			out, t = out.GetAttr(f.Name), f.Type
		case List, Tuple:
			i, err := strconv.Atoi(step.text)
			if err != nil || i < 0 || step.quoted {
				return nil, fmt.Errorf("%q: %s is not a list index", s, step.text)
			}
			out = out.IndexInt(i)
			if t.Kind == List {
				t = t.Element
			} else if t = t.elementAt(cty.NumberIntVal(int64(i))); t == nil {
				return nil, fmt.Errorf("%q: there is no element %d", s, i)
			}
		case Map:
			if t.Cty == cty.DynamicPseudoType {
				out = out.GetAttr(step.text)
			} else {
				out = out.IndexString(step.text)
			}
			t = t.Element
		case Dynamic:
			switch _, err := strconv.Atoi(step.text); {
			case step.index && !step.quoted && err == nil:
				i, _ := strconv.Atoi(step.text)
				out = out.IndexInt(i)
			default:
				out = out.GetAttr(step.text)
			}
		case Set:
			return nil, fmt.Errorf("%q: the elements of a set cannot be named; name %s itself", s, r.FieldPath(out))
		default:
			return nil, fmt.Errorf("%q: %s has no fields", s, r.FieldPath(out))
		}
	}
	return out, nil
}

// CheckInputPath returns an error unless a custom resource can have a field at a path below
// spec.forProvider: rule[0].maxAgeDays. Elements of sets are those of the list that the custom
// resource has for the set.
func (r *Resource) CheckInputPath(path string) error { return r.Root().checkInputPath(path) }

// CheckIdentityPath does so for spec.import.identity.
func (r *Resource) CheckIdentityPath(path string) error {
	if r.Identity() == nil {
		return errors.New("the resource type has no identity")
	}
	return r.Identity().checkInputPath(path)
}

func (t *Type) checkInputPath(path string) error {
	steps, err := splitPath(path)
	if err != nil {
		return err
	}
	for _, step := range steps {
		if t.Singleton {
			t = t.Element
		}
		i, err := strconv.Atoi(strings.Trim(step.text, `'"`))
		isIndex := step.index && err == nil && i >= 0
		switch presented := t.Presented(); {
		case presented == Object:
			if t.Object.ByReference(step.text) != nil {
				return nil
			}
			f := t.Object.ByInput(step.text)
			if f == nil || !f.Input {
				return fmt.Errorf("there is no field %s", step.text)
			}
			if f.SecretRef != "" {
				return nil
			}
			t = f.Type
		case (presented == List || presented == Set) && isIndex, presented == Map:
			t = t.Element
		case presented == Tuple && isIndex:
			if t = t.elementAt(cty.NumberIntVal(int64(i))); t == nil {
				return fmt.Errorf("there is no element %d", i)
			}
		case presented == Dynamic || presented == JSON:
			return nil // its fields are not known
		default:
			return fmt.Errorf("there is no field %s: what is before it is a %s", step.text, presented)
		}
	}
	return nil
}

// lookup finds a field by any of its names, first by the names in custom resources.
func (f *Fields) lookup(name string) *Field {
	for _, m := range []map[string]*Field{f.json, f.input, f.terraform} {
		if x := m[name]; x != nil {
			return x
		}
	}
	return nil
}

type pathStep struct {
	text          string
	index, quoted bool
}

func splitPath(s string) ([]pathStep, error) {
	var out []pathStep
	rest := s
	for first := true; rest != "" || first; first = false {
		if rest != "" && rest[0] == '[' {
			inner := rest[1:]
			if strings.HasPrefix(inner, `"`) {
				quoted, err := strconv.QuotedPrefix(inner)
				if err != nil || !strings.HasPrefix(inner[len(quoted):], "]") {
					return nil, fmt.Errorf("a quoted key has no closing quote")
				}
				key, err := strconv.Unquote(quoted)
				if err != nil {
					return nil, err
				}
				out, rest = append(out, pathStep{text: key, index: true, quoted: true}), inner[len(quoted)+1:]
				continue
			}
			key, after, ok := strings.Cut(inner, "]")
			if !ok || key == "" {
				return nil, fmt.Errorf("an index has no closing bracket")
			}
			out, rest = append(out, pathStep{text: key, index: true}), after
			continue
		}
		if !first {
			if rest[0] != '.' {
				return nil, fmt.Errorf("a dot or a bracket is expected before %q", rest)
			}
			rest = rest[1:]
		}
		end := strings.IndexAny(rest, ".[")
		if end < 0 {
			end = len(rest)
		}
		if end == 0 {
			return nil, fmt.Errorf("a name is missing")
		}
		out, rest = append(out, pathStep{text: rest[:end]}), rest[end:]
	}
	return out, nil
}

// IdentityFieldPath formats a path of the identity as below status.identity.
func (r *Resource) IdentityFieldPath(p cty.Path) string {
	if r.Identity() == nil {
		return diagnostic.FormatPath(p)
	}
	return r.Identity().spell("", p, false)
}

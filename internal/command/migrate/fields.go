package migrate

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// fields translates the fields of an Upjet kind to those of Landbridge, which are made from the
// same schema.
type fields struct {
	// what is the resource type or the provider, for people.
	what string
	// values is set to translate to values: every field is under its JSON name, also sensitive
	// ones, references to Secrets are followed, and lists of one element stay lists. Otherwise the
	// output is in the form of spec.
	values bool
	// secret returns the value that a reference to a Secret is to. Used with values.
	secret translate.Secrets

	// copies are the Secrets of other namespaces that references are to, which have no namespace
	// here. namespace is that of the resource.
	namespace string
	copies    map[secretName]string

	// notes are what is presented in another way. problems are fields that cannot be translated:
	// none with values, where they are left out.
	notes    []string
	problems []problem
}

// secretName is a key of a Secret.
type secretName struct{ name, key string }

func (m *fields) note(format string, args ...any) {
	if !m.values {
		m.notes = append(m.notes, fmt.Sprintf(format, args...))
	}
}

// problem is a field that cannot be translated, and what to do.
type problem struct{ path, text string }

func (m *fields) problem(path, format string, args ...any) {
	if !m.values {
		m.problems = append(m.problems, problem{path, fmt.Sprintf(format, args...)})
	}
}

// problemsOf returns problems as one error; nil without any. line returns where a field is; empty
// if that is not known.
func problemsOf(all []problem, line func(path string) string) error {
	if len(all) == 0 {
		return nil
	}
	texts := make([]string, len(all))
	for i, p := range all {
		texts[i] = p.path + ": " + p.text
		if at := line(p.path); at != "" {
			texts[i] = fmt.Sprintf("%s (%s): %s", p.path, at, p.text)
		}
	}
	return errors.New(strings.Join(texts, "; "))
}

// folded returns a name without what differs between the ways of writing it: ip_range and ipRange.
func folded(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// find returns the field with a name of Upjet. secret is set if the name is that of a reference to
// a Secret.
func find(o *model.Fields, name string) (f *model.Field, secret bool) {
	base, secret := strings.CutSuffix(name, "SecretRef")
	for _, f := range o.All {
		if folded(f.Name) == folded(name) {
			return f, false
		}
	}
	if secret {
		for _, f := range o.All {
			if folded(f.Name) == folded(base) {
				return f, true
			}
		}
	}
	return nil, false
}

// object translates an object.
func (m *fields) object(t *model.Type, in map[string]any, path string) map[string]any {
	out := map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(in)) {
		x, at := in[key], path+"."+key
		if x == nil {
			continue
		}
		f, secret := find(t.Object, key)
		switch {
		case f == nil && isReference(key, x):
		case f == nil && key == "index" && strings.HasSuffix(path, "]"):
			m.note("%s is left out: Upjet has added it to tell elements apart.", at)
		case f == nil:
			m.problem(at, "%s has no such argument in this version of the provider. Remove the line, or use the "+
				"provider's version that the old one has", m.what)
		case !m.values && !f.Input:
			m.note("%s is left out: the provider sets it.", at)
		case secret:
			m.reference(f, x, at, out)
		case !m.values && f.SecretRef != "":
			m.problem(at, "the provider marks it as sensitive. Put the value into a Secret, and refer to it by %s", f.SecretRef)
		default:
			if v := m.value(f.Type, x, at); v != nil {
				name := f.JSONName
				if !m.values && folded(name) != folded(key) {
					m.note("%s is %s here.", at, name)
				}
				out[name] = v
			}
		}
	}
	return out
}

// reference translates a reference to a Secret.
func (m *fields) reference(f *model.Field, in any, at string, out map[string]any) {
	ref, _ := in.(map[string]any)
	selector := translate.SecretKeySelector{}
	selector.Namespace, _ = ref["namespace"].(string)
	selector.Name, _ = ref["name"].(string)
	selector.Key, _ = ref["key"].(string)
	switch {
	case selector.Name == "" || selector.Key == "":
		m.problem(at, "it names a whole Secret or several ones, and here a sensitive value is one key of a Secret. "+
			"Put the value as JSON into a key, and refer to it by %s: {name: …, key: …}", f.SecretRef)
	case m.values:
		if m.secret == nil {
			return
		}
		raw, err := m.secret(selector)
		if err != nil {
			return
		}
		var v any = string(raw)
		if !f.Type.IsPrimitive() {
			if json.Unmarshal(raw, &v) != nil {
				return
			}
		}
		if v = m.value(f.Type, v, at); v != nil {
			out[f.JSONName] = v
		}
	case f.SecretRef == "":
		m.problem(at, "the provider does not mark %s as sensitive. Set resources.%s.fields.%s.sensitive: true in "+
			"spec of the TerraformProvider", f.JSONName, m.what, f.Name)
	default:
		out[f.SecretRef] = map[string]any{"name": selector.Name, "key": selector.Key}
		if selector.Namespace == "" || selector.Namespace == m.namespace {
			return
		}
		key := secretName{selector.Name, selector.Key}
		if other, ok := m.copies[key]; ok && other != selector.Namespace {
			m.problem(at, "the Secret %s of namespace %s and that of namespace %s cannot both be in namespace %s. "+
				"Give one of them another name", selector.Name, selector.Namespace, other, m.namespace)
			return
		}
		m.copies[key] = selector.Namespace
	}
}

// value translates a value; nil if it is left out.
func (m *fields) value(t *model.Type, in any, at string) any {
	list, isList := in.([]any)
	object, isObject := in.(map[string]any)
	switch {
	case t.Singleton && !m.values:
		if isList && len(list) == 0 {
			return nil
		}
		if isList && len(list) > 1 {
			m.problem(at, "it has %d elements, and at most one is possible. Remove the others", len(list))
			return nil
		}
		if isList {
			m.note("%s is an object here, and not a list of one.", at)
			return m.value(t.Element, list[0], at+"[0]")
		}
		return m.value(t.Element, in, at)
	case t.Kind == model.List || t.Kind == model.Set:
		if isObject {
			if !t.Singleton {
				m.note("%s is a list here, and not an object.", at)
			}
			list, isList = []any{object}, true
		}
		if !isList {
			return in // the type is checked with the configuration
		}
		out := make([]any, 0, len(list))
		for i, x := range list {
			if v := m.value(t.Element, x, fmt.Sprintf("%s[%d]", at, i)); v != nil {
				out = append(out, v)
			}
		}
		return out
	case t.Kind == model.Map && isObject:
		out := make(map[string]any, len(object))
		for k, x := range object {
			out[k] = m.value(t.Element, x, at+"."+k)
		}
		return out
	case t.Kind == model.Object:
		if isList && len(list) == 1 {
			m.note("%s is an object here, and not a list of one.", at)
			object, isObject = list[0].(map[string]any)
		}
		if isList && len(list) == 0 {
			return nil
		}
		if isObject {
			return m.object(t, object, at)
		}
		return in
	case t.IsPrimitive():
		return m.primitive(t, in, at)
	}
	return in
}

// primitive translates a value whose type differs between versions of a provider, such as an id
// that was a number.
func (m *fields) primitive(t *model.Type, in any, at string) any {
	kind := t.Presented()
	if m.values {
		kind = t.Kind
	}
	switch x := in.(type) {
	case string:
		switch kind {
		case model.Number, model.Integer:
			if n, err := strconv.ParseInt(x, 10, 64); err == nil {
				m.note("%s is a number here, and not a string.", at)
				return n
			}
			if n, err := strconv.ParseFloat(x, 64); err == nil {
				m.note("%s is a number here, and not a string.", at)
				return n
			}
		case model.Bool:
			if b, err := strconv.ParseBool(x); err == nil {
				m.note("%s is a boolean here, and not a string.", at)
				return b
			}
		}
	case int64, float64, bool:
		if kind == model.String {
			m.note("%s is a string here.", at)
			raw, _ := json.Marshal(x) // numbers and booleans can always be encoded
			return string(raw)
		}
	}
	return in
}

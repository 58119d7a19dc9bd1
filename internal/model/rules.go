package model

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/landbridge-io/landbridge/config"
)

// rules are the configuration of the fields of a resource type, by Terraform's paths.
type rules struct {
	fields map[string]config.Field
	omit   map[string]bool
	// settled are top-level attributes that the configuration sets.
	settled map[string]bool
	// late are the fields that late initialization ignores.
	late map[string]bool
	// wrong are the errors that were found while fields were made.
	wrong []error
}

func newRules(c config.Resource) *rules {
	r := &rules{fields: c.Fields, omit: setOf(c.Omit), settled: map[string]bool{}}
	for name, f := range c.Fields {
		r.settled[name] = f.Value != ""
	}
	if e := c.ExternalName; e != nil && e.Argument != "" {
		r.settled[e.Argument] = true
	}
	if l := c.LateInitialize; l != nil {
		r.late = setOf(l.Ignore)
		if c.CreateToken != nil {
			r.late[c.CreateToken.Argument] = true // the token of one create, and not the user's choice
		}
		if c.DefaultTags != nil {
			r.late[tagsAttribute(*c.DefaultTags)] = true // it also has tags that are not the user's
		}
	}
	return r
}

func setOf(list []string) map[string]bool {
	out := make(map[string]bool, len(list))
	for _, x := range list {
		out[x] = true
	}
	return out
}

func (r *rules) mistake(path, key, format string, args ...any) {
	r.wrong = append(r.wrong, config.At(fmt.Errorf(format, args...), "fields", path, key))
}

// presented are the kinds as which each kind can be presented.
var presented = map[Kind][]Kind{
	Number: {String, Integer},
	Bool:   {String},
	String: {Number, Integer, Bool, JSON},
}

var kindOf = map[config.FieldType]Kind{
	config.FieldString: String, config.FieldNumber: Number, config.FieldInteger: Integer, config.FieldBoolean: Bool, config.FieldJSON: JSON,
}

// present sets the configured type of a field.
func (r *rules) present(t *Type, path string) {
	wanted := r.fields[path].Type
	if wanted == "" {
		return
	}
	as, ok := kindOf[wanted]
	switch {
	case ok && as == t.Kind:
	case ok && slices.Contains(presented[t.Kind], as):
		t.As = as
	default:
		r.mistake(path, "type", "%s is a %s, which cannot be presented as %q", path, t.Kind, wanted)
	}
}

// presentIdentity presents numbers of an attribute of the identity as text, which holds them
// exactly, if the attribute's configured type is string.
func (r *rules) presentIdentity(t *Type, name string) {
	if t.Element != nil {
		t = t.Element
	}
	if t.Kind == Number && r.fields[name].Type == config.FieldString {
		t.As = String
	}
}

var validName = regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`)

// rename sets the configured names of fields.
func (r *rules) rename(fields []*Field, p place, taken map[string]bool) {
	by := map[string]*Field{}
	for _, f := range fields {
		name := r.fields[p.to(f.Name)].Name
		if name == "" {
			continue
		}
		switch {
		case !validName.MatchString(name):
			r.mistake(p.to(f.Name), "name", "%q is not a valid field name: it must be in camelCase", name)
			continue
		case by[name] != nil:
			r.mistake(p.to(f.Name), "name", "%s and %s would both be %s", by[name].Name, f.Name, name)
			continue
		case taken[name]:
			r.mistake(p.to(f.Name), "name", "%s is taken", name)
			continue
		}
		taken[name], by[name], f.JSONName, f.Named = true, f, name, true
	}
	for _, f := range fields {
		if other := by[camelCase(f.Name)]; other != nil && f.JSONName == "" {
			r.mistake(p.to(other.Name), "name", "%s is the name of %s", other.JSONName, p.to(f.Name))
		}
	}
}

package upgrade

import (
	"strings"

	"github.com/landbridge-io/landbridge/internal/evolution"
)

// fields are the differences between the fields of a kind in two versions.
type fields struct {
	old, new *evolution.Kind
	changes  []evolution.Change
}

func fieldsOf(old, new *evolution.Kind) fields {
	return fields{old: old, new: new, changes: evolution.CompareKind(old, new)}
}

// of returns the object as one of the new kind, and what it uses that is gone, of another type or
// deprecated.
func (f fields) of(object map[string]any) (converted map[string]any, out []Finding) {
	if len(f.changes) == 0 {
		return object, nil
	}
	for _, path := range evolution.Unfit(object, f.old, f.new) {
		out = append(out, Finding{Outcome: FieldChanged, Cause: Cause{Path: path, Summary: f.about(path)}})
	}
	if len(out) > 0 {
		object = evolution.Converted(object, f.old, f.new)
	}
	for _, path := range evolution.Deprecated(object, f.old, f.new) {
		out = append(out, deprecatedField(path))
	}
	return object, out
}

// about tells what has changed of a field, with the conversion of its values.
func (f fields) about(path string) string {
	path = strings.Replace(path, evolution.InitProvider+".", evolution.ForProvider+".", 1)
	for _, c := range f.changes {
		at := c.Path
		if c.Change == evolution.FieldRenamed {
			at = strings.TrimSuffix(c.Path, c.New) + c.Old
		}
		if at == path {
			c.Path = ""
			_, text, _ := strings.Cut(c.String(), " ") // without its sign
			return text
		}
	}
	return "the value does not fit the field any more"
}

// ConfigFields returns what a provider configuration uses that is gone, of another type or
// deprecated in a new version, and the configuration as one of the new version.
func ConfigFields(object map[string]any, old, new *evolution.Kind) (converted map[string]any, _ []Finding) {
	return fieldsOf(old, new).of(object)
}

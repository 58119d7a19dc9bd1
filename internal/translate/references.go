package translate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/landbridge-io/landbridge/internal/model"
)

// Reference is a field of spec.forProvider whose reference or selector is set.
type Reference struct {
	*model.Reference
	// Object contains the field, its reference and its selector. Path is its path with a dot at the
	// end: "spec.forProvider.rule[0].".
	Object map[string]any
	Path   string
	// List is the path of the outermost list that has the object, as fields from the root of the
	// resource; nil if none has it.
	List []string
}

// References returns the references that are set in spec.forProvider, in a fixed order. Their
// objects are shared with the argument.
func References(r *model.Resource, forProvider map[string]any) []Reference {
	f := finder{}
	for _, ref := range r.References() {
		f.ref = ref
		f.find(r.Root(), forProvider, place{text: "spec.forProvider", fields: []string{"spec", "forProvider"}}, ref.Path)
	}
	return f.found
}

// finder finds the set references of one field.
type finder struct {
	ref   *model.Reference
	found []Reference
}

// place is where a value is.
type place struct {
	text   string
	fields []string
	// listed is set in a list, whose path fields is then.
	listed bool
}

// step returns the place of a field or of a key.
func (p place) step(text, field string) place {
	p.text += text
	if !p.listed {
		p.fields = append(slices.Clip(p.fields), field)
	}
	return p
}

// element returns the place of an element of a list.
func (p place) element(i int) place {
	p.text, p.listed = fmt.Sprintf("%s[%d]", p.text, i), true
	return p
}

// find adds the references that are set in a value. path has the fields from the value to the one
// that the reference sets.
func (f *finder) find(t *model.Type, value any, at place, path []*model.Field) {
	if t.Singleton {
		t = t.Element
	}
	switch value := value.(type) {
	case []any:
		for i, x := range value {
			if t.Element != nil {
				f.find(t.Element, x, at.element(i), path)
			}
		}
	case map[string]any:
		switch {
		case t.Kind == model.Map:
			for _, k := range slices.Sorted(maps.Keys(value)) {
				step := "." + k
				if strings.ContainsAny(k, `.[]"`) || k == "" {
					step = fmt.Sprintf("[%q]", k)
				}
				f.find(t.Element, value[k], at.step(step, k), path)
			}
		case t.Object == nil:
		case len(path) > 1:
			name := path[0].JSONName
			f.find(path[0].Type, value[name], at.step("."+name, name), path[1:])
		case value[f.ref.Ref] != nil || value[f.ref.Selector] != nil:
			found := Reference{Reference: f.ref, Object: value, Path: at.text + "."}
			if at.listed {
				found.List = at.fields
			}
			f.found = append(f.found, found)
		}
	}
}

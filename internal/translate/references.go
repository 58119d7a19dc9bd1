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
	// Object contains the field, its reference and its selector. Path is its path with a dot at the end:
	// "spec.forProvider.rule[0].".
	Object map[string]any
	Path   string
}

// References returns the references that are set in spec.forProvider, in a fixed order. Their objects are
// shared with the argument.
func References(r *model.Resource, forProvider map[string]any) []Reference {
	f := finder{}
	for _, ref := range r.References() {
		f.ref = ref
		f.find(r.Root(), forProvider, "spec.forProvider", ref.Path)
	}
	return f.found
}

// finder finds the set references of one field.
type finder struct {
	ref   *model.Reference
	found []Reference
}

// find adds the references that are set in a value. path has the fields from the value to the one that
// the reference sets.
func (f *finder) find(t *model.Type, value any, at string, path []*model.Field) {
	if t.Singleton {
		t = t.Element
	}
	switch value := value.(type) {
	case []any:
		for i, x := range value {
			if t.Element != nil {
				f.find(t.Element, x, fmt.Sprintf("%s[%d]", at, i), path)
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
				f.find(t.Element, value[k], at+step, path)
			}
		case t.Object == nil:
		case len(path) > 1:
			f.find(path[0].Type, value[path[0].JSONName], at+"."+path[0].JSONName, path[1:])
		case value[f.ref.Ref] != nil || value[f.ref.Selector] != nil:
			f.found = append(f.found, Reference{Reference: f.ref, Object: value, Path: at + "."})
		}
	}
}

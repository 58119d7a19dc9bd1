package translate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/landbridge-io/landbridge/internal/model"
)

// Reference is a field of spec.forProvider for which a reference or a selector is given.
type Reference struct {
	*model.Reference
	// Object is what the field, its reference and its selector are in, which is at Path, with a dot
	// at the end: "spec.forProvider.rule[0].".
	Object map[string]any
	Path   string
}

// References returns the references that spec.forProvider gives, in a fixed order. The objects are those of the
// argument.
func References(r *model.Resource, forProvider map[string]any) []Reference {
	var out []Reference
	for _, ref := range r.References() {
		out = find(out, ref, r.Root(), forProvider, "spec.forProvider", ref.Path)
	}
	return out
}

// find adds what is given in a value, path being the way from there to the field.
func find(out []Reference, ref *model.Reference, t *model.Type, value any, at string, path []*model.Field) []Reference {
	if t.Singleton {
		t = t.Element
	}
	switch value := value.(type) {
	case []any:
		for i, x := range value {
			if t.Element != nil {
				out = find(out, ref, t.Element, x, fmt.Sprintf("%s[%d]", at, i), path)
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
				out = find(out, ref, t.Element, value[k], at+step, path)
			}
		case t.Object == nil:
		case len(path) > 1:
			out = find(out, ref, path[0].Type, value[path[0].JSONName], at+"."+path[0].JSONName, path[1:])
		case value[ref.Ref] != nil || value[ref.Selector] != nil:
			out = append(out, Reference{Reference: ref, Object: value, Path: at + "."})
		}
	}
	return out
}

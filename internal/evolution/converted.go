package evolution

import (
	"maps"
	"slices"
)

// Converted returns an object of the old kind as one of the new kind, where both are the same API
// version. Values that the new kind cannot hold are left out: Unfit returns their fields. It does
// not change the object, but the result may share values with it.
func Converted(object map[string]any, old, new *Kind) map[string]any {
	out, _ := (&Converter{}).convert(object, old, new, &remembered{})
	return out
}

// Deprecated returns the fields that are set in an object of the new kind, and that are deprecated
// in the new kind but not in the old one. Paths are as those of Unfit.
func Deprecated(object map[string]any, old, new *Kind) []string {
	found := map[string]bool{}
	for _, part := range specified {
		o, n := old.Parts[part.typed], new.Parts[part.typed]
		if v, ok := get(object, part.steps); ok && n != nil {
			deprecated(part.name, v, o, n, found)
		}
	}
	return slices.Sorted(maps.Keys(found))
}

func deprecated(path string, v any, old, new *Node, found map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			switch new.Form {
			case Map:
				deprecated(path+"[key]", value, old.at([]string{"[key]"}), new.Element, found)
			case Object:
				f := new.Fields[name]
				if f == nil {
					continue
				}
				var was *Node
				if has(old, name) {
					was = old.Fields[name].Node
				}
				if f.Deprecated && !(was != nil && old.Fields[name].Deprecated) {
					found[path+"."+name] = true
				}
				deprecated(path+"."+name, value, was, f.Node, found)
			}
		}
	case []any:
		for _, value := range v {
			if new.list() {
				deprecated(path+"[]", value, old.at([]string{"[]"}), new.Element, found)
			}
		}
	}
}

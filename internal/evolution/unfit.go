package evolution

import (
	"maps"
	"slices"
)

// Unfit returns the fields that are set in an object of the old kind and that the new kind would
// drop or refuse if it replaced the old kind in the same API version. Paths are sorted, and have
// the form of those in reports. spec.import is left out: it no longer matters once the object is
// adopted.
func Unfit(object map[string]any, old, new *Kind) []string {
	found := map[string]bool{}
	for _, part := range specified {
		o, n := old.Parts[part.typed], new.Parts[part.typed]
		if v, ok := get(object, part.steps); ok && o != nil && n != nil {
			unfit(part.name, v, o, n, found)
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// specified are the parts that users write: the name of each, the part that has its type, and where
// it is in an object.
var specified = []struct {
	name, typed string
	steps       []string
}{
	{ForProvider, ForProvider, []string{"spec", "forProvider"}},
	{InitProvider, ForProvider, []string{"spec", "initProvider"}},
	{ConfigSpec, ConfigSpec, []string{"spec"}},
}

func unfit(path string, v any, old, new *Node, found map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		switch {
		case old.Form == Object && new.Form == Object:
			for name, value := range v {
				o, n := old.Fields[name], new.Fields[name]
				switch {
				case o == nil: // the field is unknown
				case n == nil:
					found[path+"."+name] = true
				default:
					unfit(path+"."+name, value, o.Node, n.Node, found)
				}
			}
			return
		case old.Form == Map && new.Form == Map:
			for _, value := range v {
				unfit(path+"[key]", value, old.Element, new.Element, found)
			}
			return
		}
	case []any:
		if old.list() && new.list() && !(new.Form == Set && len(distinct(v)) < len(v)) {
			for _, value := range v {
				unfit(path+"[]", value, old.Element, new.Element, found)
			}
			return
		}
	}
	if old.Form == SecretRef && new.Form == SecretRef || v == nil && old.Form == new.Form {
		return
	}
	if !matches(v, new) {
		found[path] = true
	}
}

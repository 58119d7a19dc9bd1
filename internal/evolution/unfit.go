package evolution

import (
	"maps"
	"slices"
)

// Unfit returns the fields that an object of the old kind gives, and that the new kind has no place for as they
// are: they would be dropped, or refused, if the new one took the place of the old one in the same API version.
// Paths are as in reports, sorted. What identifies an object to import is left out: it does not matter
// any more once the object is taken over.
func Unfit(object map[string]any, old, new *Kind) []string {
	found := map[string]bool{}
	for part, typed := range map[string]string{ForProvider: ForProvider, InitProvider: ForProvider, ConfigSpec: ConfigSpec} {
		o, n := old.Parts[typed], new.Parts[typed]
		steps := map[string][]string{ForProvider: {"spec", "forProvider"}, InitProvider: {"spec", "initProvider"}, ConfigSpec: {"spec"}}[part]
		if v, ok := get(object, steps); ok && o != nil && n != nil {
			unfit(part, v, o, n, found)
		}
	}
	return slices.Sorted(maps.Keys(found))
}

func unfit(path string, v any, old, new *Node, found map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		switch {
		case old.Form == Object && new.Form == Object:
			for name, value := range v {
				o, n := old.Fields[name], new.Fields[name]
				switch {
				case o == nil: // nobody's
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

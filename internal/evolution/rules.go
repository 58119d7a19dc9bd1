package evolution

// elsewhere is the end of the note of a conversion that not all values have.
const elsewhere = "; anything else has to be set again"

// conversion describes how values of one type are converted to another; ok is false if they cannot
// be.
func conversion(old, new *Node) (note string, ok bool) {
	switch {
	case old.Form == new.Form && old.primitive(), new.Form == Any:
		return "values stay as they are", true
	case old.Form == Any:
		return "values that are of the type stay as they are" + elsewhere, true
	case old.Form == Bool && new.Form == String:
		return `true becomes "true"`, true
	case old.Form == String && new.Form == Bool:
		return `"true" becomes true` + elsewhere, true
	case old.Form == Number && new.Form == String:
		return `1 becomes "1"`, true
	case old.Form == String && new.Form == Number:
		return `"1" becomes 1` + elsewhere, true
	case old.Form == Object && new.Form == Object:
		return "fields are converted one by one", true
	case old.Form == Map && new.Form == Map:
		return conversion(old.Element, new.Element)
	case old.list() && new.list():
		return conversion(old.Element, new.Element)
	case old.list():
		if _, ok := conversion(old.Element, new); !ok {
			return "", false
		}
		return "the only element of the list becomes the value" + elsewhere, true
	case new.list():
		if _, ok := conversion(old, new.Element); !ok {
			return "", false
		}
		return "the value becomes a list of one", true
	default:
		return "", false
	}
}

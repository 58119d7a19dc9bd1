package generator

import (
	"strconv"
	"strings"

	"github.com/landbridge-io/landbridge/internal/model"
)

// scope has the identifiers in use in a Go package or struct.
type scope map[string]bool

// claim claims a name. If it is in use, it appends the first number that makes it unique.
func (s scope) claim(name string) string {
	got := name
	for i := 2; s[got]; i++ {
		got = name + strconv.Itoa(i)
	}
	s[got] = true
	return got
}

// fieldName has the Go names of a field of an object: of its value, its reference to a Secret, and
// its reference and selector of other resources.
type fieldName struct{ value, secretRef, ref, selector string }

// fieldNames returns the Go names of the fields of an object. As in the model, names are claimed
// even if they are not used, so that a field that becomes an input or sensitive does not rename
// others.
func fieldNames(t *model.Fields) map[*model.Field]fieldName {
	// controller-gen gives every type these methods.
	taken := scope{"DeepCopy": true, "DeepCopyInto": true}
	out := make(map[*model.Field]fieldName, len(t.All))
	for _, f := range t.Settable() {
		out[f] = fieldName{value: taken.claim(goName(f))}
	}
	for _, f := range t.All {
		if f.SecretRef != "" {
			n := out[f]
			n.secretRef = taken.claim(n.value + "SecretRef")
			out[f] = n
		}
	}
	for _, f := range t.All {
		if r := f.Reference; r != nil {
			n := out[f]
			n.ref, n.selector = taken.claim(referenceName(n.value, "Ref", r.Ref, r)), taken.claim(referenceName(n.value, "Selector", r.Selector, r))
			out[f] = n
		}
	}
	return out
}

// goName returns the natural name of a field, from its configured name or else from Terraform's.
func goName(f *model.Field) string {
	if f.Named {
		return model.GoName(f.JSONName)
	}
	return model.GoName(f.Name)
}

// referenceName returns the Go name of a reference or selector: the configured one, else the name
// of the referring field with a suffix.
func referenceName(value, suffix, property string, r *model.Reference) string {
	base := r.Field().JSONName
	if r.Many {
		base, value = model.Singular(base), model.Singular(value)
		if suffix == "Ref" {
			suffix += "s"
		}
	}
	if property == base+suffix {
		return value + suffix
	}
	return strings.ToUpper(property[:1]) + property[1:]
}

// renamedFields returns the fields that do not have their natural names.
func renamedFields(resourceType string, names map[*model.Field]fieldName, t *model.Fields) []model.Renamed {
	var out []model.Renamed
	tell := func(f *model.Field, wanted, got string) {
		if wanted != got {
			out = append(out, model.Renamed{Type: resourceType + "." + f.Name, Wanted: wanted, Got: got})
		}
	}
	for _, f := range t.All {
		n := names[f]
		tell(f, goName(f), n.value)
		if n.secretRef != "" {
			tell(f, n.value+"SecretRef", n.secretRef)
		}
	}
	return out
}

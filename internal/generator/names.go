package generator

import (
	"strconv"
	"strings"

	"github.com/landbridge-io/landbridge/internal/model"
)

// scope holds the identifiers that are taken in a Go package or struct.
type scope map[string]bool

// claim takes a name, or the first free one of those with a number behind it.
func (s scope) claim(name string) string {
	got := name
	for i := 2; s[got]; i++ {
		got = name + strconv.Itoa(i)
	}
	s[got] = true
	return got
}

// fieldName is what a field of an object is called in Go: as a value, as a reference to a Secret, and
// as one to other resources.
type fieldName struct{ value, secretRef, ref, selector string }

// fieldNames names the fields of an object. As in the model, a name is claimed whether or not it is
// used, so that a field that becomes an input, or sensitive, renames no other.
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

// goName returns the natural name of a field: Terraform's, unless its author chose one.
func goName(f *model.Field) string {
	if f.Named {
		return model.GoName(f.JSONName)
	}
	return model.GoName(f.Name)
}

// referenceName returns what a field beside a referring one is called in Go: after that one, unless its
// author chose a name.
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

// renamedFields returns the fields whose names are not the natural ones.
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

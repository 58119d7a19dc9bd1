package translate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/model"
)

const lostDigits = "Number has lost digits: Kubernetes keeps whole numbers exactly only up to 64 bits, and decimals up to 15 digits."

// Rounded returns a warning for each field of status.atProvider and status.identity whose number
// has lost digits: a whole number beyond 64 bits, or a decimal that no float64 has. The values are
// not shown.
func Rounded(r *model.Resource, state, identity cty.Value) []string {
	var out []string
	if isObject(state) {
		for _, f := range roundedIn(r.Root(), state) {
			out = append(out, fmt.Sprintf("status.atProvider.%s: %s With fields.%s.type: string for this resource "+
				"type in the TerraformProvider, it is shown as text and kept exactly.",
				f.path, lostDigits, f.terraform))
		}
	}
	if r.Identity() != nil && isObject(identity) {
		for _, f := range roundedIn(r.Identity(), identity) {
			out = append(out, fmt.Sprintf("status.identity.%s: %s The stored identity has all of them; do not import the object by this one."+
				" With fields.%s.type: string for this resource type in the TerraformProvider, it is shown as text "+
				"and kept exactly.",
				f.path, lostDigits, f.terraform))
		}
	}
	return out
}

// field is the path of a field in Kubernetes and in Terraform, without elements of collections.
type field struct{ path, terraform string }

func (f field) inner(x *model.Field) field {
	return field{strings.TrimPrefix(f.path+"."+x.JSONName, "."), strings.TrimPrefix(f.terraform+"."+x.Name, ".")}
}

// rounded finds the fields with numbers that JSON does not hold exactly.
type rounded struct{ found []field }

func roundedIn(t *model.Type, x cty.Value) []field {
	v := rounded{}
	v.value(t, field{}, x)
	return v.found
}

func (v *rounded) value(t *model.Type, at field, x cty.Value) {
	x, _ = x.Unmark()
	if !x.IsKnown() || x.IsNull() || t.As != "" {
		return // other presentations are exact, or left out
	}
	switch t.Kind {
	case model.Number:
		v.number(at, x)
	case model.Dynamic:
		_ = cty.Walk(x, func(_ cty.Path, x cty.Value) (bool, error) {
			if x.Type() == cty.Number && x.IsKnown() && !x.IsNull() {
				v.number(at, x)
			}
			return true, nil
		})
	case model.Object:
		for _, f := range t.Object.All {
			if f.Observed && !f.Secret() {
				v.value(f.Type, at.inner(f), x.GetAttr(f.Name))
			}
		}
	case model.List, model.Set, model.Map:
		for it := x.ElementIterator(); it.Next(); {
			_, element := it.Element()
			v.value(t.Element, at, element)
		}
	case model.Tuple:
		for i, element := range x.AsValueSlice() {
			v.value(t.Tuple[i], at, element)
		}
	}
}

func (v *rounded) number(at field, x cty.Value) {
	if _, exact := numberToJSON(x); !exact && !slices.Contains(v.found, at) {
		v.found = append(v.found, at)
	}
}

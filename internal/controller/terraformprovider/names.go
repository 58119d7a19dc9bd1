package terraformprovider

import (
	"fmt"
	"slices"
	"strings"

	"github.com/landbridge-io/landbridge/internal/model"
)

// maxTaken bounds the kinds that a message names.
const maxTaken = 3

// taken describes the kinds of resource types whose plurals other API groups have too, so that
// kubectl means those without a group. crds are the names of all CRDs.
func taken(p *model.Provider, types, crds []string) string {
	groups := map[string]string{}
	for _, name := range crds {
		plural, group, _ := strings.Cut(name, ".")
		if now, ok := groups[plural]; !ok || group < now {
			groups[plural] = group
		}
	}
	var all []string
	for _, t := range types {
		r := p.Resources[t]
		other, ok := model.KubernetesGroup(r.Plural)
		if !ok {
			// Of several CRDs, kubectl chooses the first group.
			if other, ok = groups[r.Plural]; !ok || other >= r.Group {
				continue
			}
		}
		all = append(all, fmt.Sprintf("%s means that of %s (write %s.%s, or set spec.resources.%s.kind, such as %s)",
			r.Plural, other, r.Plural, r.Group, t, model.OwnKind(p.Name, r.Kind)))
	}
	if len(all) == 0 {
		return ""
	}
	slices.Sort(all)
	if more := len(all) - maxTaken; more > 0 {
		all = append(all[:maxTaken], fmt.Sprintf("and %d more kinds", more))
	}
	return "To kubectl, " + strings.Join(all, "; ") + "."
}

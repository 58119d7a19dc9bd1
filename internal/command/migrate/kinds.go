package migrate

import (
	"fmt"
	"slices"
	"strings"

	kschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/internal/model"
)

// TypeOf returns the resource type of an Upjet kind. Upjet takes the group and the kind from the
// name of the type: the kind is its end, and the group its beginning. What providers configure
// instead is recognized if the two overlap, as in Key.sshkey.hcloud.upbound.io, or if the kind is
// the whole name.
func TypeOf(p *model.Provider, kind kschema.GroupKind) (*model.Resource, error) {
	group, _, _ := strings.Cut(kind.Group, ".")
	name := strings.ToLower(kind.Kind)
	var grouped, overlapping, plain []*model.Resource
	for _, t := range p.Resources {
		_, rest, _ := strings.Cut(t.Type, "_")
		switch rest = strings.ReplaceAll(rest, "_", ""); {
		case rest == group+name:
			grouped = append(grouped, t)
		case len(rest) < len(group)+len(name) && strings.HasPrefix(rest, group) && strings.HasSuffix(rest, name) && group != name:
			overlapping = append(overlapping, t)
		case rest == name:
			plain = append(plain, t)
		}
	}
	for _, found := range [][]*model.Resource{grouped, overlapping, plain} {
		switch len(found) {
		case 0:
		case 1:
			return found[0], nil
		default:
			slices.SortFunc(found, func(a, b *model.Resource) int { return strings.Compare(a.Type, b.Type) })
			return nil, fmt.Errorf("its kind may be %s or %s. Name its resource type with --type %s=TYPE", found[0].Type, found[1].Type, kind)
		}
	}
	return nil, fmt.Errorf("the provider has no resource type for its kind. Name it with --type %s=TYPE", kind)
}

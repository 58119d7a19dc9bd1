package main

import (
	"encoding/json"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/command/cluster"
	"github.com/landbridge-io/landbridge/internal/command/local"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider/install"
)

// need is which providers of the cluster a command needs. The others are not started.
type need struct {
	// of reports whether a provider is needed, as far as its TerraformProvider tells.
	of func(*v1alpha1.TerraformProvider) bool
	// enough reports whether the started providers have all that is needed. If they do not, all
	// others are started. Nil: they do.
	enough func([]*remoteProvider) bool
}

// split returns the providers that are needed, and the others. All are needed if it is not known.
func (n *need) split(all []v1alpha1.TerraformProvider) (needed, others []v1alpha1.TerraformProvider) {
	if n == nil {
		return all, nil
	}
	for _, p := range all {
		if n.of(&p) {
			needed = append(needed, p)
		} else {
			others = append(others, p)
		}
	}
	return needed, others
}

// satisfied reports whether no more providers have to be started.
func (n *need) satisfied(started []*remoteProvider) bool {
	return n == nil || n.enough == nil || n.enough(started)
}

// forObjects needs the providers that may have the kinds of manifests, and some actions.
func forObjects(objects []local.Object, actions ...schema.GroupResource) *need {
	groups := map[string]bool{}
	for _, a := range actions {
		groups[a.Group] = true
	}
	for _, o := range objects {
		if g := o.GroupVersionKind().Group; !builtIn(g) {
			groups[g] = true
		}
	}
	return &need{
		of: func(p *v1alpha1.TerraformProvider) bool {
			known := cluster.Groups(p)
			return len(known) == 0 || slices.ContainsFunc(known, func(g string) bool {
				return slices.ContainsFunc(append([]model.Mode{model.Managed}, model.Unmanaged...),
					func(m model.Mode) bool { return groups[m.Group(g)] })
			})
		},
		enough: func(started []*remoteProvider) bool {
			left := len(groups)
			for g := range groups {
				if slices.ContainsFunc(started, func(p *remoteProvider) bool { return p.hasGroup(g) }) {
					left--
				}
			}
			return left == 0
		},
	}
}

// hasGroup reports whether kinds of the provider are in an API group.
func (p *remoteProvider) hasGroup(group string) bool {
	if p.model.Group == group {
		return true
	}
	for _, r := range p.model.All() {
		if r.Group == group {
			return true
		}
	}
	return false
}

// builtIn reports whether a group is one of Kubernetes or of Landbridge itself, whose kinds need no
// provider.
func builtIn(group string) bool {
	return !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io") || group == v1alpha1.Group
}

// forTypes needs the providers that resource types are named after: those of google_project_service
// are google and google-beta. It needs all without patterns, or if one begins with a wildcard.
func forTypes(patterns []string) *need {
	names := map[string]bool{}
	for _, pattern := range patterns {
		name, _, _ := strings.Cut(pattern, "_")
		if name == "" || strings.ContainsAny(name, `*?[\`) {
			return nil
		}
		names[name] = true
	}
	if len(names) == 0 {
		return nil
	}
	return &need{
		of: func(p *v1alpha1.TerraformProvider) bool {
			name := cluster.TypeOf(p.Spec.Source)
			first, _, _ := strings.Cut(name, "-")
			return name == "" || names[name] || names[first] || names[strings.ReplaceAll(name, "-", "_")]
		},
		enough: func(started []*remoteProvider) bool {
			return !slices.ContainsFunc(patterns, func(pattern string) bool {
				return !slices.ContainsFunc(started, func(p *remoteProvider) bool {
					types, err := matching(p.model, []string{pattern})
					return err != nil || len(types) > 0
				})
			})
		},
	}
}

// forUpjet needs the providers that the groups of Upjet's kinds are named after: that of
// s3.aws.upbound.io is aws. An argument is a group, or a kind with its group and perhaps a name.
func forUpjet(args []string) *need {
	names := map[string]bool{}
	var groups []string
	for _, arg := range args {
		group, _, _ := strings.Cut(arg, "/")
		groups = append(groups, group)
		for _, name := range strings.Split(group, ".") {
			names[name] = true
		}
	}
	return &need{
		of: func(p *v1alpha1.TerraformProvider) bool {
			name := cluster.TypeOf(p.Spec.Source)
			first, _, _ := strings.Cut(name, "-")
			return name == "" || names[name] || names[first]
		},
		enough: func(started []*remoteProvider) bool {
			return !slices.ContainsFunc(groups, func(group string) bool {
				return !slices.ContainsFunc(started, func(p *remoteProvider) bool { return inGroup(group, p.model.Name) })
			})
		},
	}
}

// inGroup reports whether a group of Upjet's kinds is named after a provider.
func inGroup(group, provider string) bool {
	return strings.Contains("."+group+".", "."+provider+".")
}

// forState needs the providers of the resources in a Terraform state.
func forState(raw []byte) *need {
	var state struct {
		Resources []struct{ Provider string }
	}
	if json.Unmarshal(raw, &state) != nil {
		return nil // whoever reads it tells why
	}
	var sources []string
	for _, r := range state.Resources {
		// module.a.provider["registry.terraform.io/hashicorp/random"].alias
		_, source, _ := strings.Cut(r.Provider, `["`)
		source, _, found := strings.Cut(source, `"]`)
		if !found {
			return nil
		}
		if !slices.Contains(sources, source) {
			sources = append(sources, source)
		}
	}
	return &need{of: func(p *v1alpha1.TerraformProvider) bool {
		a, err := install.ParseAddress(p.Spec.Source)
		return err != nil || slices.ContainsFunc(sources, func(s string) bool { return sameProvider(a.String(), s) })
	}}
}

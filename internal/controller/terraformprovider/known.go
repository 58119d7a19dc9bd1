package terraformprovider

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/schema"
)

// definedNames are the names of a kind in a CRD, as AnnotationNames has them. Configured are those
// that the spec had for the resource type when the CRD was written: only the others are kept when
// the spec does not have them any more.
type definedNames struct {
	config.Names
	Configured configuredNames `json:"configured,omitzero"`
}

// configuredNames are the names that the configuration of a resource type has.
type configuredNames struct {
	Kind   bool `json:"kind,omitempty"`
	Plural bool `json:"plural,omitempty"`
}

func configuredOf(r config.Resource) configuredNames {
	return configuredNames{Kind: r.Kind != "", Plural: r.Plural != ""}
}

// annotations returns AnnotationNames for the CRDs of the resource types of a model. Kinds whose
// names the spec wants to change, but which have objects, keep theirs.
func annotations(m *model.Provider, c config.Provider) (map[string]string, error) {
	merged, err := c.Merge(m.Schema.Resources)
	if err != nil {
		return nil, err
	}
	out := make(map[string]string, len(m.Resources))
	for t, r := range m.All() {
		if r.Naming == model.NamesHeld {
			continue
		}
		raw, err := json.Marshal(definedNames{r.Names(), configuredOf(merged[t].Resource)})
		if err != nil {
			return nil, err
		}
		out[t] = string(raw)
	}
	return out, nil
}

// recordedNames returns status.names. Names of types that the provider does not have at present
// stay recorded, and so do those of kinds that keep their names only while they have objects.
func recordedNames(p *v1alpha1.TerraformProvider, m *model.Provider) map[string]config.Names {
	out := m.AssignedNames()
	active, _ := activatedOf(m, &p.Spec)
	for t := range out { // most data sources are never served
		if m.ByAddress(t).Mode != model.Managed && !slices.Contains(active.addresses(), t) {
			delete(out, t)
		}
	}
	for t, n := range p.Status.Names {
		if r := m.ByAddress(t); r == nil || r.Naming == model.NamesHeld {
			out[t] = n
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// read reads the names of the kinds that are defined. CRDs of earlier releases, which have no
// annotation for that, are read as a whole.
func (c *inCluster) read(ctx context.Context, p *v1alpha1.TerraformProvider, s *schema.Provider) error {
	var unmarked []string
	for _, name := range slices.Sorted(maps.Keys(c.types)) {
		n := definedNames{}
		switch err := json.Unmarshal([]byte(c.marks[name]), &n); {
		case c.types[name] == "":
		case err != nil:
			unmarked = append(unmarked, name)
		default:
			c.names[name] = n
		}
	}
	if len(unmarked) == 0 {
		return nil
	}
	former := formerlyConfigured(p, s)
	var mu sync.Mutex
	return errors.Join(kinds.Each(unmarked, func(name string) error {
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
		if err := c.reader.Get(ctx, client.ObjectKey{Name: name}, u); err != nil {
			return client.IgnoreNotFound(err)
		}
		field := func(name string) string {
			s, _, _ := unstructured.NestedString(u.Object, "spec", "names", name)
			return s
		}
		mu.Lock()
		defer mu.Unlock()
		c.names[name] = definedNames{
			config.Names{Kind: field("kind"), ListKind: field("listKind"), Plural: field("plural"), Singular: field("singular")},
			former[c.types[name]],
		}
		return nil
	})...)
}

// formerlyConfigured returns which names the configuration of the installed provider has.
func formerlyConfigured(p *v1alpha1.TerraformProvider, s *schema.Provider) map[string]configuredNames {
	out := map[string]configuredNames{}
	if p.Status.Installed == nil {
		return out
	}
	c, err := configurationOf(p.Status.Installed)
	if err != nil {
		return out
	}
	merged, err := c.Merge(s.Resources)
	if err != nil { // the provider has other types now: overrides may match none
		for t, r := range c.Resources {
			out[t] = configuredOf(r)
		}
	}
	for t, r := range merged {
		out[t] = configuredOf(r.Resource)
	}
	return out
}

// known returns the names that the kinds of a model have: in the cluster, or as they are recorded.
// m is the model without them.
func (c *inCluster) known(p *v1alpha1.TerraformProvider, m *model.Provider, with config.Provider) (map[string]config.Names, error) {
	merged, err := with.Merge(m.Schema.Resources)
	if err != nil {
		return nil, err
	}
	out := maps.Clone(p.Status.Names)
	if out == nil {
		out = map[string]config.Names{}
	}
	// Of several kinds of a type, one of the group comes last, and among those the recorded one.
	defined := slices.SortedFunc(maps.Keys(c.names), func(a, b string) int {
		rank := func(name string) (rank int) {
			t := c.types[name]
			if _, group, _ := strings.Cut(name, "."); m.ByAddress(t) != nil && m.ByAddress(t).Group == group {
				rank += 2
			}
			if n, ok := p.Status.Names[t]; ok && n == c.names[name].Names {
				rank++
			}
			return rank
		}
		return cmp.Or(rank(a)-rank(b), strings.Compare(a, b))
	})
	for _, name := range defined {
		t, n := c.types[name], c.names[name]
		now := configuredOf(merged[t].Resource)
		if n.Configured.Kind && !now.Kind {
			delete(out, t)
			continue
		}
		if n.Configured.Plural && !now.Plural {
			n.Plural = ""
		}
		out[t] = n.Names
	}
	return out, nil
}

// settingOf returns the setting that names a kind otherwise than it is named.
func settingOf(c config.Provider, resourceType string) string {
	if _, given := c.Names[resourceType]; given && c.Resources[resourceType].Kind == "" {
		return fmt.Sprintf("spec.names.%s", resourceType)
	}
	return fmt.Sprintf("spec.resources.%s", resourceType)
}

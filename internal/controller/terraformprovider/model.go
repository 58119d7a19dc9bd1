package terraformprovider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/schema"
)

// Model returns the model of a TerraformProvider's kinds. Kinds that have objects keep the names they have in the
// cluster; kept has a message for each. Mistakes in the spec are *config.Error. name is the provider's own, such
// as random.
func Model(ctx context.Context, reader client.Reader, p *v1alpha1.TerraformProvider, name string, s *schema.Provider) (m *model.Provider, kept []string, err error) {
	c := p.Spec.Config()
	if err := oneVersion(c); err != nil {
		return nil, nil, inSpec(err)
	}
	if m, err = model.NewProvider(name, s, c); err != nil {
		return nil, nil, inSpec(err)
	}
	crds, err := kinds.ListCRDs(ctx, reader, client.MatchingLabels{v1alpha1.LabelProvider: p.Name})
	if err != nil {
		return nil, nil, fmt.Errorf("cannot list the provider's CRDs: %w", err)
	}
	have := &inCluster{reader: reader, names: map[string]string{}}
	for _, o := range crds {
		have.names[o.Name] = o.Annotations[v1alpha1.AnnotationResourceType]
	}
	group, err := have.group(ctx, m)
	if err != nil {
		return nil, nil, err
	}
	if group != "" {
		kept = append(kept, fmt.Sprintf("spec.group: the group remains %s while objects of it exist", group))
		c.Group = group
		if m, err = model.NewProvider(name, s, c); err != nil {
			return nil, nil, inSpec(err)
		}
	}
	names, err := have.kinds(ctx, m)
	if err != nil || len(names) == 0 {
		return m, kept, err
	}
	c.Resources = maps.Clone(c.Resources)
	if c.Resources == nil {
		c.Resources = map[string]config.Resource{}
	}
	for _, t := range slices.Sorted(maps.Keys(names)) {
		r := c.Resources[t]
		r.Group, r.Kind, r.Plural = names[t].Group, names[t].Kind, names[t].plural
		c.Resources[t] = r
		kept = append(kept, fmt.Sprintf("spec.resources.%s: the kind remains %s of %s while objects of it exist", t, r.Kind, r.Group))
	}
	wanted := m
	if m, err = model.NewProvider(name, s, c); err != nil {
		return nil, nil, fmt.Errorf("the names of the kinds cannot change while objects of %s exist: %w", strings.Join(slices.Sorted(maps.Keys(names)), ", "), inSpec(err))
	}
	m.Renamed = wanted.Renamed
	return m, kept, nil
}

// oneVersion returns an error if a configuration asks for API versions: at run time the former ones are unknown.
func oneVersion(c config.Provider) error {
	refuse := func(r config.Resource, path ...string) error {
		switch {
		case r.Version != "":
			path = append(path, "version")
		case len(r.DroppedVersions) > 0:
			path = append(path, "droppedVersions")
		default:
			return nil
		}
		return config.At(errors.New("kinds that are served at run time have one API version, "+model.Version+"; to serve several, create a repository with landbridge init"), path...)
	}
	for i, o := range c.Overrides {
		if err := refuse(o.Resource, "overrides", strconv.Itoa(i)); err != nil {
			return err
		}
	}
	for _, t := range slices.Sorted(maps.Keys(c.Resources)) {
		if err := refuse(c.Resources[t], "resources", t); err != nil {
			return err
		}
	}
	return nil
}

// inSpec adds spec to the path of a mistake.
func inSpec(err error) error {
	var e *config.Error
	if errors.As(err, &e) {
		return config.At(e, "spec")
	}
	return err
}

// inCluster has a provider's CRDs in the cluster.
type inCluster struct {
	reader client.Reader
	// names has the resource types by the names of the CRDs. The type is "" for provider configurations.
	names map[string]string
}

type kindNames struct {
	kschema.GroupKind
	plural string
}

// group returns the group of the provider's kinds, if it differs from the model's and has objects. Otherwise it
// returns "".
func (c *inCluster) group(ctx context.Context, m *model.Provider) (string, error) {
	for _, name := range slices.Sorted(maps.Keys(c.names)) {
		_, group, _ := strings.Cut(name, ".")
		if c.names[name] != "" || group == m.Group {
			continue
		}
		// Resources refer to configurations of the group.
		for _, other := range slices.Sorted(maps.Keys(c.names)) {
			if _, g, _ := strings.Cut(other, "."); g != group {
				continue
			}
			if _, used, err := c.used(ctx, other); used || err != nil {
				return group, err
			}
		}
	}
	return "", nil
}

// kinds returns the names of the kinds that have objects, and whose names differ from the model's.
func (c *inCluster) kinds(ctx context.Context, m *model.Provider) (map[string]kindNames, error) {
	out := map[string]kindNames{}
	for _, name := range slices.Sorted(maps.Keys(c.names)) {
		t := c.names[name]
		r := m.Resources[t]
		if r == nil || r.CRDName() == name {
			continue
		}
		names, used, err := c.used(ctx, name)
		if err != nil {
			return nil, err
		}
		if other, ok := out[t]; used && ok {
			return nil, fmt.Errorf("%s and %s both have objects and are both kinds of %s: delete the objects of one of them", other.GroupKind, names.GroupKind, t)
		}
		if used {
			out[t] = names
		}
	}
	return out, nil
}

// used reports whether any object of a CRD's kind exists, and returns the names of the kind.
func (c *inCluster) used(ctx context.Context, name string) (names kindNames, used bool, err error) {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
	if err := c.reader.Get(ctx, client.ObjectKey{Name: name}, u); err != nil {
		return names, false, client.IgnoreNotFound(err)
	}
	field := func(path ...string) string {
		s, _, _ := unstructured.NestedString(u.Object, path...)
		return s
	}
	names = kindNames{kschema.GroupKind{Group: field("spec", "group"), Kind: field("spec", "names", "kind")}, field("spec", "names", "plural")}
	used, err = kinds.HasObjects(ctx, c.reader, kschema.GroupVersionKind{Group: names.Group, Version: model.Version, Kind: field("spec", "names", "listKind")})
	return names, used, err
}

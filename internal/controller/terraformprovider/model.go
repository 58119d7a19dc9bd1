package terraformprovider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/schema"
)

// Model returns the model of a TerraformProvider's kinds. Kinds that the cluster has keep their
// names, unless the spec has others; and even then while they have objects: kept has a message for
// each of these. Mistakes in the spec are *config.Error. name is the provider's own, such as
// random.
func Model(
	ctx context.Context, reader client.Reader, p *v1alpha1.TerraformProvider, name string, s *schema.Provider,
) (m *model.Provider, kept []string, err error) {
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
	have := &inCluster{reader: reader, types: map[string]string{}, marks: map[string]string{}, names: map[string]definedNames{}}
	for _, o := range crds {
		have.types[o.Name] = o.Annotations[v1alpha1.AnnotationResourceType]
		have.marks[o.Name] = o.Annotations[v1alpha1.AnnotationNames]
	}
	if err := have.read(ctx, p, s); err != nil {
		return nil, nil, fmt.Errorf("cannot read the names of the provider's kinds: %w", err)
	}
	known, err := have.known(p, m, c)
	if err != nil {
		return nil, nil, inSpec(err)
	}
	if m, err = model.KeepNames(name, s, c, known); err != nil {
		return nil, nil, inSpec(err)
	}
	group, err := have.group(ctx, m)
	if err != nil {
		return nil, nil, err
	}
	if group != "" {
		kept = append(kept, fmt.Sprintf("spec.group: the group remains %s while objects of it exist", group))
		c.Group = group
		if m, err = model.KeepNames(name, s, c, known); err != nil {
			return nil, nil, inSpec(err)
		}
	}
	names, err := have.held(ctx, m)
	if err != nil || len(names) == 0 {
		return m, kept, err
	}
	c.Resources, c.Names, known = maps.Clone(c.Resources), maps.Clone(c.Names), maps.Clone(known)
	if c.Resources == nil {
		c.Resources = map[string]config.Resource{}
	}
	for _, t := range slices.Sorted(maps.Keys(names)) {
		n := have.names[names[t]]
		kept = append(kept, fmt.Sprintf("%s: the kind remains %s of %s while objects of it exist", settingOf(c, t), n.Kind, groupOf(names[t])))
		known[t] = n.Names
		if m.ByAddress(t).Mode != model.Managed {
			delete(c.Names, t)
			continue
		}
		r := c.Resources[t]
		r.Group, r.Kind, r.Plural = groupOf(names[t]), n.Kind, n.Plural
		c.Resources[t] = r
	}
	wanted := m
	if m, err = model.KeepNames(name, s, c, known); err != nil {
		return nil, nil, fmt.Errorf("the names of the kinds cannot change while objects of %s exist: %w",
			strings.Join(slices.Sorted(maps.Keys(names)), ", "), inSpec(err))
	}
	for t := range names {
		m.ByAddress(t).Naming = model.NamesHeld
	}
	m.Renamed = wanted.Renamed
	return m, kept, nil
}

// oneVersion returns an error if a configuration asks for API versions: at run time the former ones
// are unknown.
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
		return config.At(errors.New("kinds that are served at run time have one API version, "+model.Version+
			"; to serve several, create a repository with landbridge init"), path...)
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
	// types has the resource types by the names of the CRDs, and marks the values of
	// AnnotationNames. The type is "" for provider configurations.
	types, marks map[string]string
	// names has the names of the kinds of resource types, by the names of the CRDs.
	names map[string]definedNames
}

// groupOf returns the group of a CRD.
func groupOf(name string) string {
	_, group, _ := strings.Cut(name, ".")
	return group
}

// group returns the group of the provider's kinds, if it differs from the model's and has objects.
// Otherwise it returns "".
func (c *inCluster) group(ctx context.Context, m *model.Provider) (string, error) {
	for _, name := range slices.Sorted(maps.Keys(c.types)) {
		group := groupOf(name)
		if c.types[name] != "" || group == m.Group {
			continue
		}
		// Resources refer to configurations of the group.
		for _, other := range slices.Sorted(maps.Keys(c.names)) {
			if _, of := model.ModeOf(groupOf(other)); of != group && groupOf(other) != group {
				continue
			}
			if used, err := c.used(ctx, other); used || err != nil {
				return group, err
			}
		}
	}
	return "", nil
}

// held returns the CRDs of the kinds that have objects, and that are named otherwise than in the
// model, by resource type.
func (c *inCluster) held(ctx context.Context, m *model.Provider) (map[string]string, error) {
	out := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(c.names)) {
		t := c.types[name]
		r := m.ByAddress(t)
		if r == nil || r.CRDName() == name && r.Kind == c.names[name].Kind {
			continue
		}
		used, err := c.used(ctx, name)
		if err != nil {
			return nil, err
		}
		if other, ok := out[t]; used && ok {
			return nil, fmt.Errorf("%s and %s both have objects and are both kinds of %s: delete the objects of one of them", other, name, t)
		}
		if used {
			out[t] = name
		}
	}
	return out, nil
}

// used reports whether any object of a CRD's kind exists.
func (c *inCluster) used(ctx context.Context, name string) (bool, error) {
	return kinds.HasObjects(ctx, c.reader, kschema.GroupVersionKind{
		Group: groupOf(name), Version: model.Version, Kind: c.names[name].Kind + "List",
	})
}

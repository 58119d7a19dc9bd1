package generator

import (
	"fmt"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/sync/errgroup"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/schema"
)

// Files maps slash-separated paths in the output directory to contents.
type Files map[string][]byte

// Output is the result of Provider.
type Output struct {
	Files Files
	// Renamed are the Go names that collided, in a fixed order.
	Renamed []model.Renamed
	// Large are the CRDs that are near a size limit, by resource type.
	Large map[string]*crd.Size
}

// reserved are the identifiers of every package besides its types.
var reserved = []string{"CRDGroup", "CRDVersion", "CRDGroupVersion", "SchemeBuilder", "AddToScheme"}

// Options of Provider.
type Options struct {
	// Module is the import path of the output directory.
	Module string
	// Dir is the output directory. API versions that were generated into it earlier are kept,
	// unless the configuration drops them. If it is empty, there are no earlier versions.
	Dir string
	// Examples also generates a manifest of each kind.
	Examples bool
	// Record is the schema that the model is made from. If set, config/zz_provider.go is generated
	// with its version and checksum, and config/zz_names.go with the names of kinds that keep other
	// names than they would get today.
	Record *schema.Record
}

// Provider generates everything for a provider.
func Provider(p *model.Provider, o Options) (*Output, error) {
	if err := module.CheckImportPath(o.Module); err != nil {
		return nil, fmt.Errorf("module: %w", err)
	}
	out := &Output{Files: Files{}}
	packages, err := packagesOf(p)
	if err != nil {
		return nil, err
	}
	if o.Record != nil {
		for _, of := range packages {
			for _, k := range of.kinds {
				k.configuration = o.Record.Examples[k.resource.Type]
			}
		}
	}
	configs := configKinds(p)
	if err := addFormers(o, p, packages, configs); err != nil {
		return nil, err
	}
	dirs := slices.Sorted(maps.Keys(packages))
	for _, dir := range dirs {
		of := packages[dir]
		own := configs
		if dir != packageDir(p.Group, p.Version) {
			own = nil
		}
		if err := out.addPackage(dir, of, own); err != nil {
			return nil, err
		}
	}
	if out.Files["apis/zz_register.go"], err = register(o.Module, dirs); err != nil {
		return nil, err
	}
	out.addConversionTest(packages)
	if err := out.addCRDs(packages, configs); err != nil {
		return nil, err
	}
	if o.Examples {
		if err := out.addExamples(p, packages, o.Dir, configs); err != nil {
			return nil, err
		}
	}
	if o.Record != nil {
		if err := out.addRecord(o.Record); err != nil {
			return nil, err
		}
		if err := out.addNames(o.Record.Provider, p); err != nil {
			return nil, err
		}
	}
	return out, out.addDocs(packages)
}

// goPackage is one Go package: the kinds of an API group in one version, sorted by resource type,
// and the kinds that had that version earlier.
type goPackage struct {
	group, version string
	kinds          []*kind
	former         []*former
}

// packagesOf returns the Go packages by their directories. Each version of an API group has one,
// named after the first label of the group. The package of the provider's own group always exists.
func packagesOf(p *model.Provider) (map[string]*goPackage, error) {
	out := map[string]*goPackage{packageDir(p.Group, p.Version): {group: p.Group, version: p.Version}}
	for _, t := range slices.Sorted(maps.Keys(p.Resources)) {
		r := p.Resources[t]
		of, err := packageOf(out, r.Group, r.Version)
		if err != nil {
			return nil, fmt.Errorf("resources.%s.group: %w", t, err)
		}
		r.Triggers = false // programs for one provider serve no actions
		d, leftOut, err := crd.Fit(r)
		if err != nil {
			return nil, err
		}
		of.kinds = append(of.kinds, &kind{resource: r, crd: d, leftOut: leftOut})
	}
	return out, nil
}

func packageOf(all map[string]*goPackage, group, version string) (*goPackage, error) {
	dir := packageDir(group, version)
	of := all[dir]
	if of == nil {
		of = &goPackage{group: group, version: version}
		all[dir] = of
	}
	if of.group != group {
		return nil, fmt.Errorf("the groups %s and %s have the same Go package %s: choose groups with "+
			"different first labels", of.group, group, dir)
	}
	return of, nil
}

// addFormers adds the earlier versions of kinds.
func addFormers(o Options, p *model.Provider, packages map[string]*goPackage, configs []*configKind) error {
	if o.Dir == "" {
		return nil
	}
	earlier, err := generatedCRDs(o.Dir)
	if err != nil {
		return err
	}
	add := func(d *apiextensionsv1.CustomResourceDefinition, dropped []string, setting string, names map[string][]string) error {
		all, err := history{
			dir: o.Dir, earlier: earlier[d.Name], dropped: dropped, setting: setting, names: names, service: service(o.Module, p),
		}.addTo(d)
		for _, f := range all {
			of, err := packageOf(packages, d.Spec.Group, f.version)
			if err != nil {
				return err
			}
			f.of = d.Annotations[v1alpha1.AnnotationResourceType]
			of.former = append(of.former, f)
		}
		return err
	}
	for _, c := range configs {
		if err := add(c.crd, p.Dropped, "droppedVersions", nil); err != nil {
			return err
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		for _, k := range packages[dir].kinds {
			names, err := formerNames(k.resource)
			if err == nil {
				err = add(k.crd, k.resource.Dropped, "resources."+k.resource.Type+".droppedVersions", names)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func packageDir(group, version string) string {
	label, _, _ := strings.Cut(group, ".")
	return path.Join("apis", label, version)
}

func (o *Output) addPackage(dir string, of *goPackage, configs []*configKind) error {
	names := scope{}
	for _, name := range reserved {
		names[name] = true
	}
	kinds := of.kinds
	var registered []registration
	for _, f := range of.former {
		types, err := declared(f.file, f.source)
		if err != nil {
			return err
		}
		for _, name := range types {
			names[name] = true
		}
		registered = append(registered, registration{f.of, f.kind, f.listKind})
		o.Files[f.file] = f.source
	}
	for _, c := range configs {
		name := c.crd.Spec.Names.Kind
		names[name], names[name+"List"] = true, true
		registered = append(registered, registration{"", name, name + "List"})
	}
	for _, k := range kinds {
		for _, name := range []string{k.resource.Kind, k.resource.ListKind} {
			if names[name] {
				return fmt.Errorf("resources.%s.kind: %s is taken in the Go package %s: give it another name", k.resource.Type, name, dir)
			}
			names[name] = true
		}
		registered = append(registered, registration{k.resource.Type, k.resource.Kind, k.resource.ListKind})
	}
	// The names of all kinds' own types are claimed before those of nested types.
	for _, c := range configs {
		c.types = &types{of: c.crd.Spec.Names.Kind, scope: names, fields: map[*model.Fields]map[*model.Field]fieldName{}}
		c.spec = c.types.claim(c.types.of + "Spec")
	}
	for _, k := range kinds {
		k.types = &types{of: k.resource.Type, scope: names, fields: map[*model.Fields]map[*model.Field]fieldName{}}
		k.claim()
	}
	for _, c := range configs {
		if err := c.declare(); err != nil {
			return fmt.Errorf("%s: %w", c.types.of, err)
		}
		o.Renamed = append(o.Renamed, c.types.renamed...)
	}
	for _, k := range kinds {
		if err := k.declare(); err != nil {
			return fmt.Errorf("%s: %w", k.resource.Type, err)
		}
		o.Renamed = append(o.Renamed, k.types.renamed...)
	}

	err := each(kinds, func(k *kind) (string, []byte, error) {
		source, err := k.source()
		return path.Join(dir, typesFile(k.resource.Singular)), source, err
	}, o.Files)
	if err != nil {
		return err
	}
	for _, c := range configs {
		if o.Files[path.Join(dir, typesFile(c.crd.Spec.Names.Singular))], err = c.source(); err != nil {
			return err
		}
	}
	o.Files[path.Join(dir, "zz_groupversion_info.go")], err = groupVersion(of.group, of.version, registered)
	return err
}

// registration is a kind of a package with its list kind, and its resource type.
type registration struct{ of, kind, listKind string }

// each makes and adds a file for each element, concurrently.
func each[T any](all []T, file func(T) (name string, content []byte, err error), to Files) error {
	names, contents := make([]string, len(all)), make([][]byte, len(all))
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	for i, one := range all {
		work.Go(func() (err error) {
			names[i], contents[i], err = file(one)
			return err
		})
	}
	if err := work.Wait(); err != nil {
		return err
	}
	for i, name := range names {
		to[name] = contents[i]
	}
	return nil
}

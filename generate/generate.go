package generate

import (
	"fmt"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/sync/errgroup"

	"github.com/landbridge-io/landbridge/crd"
	"github.com/landbridge-io/landbridge/model"
	"github.com/landbridge-io/landbridge/schema"
)

// Files are contents by path below the output directory, with slashes.
type Files map[string][]byte

// Output is what is generated from a provider.
type Output struct {
	Files Files
	// Renamed says which Go names are not the natural ones because those were taken, in a fixed order.
	Renamed []model.Renamed
	// Large are the CRDs that are near a limit of size, by resource type.
	Large map[string]*crd.Size
}

// reserved are the names that every package has besides its types.
var reserved = []string{"CRDGroup", "CRDVersion", "CRDGroupVersion", "SchemeBuilder", "AddToScheme"}

// Options are what the model does not say.
type Options struct {
	// Module is the import path of the output directory.
	Module string
	// Examples asks for a manifest of each kind as well.
	Examples bool
	// Record, unless it is nil, is the schema that the model is made of: config/zz_provider.go says which
	// one it is.
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
	dirs := slices.Sorted(maps.Keys(packages))
	for _, dir := range dirs {
		if err := out.addPackage(dir, p, packages[dir]); err != nil {
			return nil, err
		}
	}
	if out.Files["apis/zz_register.go"], err = register(o.Module, dirs); err != nil {
		return nil, err
	}
	if err := out.addCRDs(p, packages); err != nil {
		return nil, err
	}
	if o.Examples {
		if err := out.addExamples(p, packages); err != nil {
			return nil, err
		}
	}
	if o.Record != nil {
		if err := out.addRecord(o.Record); err != nil {
			return nil, err
		}
	}
	return out, out.addDocs(packages)
}

// packagesOf are the kinds of each Go package, sorted by resource type. There is one package for
// each API group, at the first label of its name; that of the provider's own is there in any case.
func packagesOf(p *model.Provider) (map[string][]*kind, error) {
	own := packageDir(p.Group, p.Version)
	groups := map[string]string{own: p.Group}
	out := map[string][]*kind{own: nil}
	for _, t := range slices.Sorted(maps.Keys(p.Resources)) {
		r := p.Resources[t]
		dir := packageDir(r.Group, r.Version)
		if other, ok := groups[dir]; ok && other != r.Group {
			return nil, fmt.Errorf("resources.%s.group: the groups %s and %s would both be the Go package %s: let them begin differently", t, other, r.Group, dir)
		}
		groups[dir] = r.Group
		d, leftOut, err := crd.Fit(r)
		if err != nil {
			return nil, err
		}
		out[dir] = append(out[dir], &kind{resource: r, crd: d, leftOut: leftOut})
	}
	return out, nil
}

func packageDir(group, version string) string {
	label, _, _ := strings.Cut(group, ".")
	return path.Join("apis", label, version)
}

func (o *Output) addPackage(dir string, p *model.Provider, kinds []*kind) error {
	names := scope{}
	for _, name := range reserved {
		names[name] = true
	}
	group, version := p.Group, p.Version
	var configs []*configKind
	var registered []string
	if dir == packageDir(group, version) {
		configs = configKinds(p)
	} else {
		group, version = kinds[0].resource.Group, kinds[0].resource.Version
	}
	for _, c := range configs {
		name := c.crd.Spec.Names.Kind
		names[name], names[name+"List"] = true, true
		registered = append(registered, name)
	}
	for _, k := range kinds {
		for _, name := range []string{k.resource.Kind, k.resource.ListKind} {
			if names[name] {
				return fmt.Errorf("resources.%s.kind: %s is taken in the Go package %s: give it another name", k.resource.Type, name, dir)
			}
			names[name] = true
		}
		registered = append(registered, k.resource.Kind)
	}
	// All kinds' own types come before anything nested, so that a long path never takes their names.
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
		return path.Join(dir, "zz_"+k.resource.Singular+"_types.go"), source, err
	}, o.Files)
	if err != nil {
		return err
	}
	for _, c := range configs {
		if o.Files[path.Join(dir, "zz_"+c.crd.Spec.Names.Singular+"_types.go")], err = c.source(); err != nil {
			return err
		}
	}
	registration, err := groupVersion(group, version, registered)
	if err != nil {
		return err
	}
	o.Files[path.Join(dir, "zz_groupversion_info.go")] = registration
	return nil
}

// each makes a file of everything, on all processors, and adds them.
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

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
		if err := out.addPackage(dir, packages[dir]); err != nil {
			return nil, err
		}
	}
	if out.Files["apis/zz_register.go"], err = register(o.Module, dirs); err != nil {
		return nil, err
	}
	if err := out.addCRDs(p, packages); err != nil {
		return nil, err
	}
	return out, out.addDocs(packages)
}

// packagesOf are the kinds of each Go package, sorted by resource type. There is one package for
// each API group, at the first label of its name.
func packagesOf(p *model.Provider) (map[string][]*kind, error) {
	groups := map[string]string{}
	out := map[string][]*kind{}
	for _, t := range slices.Sorted(maps.Keys(p.Resources)) {
		r := p.Resources[t]
		label, _, _ := strings.Cut(r.Group, ".")
		dir := path.Join("apis", label, r.Version)
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

func (o *Output) addPackage(dir string, kinds []*kind) error {
	names := scope{}
	for _, name := range reserved {
		names[name] = true
	}
	for _, k := range kinds {
		for _, name := range []string{k.resource.Kind, k.resource.ListKind} {
			if names[name] {
				return fmt.Errorf("resources.%s.kind: %s is taken in the Go package %s: give it another name", k.resource.Type, name, dir)
			}
			names[name] = true
		}
	}
	// All kinds' own types come before anything nested, so that a long path never takes their names.
	for _, k := range kinds {
		k.types = &types{resource: k.resource, scope: names, fields: map[*model.Fields]map[*model.Field]fieldName{}}
		k.claim()
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
	registration, err := groupVersion(kinds[0].resource.Group, kinds[0].resource.Version, kinds)
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

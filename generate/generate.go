package generate

import (
	"fmt"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"

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
}

// reserved are the names that every package has besides its types.
var reserved = []string{"CRDGroup", "CRDVersion", "CRDGroupVersion", "SchemeBuilder", "AddToScheme"}

// Provider generates everything for a provider.
func Provider(p *model.Provider) (*Output, error) {
	out := &Output{Files: Files{}}
	packages, err := packagesOf(p)
	if err != nil {
		return nil, err
	}
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		if err := out.addPackage(dir, packages[dir]); err != nil {
			return nil, err
		}
	}
	return out, nil
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
		d, err := crd.Resource(r)
		if err != nil {
			return nil, err
		}
		out[dir] = append(out[dir], &kind{resource: r, crd: d})
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

	sources := make([][]byte, len(kinds))
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	for i, k := range kinds {
		work.Go(func() (err error) {
			sources[i], err = k.source()
			return err
		})
	}
	if err := work.Wait(); err != nil {
		return err
	}
	for i, k := range kinds {
		o.Files[path.Join(dir, "zz_"+k.resource.Singular+"_types.go")] = sources[i]
	}
	registration, err := groupVersion(kinds[0].resource.Group, kinds[0].resource.Version, kinds)
	if err != nil {
		return err
	}
	o.Files[path.Join(dir, "zz_groupversion_info.go")] = registration
	return nil
}

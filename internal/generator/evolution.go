package generator

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/version"

	"github.com/landbridge-io/landbridge/internal/evolution"
)

// crdsDir is the directory of CRDs.
const crdsDir = "package/crds"

// Compare returns the changes of files to the kinds that were generated into a directory before. It
// compares CustomResourceDefinitions. If nothing was generated before, there are no changes.
// Changes in a new API version of a kind are accepted, and so are versions that the configuration
// drops.
func Compare(dir string, files Files) (evolution.Report, error) {
	earlier, err := generatedCRDs(dir)
	if err != nil || len(earlier) == 0 {
		return evolution.Report{}, err
	}
	old, new := map[string]*definition{}, map[string]*definition{}
	for _, d := range earlier {
		if err := addDefinition(old, d); err != nil {
			return evolution.Report{}, err
		}
	}
	for name, raw := range files {
		if path.Dir(name) != crdsDir {
			continue
		}
		d, err := readCRD(name, raw)
		if err == nil {
			err = addDefinition(new, d)
		}
		if err != nil {
			return evolution.Report{}, err
		}
	}
	var out evolution.Report
	all := maps.Clone(old)
	maps.Copy(all, new)
	for _, t := range slices.Sorted(maps.Keys(all)) {
		out.Changes = append(out.Changes, changes(old[t], new[t])...)
	}
	return out, nil
}

// definition is a kind with all its API versions.
type definition struct {
	name string
	// stored is the kind in its storage version.
	stored   *evolution.Kind
	versions map[string]*evolution.Kind
}

// addDefinition adds a definition under its resource type.
func addDefinition(to map[string]*definition, d *apiextensionsv1.CustomResourceDefinition) error {
	out := &definition{name: d.Name, versions: map[string]*evolution.Kind{}}
	for _, v := range d.Spec.Versions {
		k, err := evolution.FromDefinition(d, v.Name)
		if err != nil {
			return err
		}
		out.versions[v.Name] = k
		if v.Storage {
			out.stored = k
		}
	}
	if out.stored == nil {
		return fmt.Errorf("%s: no version is stored", d.Name)
	}
	// The two kinds of a provider's configuration differ only in scope.
	if out.stored.ResourceType == "" && d.Spec.Scope == apiextensionsv1.ClusterScoped {
		return nil
	}
	to[out.stored.ResourceType] = out
	return nil
}

// changes returns the differences between the old and the new definition of a kind.
func changes(old, new *definition) []evolution.Change {
	switch {
	case old == nil:
		return evolution.CompareKind(nil, new.stored)
	case new == nil:
		return evolution.CompareKind(old.stored, nil)
	case old.name != new.name: // another API
		return evolution.CompareKind(old.stored, new.stored)
	}
	var out []evolution.Change
	about := evolution.Change{ResourceType: new.stored.ResourceType, Kind: new.stored.Kind}
	stored := new.stored.Version
	if old.versions[stored] == nil {
		accepted := "is in the new API version " + stored
		if new.versions[old.stored.Version] == nil {
			accepted = "" // the old version is no longer served
		}
		added := about
		added.Change, added.New, added.Verdict = evolution.VersionAdded, stored, evolution.InPlace
		added.Note = "objects are stored in it, and converted"
		out = append(out, added)
		for _, c := range evolution.CompareKind(old.stored, new.stored) {
			c.Accepted = accepted
			out = append(out, c)
		}
	}
	for _, v := range slices.SortedFunc(maps.Keys(old.versions), version.CompareKubeAwareVersionStrings) {
		if k := new.versions[v]; k != nil {
			out = append(out, evolution.CompareKind(old.versions[v], k)...)
			continue
		}
		if v == old.stored.Version {
			continue // it was compared with the new storage version
		}
		dropped := about
		dropped.Change, dropped.Old, dropped.Verdict = evolution.VersionDropped, v, evolution.ByHand
		dropped.Accepted = "is dropped in the configuration"
		dropped.Note = "manifests of it are refused from now on"
		out = append(out, dropped)
	}
	return out
}

// Refuse returns an error if changes break manifests or programs of users. The error lists these
// changes and the alternatives; option is the option that allows them.
func Refuse(changes evolution.Report, option string) error {
	breaking := changes.Needing()
	if len(breaking.Changes) == 0 {
		return nil
	}
	var b strings.Builder
	if err := breaking.Text(&b); err != nil {
		return err
	}
	return fmt.Errorf("nothing is written: manifests and programs made for the kinds as they are would not work any more.\n%s"+
		"In the configuration, version gives a kind another API version: the one before stays served beside it, and objects are converted. "+
		"fields.X.name keeps the name of a field, and fields.X.type its type. If what changes is not used: %s", b.String(), option)
}

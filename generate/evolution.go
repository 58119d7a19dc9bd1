package generate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/evolution"
)

// crdsDir is where CRDs are.
const crdsDir = "package/crds"

// Compare says what files change in the kinds that were generated into a directory before, as far as
// CustomResourceDefinitions tell. Where nothing was generated, nothing changes.
func Compare(dir string, files Files) (evolution.Report, error) {
	old, new := map[string]*evolution.Kind{}, map[string]*evolution.Kind{}
	found, err := os.ReadDir(filepath.Join(dir, filepath.FromSlash(crdsDir)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return evolution.Report{}, err
	}
	for _, f := range found {
		name := path.Join(crdsDir, f.Name())
		if f.IsDir() || path.Ext(name) != ".yaml" {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return evolution.Report{}, err
		}
		if !generated(raw) {
			continue // somebody else's
		}
		if err := addKind(old, name, raw); err != nil {
			return evolution.Report{}, err
		}
	}
	if len(old) == 0 {
		return evolution.Report{}, nil
	}
	for name, raw := range files {
		if path.Dir(name) == crdsDir {
			if err := addKind(new, name, raw); err != nil {
				return evolution.Report{}, err
			}
		}
	}
	return evolution.CompareKinds(old, new), nil
}

func addKind(to map[string]*evolution.Kind, name string, raw []byte) error {
	d := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal(raw, d); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for _, v := range d.Spec.Versions {
		if !v.Storage {
			continue
		}
		k, err := evolution.FromDefinition(d, v.Name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		key := k.ResourceType
		if key == "" {
			// A provider has two kinds of configurations, which differ in scope alone.
			if d.Spec.Scope == apiextensionsv1.ClusterScoped {
				return nil
			}
		}
		to[key] = k
	}
	return nil
}

// Refuse is an error if changes break what users have written for the kinds; it says which ones, and the ways out.
// option is what lets them happen all the same.
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
		"In the configuration, fields.X.name keeps the name of a field, and fields.X.type its type. If nobody uses what changes: %s", b.String(), option)
}

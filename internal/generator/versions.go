package generator

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/evolution"
	"github.com/landbridge-io/landbridge/internal/model"
)

// former is a kind in an earlier API version that stays served. Its Go types stay as they were
// generated.
type former struct {
	of, kind, listKind, version string // of is the resource type
	file                        string
	source                      []byte
}

// storageVersion is the marker of the types of the version in which objects are stored.
const storageVersion = "+kubebuilder:storageversion"

// selectableField is the beginning of the marker of a field that field selectors can use.
const selectableField = "+kubebuilder:selectablefield:JSONPath="

// history has the earlier versions of a kind.
type history struct {
	// dir has the Go types of earlier versions. earlier is the definition in dir, or nil.
	dir     string
	earlier *apiextensionsv1.CustomResourceDefinition
	// dropped are the versions that are no longer served. setting is the path of the setting that
	// drops them.
	dropped []string
	setting string
	// names are the former names of fields, by their paths.
	names map[string][]string
	// service converts objects.
	service crd.Service
}

// addTo adds earlier versions to a definition with one version, except for dropped ones.
func (h history) addTo(d *apiextensionsv1.CustomResourceDefinition) ([]*former, error) {
	if h.earlier == nil {
		return nil, nil
	}
	own := d.Spec.Versions[0].Name
	var keep []string
	for _, v := range h.earlier.Spec.Versions {
		switch {
		case v.Name == own:
		case slices.Contains(h.dropped, v.Name):
			if v.Storage {
				return nil, fmt.Errorf("%s: objects of the version %s of the kind %s may be stored: publish the "+
					"kind with both versions first, so that programs store them in %s",
					h.setting, v.Name, d.Spec.Names.Kind, own)
			}
		default:
			keep = append(keep, v.Name)
		}
	}
	if len(keep) == 0 {
		return nil, nil
	}
	if err := crd.AddFormer(d, h.earlier, keep, h.service); err != nil {
		return nil, err
	}
	if err := annotateFormerNames(d, h.earlier, keep, h.names); err != nil {
		return nil, err
	}
	var out []*former
	for _, v := range keep {
		f := &former{
			kind: d.Spec.Names.Kind, listKind: d.Spec.Names.ListKind, version: v,
			file: path.Join(packageDir(d.Spec.Group, v), typesFile(d.Spec.Names.Singular)),
		}
		raw, err := os.ReadFile(filepath.Join(h.dir, filepath.FromSlash(f.file)))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s is missing, which has the Go types of the version %s: restore it, or drop "+
				"the version with droppedVersions", f.file, v)
		} else if err != nil {
			return nil, err
		}
		f.source = unmarked(raw)
		out = append(out, f)
	}
	return out, nil
}

func typesFile(singular string) string { return "zz_" + singular + "_types.go" }

// unmarked returns the Go types of a kind without the marker of the storage version, and without
// those of selectable fields, which only the storage version has.
func unmarked(source []byte) []byte {
	lines := strings.SplitAfter(string(source), "\n")
	lines = slices.DeleteFunc(lines, func(line string) bool {
		marker := strings.TrimPrefix(strings.TrimSpace(line), "// ")
		return marker == storageVersion || strings.HasPrefix(marker, selectableField)
	})
	return []byte(strings.Join(lines, ""))
}

// annotateFormerNames annotates a definition with the names of fields in earlier versions.
func annotateFormerNames(d, earlier *apiextensionsv1.CustomResourceDefinition, keep []string, own map[string][]string) error {
	all := map[string]map[string][]string{}
	if text := earlier.Annotations[evolution.AnnotationFormerNames]; text != "" {
		if err := json.Unmarshal([]byte(text), &all); err != nil {
			return fmt.Errorf("%s: the annotation %s: %w", d.Name, evolution.AnnotationFormerNames, err)
		}
	}
	for v := range all {
		if !slices.Contains(keep, v) {
			delete(all, v)
		}
	}
	if len(own) > 0 {
		all[d.Spec.Versions[0].Name] = own
	}
	if len(all) == 0 {
		return nil
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	if d.Annotations == nil {
		d.Annotations = map[string]string{}
	}
	d.Annotations[evolution.AnnotationFormerNames] = string(text)
	return nil
}

// formerNames returns the earlier names of fields of a resource type's kind.
func formerNames(r *model.Resource) (map[string][]string, error) {
	k, err := evolution.FromResource(r)
	if err != nil {
		return nil, err
	}
	return k.FormerNames(), nil
}

// declared returns the names of the types in a Go file.
func declared(name string, source []byte) ([]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE {
			continue
		}
		for _, s := range g.Specs {
			out = append(out, s.(*ast.TypeSpec).Name.Name)
		}
	}
	return out, nil
}

// service returns the default Service of a repository's program.
func service(importPath string, p *model.Provider) crd.Service {
	name := path.Base(importPath)
	if len(validation.IsDNS1035Label(name)) > 0 {
		name = "provider-" + p.Name
	}
	return crd.Service{Namespace: "landbridge-system", Name: name}
}

// generatedCRDs returns the definitions that were generated into a directory before, by name.
func generatedCRDs(dir string) (map[string]*apiextensionsv1.CustomResourceDefinition, error) {
	found, err := os.ReadDir(filepath.Join(dir, filepath.FromSlash(crdsDir)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	out := map[string]*apiextensionsv1.CustomResourceDefinition{}
	for _, f := range found {
		name := path.Join(crdsDir, f.Name())
		if f.IsDir() || path.Ext(name) != ".yaml" {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		if !generated(raw) {
			continue // not a generated definition
		}
		d, err := readCRD(name, raw)
		if err != nil {
			return nil, err
		}
		out[d.Name] = d
	}
	return out, nil
}

func readCRD(name string, raw []byte) (*apiextensionsv1.CustomResourceDefinition, error) {
	d := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal(raw, d); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return d, nil
}

// addFormerExample keeps the example of a kind in an earlier version, if there is one.
func (o *Output) addFormerExample(dir, file, group, version string) error {
	kept := strings.TrimSuffix(file, ".yaml") + "_" + version + ".yaml"
	for _, name := range []string{file, kept} {
		raw, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return err
		}
		if generated(raw) && strings.Contains(string(raw), "\napiVersion: "+group+"/"+version+"\n") {
			o.Files[kept] = raw
			return nil
		}
	}
	return nil
}

// addConversionTest adds the test of conversions, if there are any.
func (o *Output) addConversionTest(packages map[string]*goPackage) {
	for _, of := range packages {
		if len(of.former) > 0 {
			o.Files["apis/zz_conversion_test.go"] = []byte(conversionTest)
			return
		}
	}
}

const conversionTest = header + `

package apis_test

import (
	"testing"

	"github.com/landbridge-io/landbridge/generate/generatetest"
)

// Objects of kinds with several API versions can be shown in each, and lose nothing by it.
func TestConversions(t *testing.T) {
	generatetest.Conversions(t, "../package/crds")
}

func FuzzConversions(f *testing.F) {
	generatetest.FuzzConversions(f, "../package/crds")
}
`

package generatetest

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/internal/crd/validation"
)

// Examples tests that the API server would accept all manifests in and below a directory, with the
// CRDs in another, and that each kind of resource has one.
func Examples(t *testing.T, crds, examples string) {
	t.Helper()
	kinds := readCRDs(t, crds)
	missing := map[schema.GroupVersionKind]bool{}
	for kind, d := range kinds {
		missing[kind] = resourceType(d) != "" && storageVersion(d) == kind.Version
	}
	for file, objects := range readManifests(t, examples) {
		for _, u := range objects {
			kind := u.GroupVersionKind()
			delete(missing, kind)
			switch d := kinds[kind]; {
			case d != nil:
				validate(t, file, u, version(d, kind.Version))
			case kind == corev1.SchemeGroupVersion.WithKind("Secret"):
				raw, err := u.MarshalJSON()
				if err == nil {
					err = yaml.UnmarshalStrict(raw, &corev1.Secret{})
				}
				if err != nil {
					t.Errorf("%s: %v", file, err)
				}
			default:
				t.Errorf("%s: there is no CRD for a %s of %s", file, kind.Kind, kind.GroupVersion())
			}
		}
	}
	for kind, no := range missing {
		if no {
			t.Errorf("%s: there is no example of a %s", examples, kind.Kind)
		}
	}
}

// readManifests returns the objects of all files in and below a directory, by file.
func readManifests(t testing.TB, dir string) map[string][]*unstructured.Unstructured {
	t.Helper()
	out := map[string][]*unstructured.Unstructured{}
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(file) != ".yaml" {
			return err
		}
		out[file], err = readManifest(file)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func readManifest(file string) ([]*unstructured.Unstructured, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out []*unstructured.Unstructured
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(raw), 4096)
	for {
		u := &unstructured.Unstructured{}
		if err := decoder.Decode(u); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, &fs.PathError{Op: "read", Path: file, Err: err}
		}
		if len(u.Object) > 0 {
			out = append(out, u)
		}
	}
}

// validate validates an object as the API server does.
func validate(t *testing.T, file string, u *unstructured.Unstructured, props *apiextensionsv1.JSONSchemaProps) {
	t.Helper()
	s, err := validation.New(props)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := u.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	_, errs := s.Create(t.Context(), raw)
	for _, err := range errs {
		t.Errorf("%s: %s", file, err)
	}
}

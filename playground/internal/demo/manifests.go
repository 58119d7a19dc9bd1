package demo

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// ExamplesDir is the directory of files in the example manifests.
const ExamplesDir = "/tmp/landbridge-demo"

// WriteManifests copies the manifests in a file to another one. It replaces the directory of the
// examples with dir.
func WriteManifests(from, to, dir string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return os.WriteFile(to, bytes.ReplaceAll(content, []byte(ExamplesDir), []byte(dir)), 0o600)
}

// Manifests reads the objects in a file. It replaces the directory of the
// examples with dir.
func Manifests(path, dir string) ([]*unstructured.Unstructured, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return decode(bytes.ReplaceAll(content, []byte(ExamplesDir), []byte(dir)), path)
}

// decode returns the objects in the content of a file.
func decode(content []byte, path string) ([]*unstructured.Unstructured, error) {
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), 4096)
	var objects []*unstructured.Unstructured
	for {
		u := &unstructured.Unstructured{}
		err := decoder.Decode(&u.Object)
		switch {
		case errors.Is(err, io.EOF):
			if len(objects) == 0 {
				return nil, fmt.Errorf("%s holds no objects", path)
			}
			return objects, nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w", path, err)
		case len(u.Object) > 0:
			objects = append(objects, u)
		}
	}
}

// find returns the object of that kind and name.
func find(objects []*unstructured.Unstructured, kind, name string) (*unstructured.Unstructured, error) {
	for _, u := range objects {
		if u.GetKind() == kind && u.GetName() == name {
			return u, nil
		}
	}
	return nil, fmt.Errorf("the example manifests have no %s %s", kind, name)
}

package demo

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// examplesDir is the directory of files in the example manifests.
const examplesDir = "/tmp/landbridge-demo"

// Manifests reads the objects in a file. It replaces the directory of the
// examples with dir.
func Manifests(path, dir string) ([]*unstructured.Unstructured, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(bytes.ReplaceAll(content, []byte(examplesDir), []byte(dir))), 4096)
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

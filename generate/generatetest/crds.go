package generatetest

import (
	"os"
	"path/filepath"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// readCRDs returns the CRDs in a directory by kind. There must be at least one.
func readCRDs(t testing.TB, dir string) map[schema.GroupVersionKind]*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[schema.GroupVersionKind]*apiextensionsv1.CustomResourceDefinition{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		d := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(raw, d); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, v := range d.Spec.Versions {
			out[schema.GroupVersionKind{Group: d.Spec.Group, Version: v.Name, Kind: d.Spec.Names.Kind}] = d
		}
	}
	if len(out) == 0 {
		t.Fatalf("there are no CRDs in %s: run make generate", dir)
	}
	return out
}

// version returns the schema of one version of a kind.
func version(d *apiextensionsv1.CustomResourceDefinition, name string) *apiextensionsv1.JSONSchemaProps {
	for _, v := range d.Spec.Versions {
		if v.Name == name {
			return v.Schema.OpenAPIV3Schema
		}
	}
	return nil
}

// storageVersion returns the version of a kind in which objects are stored.
func storageVersion(d *apiextensionsv1.CustomResourceDefinition) string {
	for _, v := range d.Spec.Versions {
		if v.Storage {
			return v.Name
		}
	}
	return ""
}

// resourceType returns Terraform's name of the resource type of a kind. It is empty for kinds of
// the provider's configuration.
func resourceType(d *apiextensionsv1.CustomResourceDefinition) string {
	return d.Annotations[v1alpha1.AnnotationResourceType]
}

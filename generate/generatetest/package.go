package generatetest

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	pkgmetav1 "github.com/crossplane/crossplane/apis/v2/pkg/meta/v1"
	"sigs.k8s.io/yaml"
)

// Package tests the metadata of a Crossplane package in a directory: crossplane.yaml describes a
// provider that can start before its CRDs exist.
func Package(t *testing.T, dir string) {
	t.Helper()
	file := filepath.Join(dir, "crossplane.yaml")
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p := &pkgmetav1.Provider{}
	if err := yaml.UnmarshalStrict(raw, p); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if p.GroupVersionKind() != pkgmetav1.ProviderGroupVersionKind {
		t.Errorf("%s: it is a %s, not a %s", file, p.GroupVersionKind(), pkgmetav1.ProviderGroupVersionKind)
	}
	if p.Name == "" {
		t.Errorf("%s: metadata.name is missing", file)
	}
	if !slices.Contains(p.Spec.Capabilities, pkgmetav1.ProviderCapabilitySafeStart) {
		t.Errorf("%s: spec.capabilities do not have %s", file, pkgmetav1.ProviderCapabilitySafeStart)
	}
}

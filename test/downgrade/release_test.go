package downgrade_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// release is a program with the manifests that install it.
type release struct {
	name, binary string
	// dir is that of its source.
	dir   string
	flags []string
}

// thisRelease is the checkout. Its grace period is short, since the cloud shows objects at once.
func thisRelease(t *testing.T) *release {
	t.Helper()
	root, err := testbin.Root()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := testbin.Build(t.Context(), testbin.Landbridge)
	if err != nil {
		t.Fatal(err)
	}
	return &release{name: "this release", binary: binary, dir: root, flags: []string{"--creation-grace-period=5s", "--destroys-per-minute=0"}}
}

// formerRelease is the release before this one.
func formerRelease(t *testing.T) *release {
	t.Helper()
	content, err := os.ReadFile("former")
	if err != nil {
		t.Fatal(err)
	}
	version, revision, ok := strings.Cut(strings.TrimSpace(string(content)), " ")
	if !ok {
		t.Fatalf("the file former is to have a version, a space, and its commit or tag, not %q", content)
	}
	if *formerFlag != "" {
		version, revision = *formerFlag, *formerFlag
	}
	tree, err := testbin.Checkout(t.Context(), revision)
	if err != nil {
		t.Fatal(err)
	}
	binary, err := tree.Build(t.Context(), testbin.Landbridge)
	if err != nil {
		t.Fatal(err)
	}
	return &release{name: version, binary: binary, dir: tree.Dir}
}

// manifests returns the files with CRDs and permissions of an installation in all namespaces.
func (r *release) manifests(t *testing.T) []string {
	t.Helper()
	permissions := []string{filepath.Join(r.dir, "deploy", "rbac", "controller.yaml")} // which has the namespace of others
	for _, pattern := range []string{"chart/crds/*.yaml", "rbac/*.yaml"} {
		files, err := filepath.Glob(filepath.Join(r.dir, "deploy", filepath.FromSlash(pattern)))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has no %s: %v", r.dir, pattern, err)
		}
		permissions = append(permissions, files...)
	}
	return slices.DeleteFunc(permissions, func(file string) bool { return filepath.Base(file) == "one-namespace.yaml" })
}

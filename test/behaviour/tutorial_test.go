package behaviour_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/doctest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// TestTutorial runs the commands of docs/identity.md.
func TestTutorial(t *testing.T) {
	t.Parallel()
	root, err := testbin.Root()
	if err != nil {
		t.Fatal(err)
	}
	kubectl, err := testbin.Build(t.Context(), testbin.Kubectl)
	if err != nil {
		t.Fatal(err)
	}
	// The page's commands run in a temporary directory instead of a checkout, because they create
	// files.
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(root, "bin"), filepath.Join(dir, "bin")); err != nil {
		t.Fatal(err)
	}
	address := clustertest.FreeAddress(t) // the page's address may be in use
	doctest.Test(t, filepath.Join(root, "docs", "identity.md"), doctest.Options{
		Dir: dir,
		Env: []string{"PATH=" + filepath.Dir(kubectl) + ":" + os.Getenv("PATH")},
		Replace: map[string]string{
			"make bin/landbridge":            "make -s -C " + root + " bin/landbridge",
			"bin/examplecloud/examplecloud ": "bin/examplecloud/examplecloud --addr " + address + " ",
			"127.0.0.1:8480":                 address,
		},
		Patterns: map[string]string{"<age>": `[0-9]+[smh]([0-9]+s)?`},
	})
}

package generate_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/testing/doctest"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// The page on generated code is executed and must match.
func TestGeneratePage(t *testing.T) {
	landbridge, err := testbin.Build(t.Context(), testbin.Landbridge)
	if err != nil {
		t.Fatal(err)
	}
	dir := module(t)
	file := filepath.Join(dir, "go.mod")
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file,
		[]byte(strings.Replace(string(raw), "module generated.example.org", "module example.org/provider", 1)),
		0o644); err != nil {
		t.Fatal(err)
	}
	// The provider is a file in the working directory, as in the page.
	binary := providertest.Binary(t, "random")
	if err := os.Symlink(binary, filepath.Join(dir, filepath.Base(binary))); err != nil {
		t.Fatal(err)
	}
	doctest.Test(t, filepath.Join("..", "..", "docs", "generate.md"), doctest.Options{
		Dir:     dir,
		Timeout: 10 * time.Minute, // controller-gen is compiled
		Env:     []string{"PATH=" + filepath.Dir(landbridge) + ":" + os.Getenv("PATH")},
	})
}

// The page on configurations is executed and must match.
func TestConfigurationPage(t *testing.T) {
	landbridge, err := testbin.Build(t.Context(), testbin.Landbridge)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(examplecloudtest.Provider(t, examplecloudtest.Framework6),
		filepath.Join(dir, "terraform-provider-examplecloud_v3.0.0")); err != nil {
		t.Fatal(err)
	}
	doctest.Test(t, filepath.Join("..", "..", "docs", "configuration.md"), doctest.Options{
		Dir: dir, Env: []string{"PATH=" + filepath.Dir(landbridge) + ":" + os.Getenv("PATH")},
	})
}

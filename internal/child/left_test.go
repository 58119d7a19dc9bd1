//go:build unix

package child_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/landbridge-io/landbridge/internal/child"
)

func TestRemoveLeft(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := func(name string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Join(path, "sub"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(path, "sub", "token"), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	own := func(name string) *os.File {
		t.Helper()
		held, err := child.Own(folder(name), child.Lock)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = held.Close() })
		return held
	}
	own("lb-running")
	own("lb-dead").Close() // as the kernel does
	own("other").Close()
	folder("lb-without")
	if err := os.Symlink(filepath.Join(dir, "other"), filepath.Join(dir, "lb-link")); err != nil {
		t.Fatal(err)
	}
	linked := folder("lb-linked")
	if err := os.Symlink(filepath.Join(dir, "other", child.Lock), filepath.Join(linked, child.Lock)); err != nil {
		t.Fatal(err)
	}
	child.RemoveLeft(dir, "lb-", child.Lock)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if want := []string{"lb-link", "lb-linked", "lb-running", "lb-without", "other"}; !slices.Equal(left, want) {
		t.Errorf("left are %q, want %q", left, want)
	}
	child.RemoveLeft(filepath.Join(dir, "missing"), "lb-", child.Lock)
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The first release changes the pages, and is made when the change is committed.
func TestAnnounce(t *testing.T) {
	root := t.TempDir()
	for _, page := range installing {
		// These are the pages as they are.
		content, err := os.ReadFile(filepath.Join("..", "..", page))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(content), unreleased) == strings.Contains(string(content), released) {
			t.Errorf("%s is to say either %q or %q", page, unreleased, released)
		}
		file := filepath.Join(root, page)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("Text.\n"+unreleased+", text.\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := announce(root, "v0.9.0-rc.1"); err != nil {
		t.Errorf("a prerelease: %v", err)
	}
	if err := announce(root, "v0.9.0"); err == nil || !strings.Contains(err.Error(), "README.md and docs/install.md") {
		t.Errorf("announce returned %v", err)
	}
	for _, page := range installing {
		if content, err := os.ReadFile(filepath.Join(root, page)); err != nil || string(content) != "Text.\n"+released+", text.\n" {
			t.Errorf("%s: %v\n%s", page, err, content)
		}
	}
	if err := announce(root, "v0.9.0"); err != nil {
		t.Errorf("with the pages committed: %v", err)
	}
}

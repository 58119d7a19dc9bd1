package main

import (
	"os"
	"path/filepath"
	"testing"
)

// The checkout names the release before it.
func TestFormer(t *testing.T) {
	if err := checkFormer(filepath.Join("..", "..")); err != nil {
		t.Error(err)
	}
}

func TestLastReleased(t *testing.T) {
	tests := map[string]struct{ changelog, want string }{
		"before the next release": {"# Changelog\n\n## Unreleased\n\n### Added\n\n## 0.9.0\n\n## 0.8.0\n", "0.9.0"},
		"the release itself":      {"# Changelog\n\n## Unreleased\n\n## 0.9.0\n\n## 0.8.0\n", "0.8.0"},
		"without a section":       {"# Changelog\n\n## 0.9.0\n\n## 0.8.0\n", "0.8.0"},
		"the first release":       {"# Changelog\n\n## 0.9.0\n", ""},
		"with brackets":           {"# Changelog\n\n## Unreleased\n\nText.\n\n## [0.9.0]\n", "0.9.0"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := lastReleased(test.changelog)
			if got != test.want || (err != nil) != (test.want == "") {
				t.Errorf("%q, error %v; want %q", got, err, test.want)
			}
		})
	}
}

func TestSucceed(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, formerFile)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("0.8.0 v0.8.0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		version, want string
		changed       bool
	}{
		{"v0.9.0-rc.1", "0.8.0 v0.8.0\n", false},
		{"v0.9.0", "0.9.0 v0.9.0\n", true},
		{"v0.9.0", "0.9.0 v0.9.0\n", false},
	}
	for _, step := range steps {
		changed, err := succeed(root, step.version)
		if err != nil || changed != step.changed {
			t.Errorf("%s: changed %t, error %v", step.version, changed, err)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != step.want {
			t.Errorf("%s: %q, error %v", step.version, got, err)
		}
	}
}

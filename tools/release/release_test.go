package main

import (
	"strings"
	"testing"
)

func TestChanges(t *testing.T) {
	t.Parallel()
	const text = "# Changelog\n\n## Unreleased\n\n* next\n\n## 0.5.0 - 2026-11-23\n\n* this\n\n## 0.4.0\n\n* before\n"
	for name, test := range map[string]struct{ version, want string }{
		"a version with a date":   {"0.5.0", "* this\n"},
		"the first version":       {"0.4.0", "* before\n"},
		"a version without entry": {"0.6.0", "* next\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := changes(text, test.version); err != nil || got != test.want {
				t.Errorf("changes returned %q, %v", got, err)
			}
		})
	}
	if _, err := changes("# Changelog\n", "0.5.0"); err == nil {
		t.Error("an empty changelog has an entry")
	}
}

func TestKrew(t *testing.T) {
	t.Parallel()
	got := string(krew("v0.5.0", []pkg{{"linux/amd64", "l.tar.gz", "01"}, {"windows/amd64", "w.tar.gz", "02"}}))
	for _, want := range []string{
		"version: v0.5.0", "download/v0.5.0/l.tar.gz", "sha256: 01", "bin: kubectl-landbridge\n",
		"{from: landbridge.exe, to: kubectl-landbridge.exe}",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the manifest lacks %q:\n%s", want, got)
		}
	}
}

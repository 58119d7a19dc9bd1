package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestOwnFolder(t *testing.T) {
	tests := map[string]struct {
		before func(t *testing.T, path string) error
		own    bool
	}{
		"a new one":             {before: func(*testing.T, string) error { return nil }, own: true},
		"an earlier one":        {before: func(_ *testing.T, path string) error { return os.Mkdir(path, 0o755) }, own: true},
		"a file":                {before: func(_ *testing.T, path string) error { return os.WriteFile(path, nil, 0o600) }},
		"a link to another one": {before: func(t *testing.T, path string) error { return os.Symlink(t.TempDir(), path) }},
		"one that all can write": {before: func(_ *testing.T, path string) error {
			return errors.Join(os.Mkdir(path, 0o700), os.Chmod(path, 0o777))
		}},
	}
	if os.Geteuid() == 0 {
		tests["another user's"] = struct {
			before func(t *testing.T, path string) error
			own    bool
		}{before: func(_ *testing.T, path string) error {
			return errors.Join(os.Mkdir(path, 0o755), os.Chown(path, 12345, -1))
		}}
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "folder")
			if err := test.before(t, path); err != nil {
				t.Fatal(err)
			}
			if own, err := ownFolder(path); err != nil || own != test.own {
				t.Errorf("own: %t, %v; want %t", own, err, test.own)
			}
		})
	}
}

// A mirror of links has the providers of both mirrors.
func TestAddMirror(t *testing.T) {
	dir, base, cloud := t.TempDir(), t.TempDir(), t.TempDir()
	for _, path := range []string{
		filepath.Join(base, "registry.terraform.io", "hashicorp", "random"),
		filepath.Join(cloud, "mirror", "registry.terraform.io", "landbridge-io", "examplecloud"),
	} {
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	o := &cloudOptions{dir: cloud}
	for range 2 { // a restart makes it again
		merged, err := o.addMirror(dir, base)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"hashicorp/random", "landbridge-io/examplecloud"} {
			if _, err := os.Stat(filepath.Join(merged, "registry.terraform.io", filepath.FromSlash(path))); err != nil {
				t.Error(err)
			}
		}
	}
	o.dir = t.TempDir() // nothing was built
	if mirror, err := o.addMirror(dir, base); err != nil || mirror != base {
		t.Errorf("%s, %v; want %s", mirror, err, base)
	}
	o.wanted = true
	if _, err := o.addMirror(dir, base); err == nil {
		t.Error("the example cloud is wanted and was not built, and there is no error")
	}
}

package architecture_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// root returns the repository's directory.
func root(t *testing.T) string {
	t.Helper()
	root, err := testbin.Root()
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// sources returns the text files of the repository by their paths within it, without built
// programs, test data and hidden directories.
func sources(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	top := root(t)
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			hidden := strings.HasPrefix(name, ".") && name != ".ci" && name != ".github"
			if path != top && (hidden || name == "bin" || name == "dist" || name == "testdata" || strings.HasPrefix(name, "_")) {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || name == ".git" {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if utf8.Valid(content) {
			relative, _ := filepath.Rel(top, path)
			files[filepath.ToSlash(relative)] = string(content)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 500 {
		t.Fatalf("only %d files found", len(files))
	}
	return files
}

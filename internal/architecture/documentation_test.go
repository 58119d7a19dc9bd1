package architecture_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestEveryPackageHasADoc checks that every package, in every module of the repository, has a
// doc.go that begins as Go expects it.
func TestEveryPackageHasADoc(t *testing.T) {
	found := map[string]bool{} // directory with Go files: whether one is doc.go
	for name := range sources(t) {
		if filepath.Ext(name) == ".go" {
			dir := filepath.Dir(name)
			found[dir] = found[dir] || filepath.Base(name) == "doc.go"
		}
	}
	if len(found) < 50 {
		t.Fatalf("only %d packages found", len(found))
	}
	for dir, has := range found {
		if !has {
			t.Errorf("%s has no doc.go: say there what it is for, what goes in and out, and what it never does", dir)
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root(t), dir, "doc.go"), nil,
			parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			t.Error(err)
			continue
		}
		want := "Package " + file.Name.Name
		if file.Name.Name == "main" {
			want = "Command "
		}
		if !strings.HasPrefix(file.Doc.Text(), want) {
			t.Errorf("%s/doc.go does not begin with %q", dir, want)
		}
	}
}

// README is read to the end only if it is short. What it leaves out is in docs/README.md.
func TestREADMEIsShort(t *testing.T) {
	if lines := strings.Count(sources(t)["README.md"], "\n"); lines == 0 || lines > 120 {
		t.Errorf("README.md has %d lines, want at most 120", lines)
	}
}

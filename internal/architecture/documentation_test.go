package architecture_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// Every package, in every module of the repository, says in its doc.go what it
// is for.
func TestEveryPackageHasADoc(t *testing.T) {
	root, err := testbin.Root()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{} // directory with Go files: whether one is doc.go
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		switch {
		case d.IsDir() && path != root && (name == "bin" || name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")):
			return fs.SkipDir
		case !d.IsDir() && filepath.Ext(name) == ".go":
			dir := filepath.Dir(path)
			found[dir] = found[dir] || name == "doc.go"
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Fatal("no Go files found")
	}
	for dir, has := range found {
		relative, _ := filepath.Rel(root, dir)
		if !has {
			t.Errorf("%s has no doc.go: say there what it is for, what goes in and out, and what it never does", relative)
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, "doc.go"), nil, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			t.Error(err)
			continue
		}
		want := "Package " + file.Name.Name
		if file.Name.Name == "main" {
			want = "Command "
		}
		if !strings.HasPrefix(file.Doc.Text(), want) {
			t.Errorf("%s/doc.go does not begin with %q", relative, want)
		}
	}
}

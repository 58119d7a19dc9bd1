package architecture_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// concurrent are packages whose use shows that goroutines share something.
var concurrent = []string{"golang.org/x/sync/errgroup", "sync", "sync/atomic"}

// What the Makefile tests without the race detector starts no goroutines.
func TestSequentialPackages(t *testing.T) {
	files := sources(t)
	listed := regexp.MustCompile(`(?s)\nSEQUENTIAL := (.*?[^\\])\n`).FindStringSubmatch(files["Makefile"])
	if listed == nil {
		t.Fatal("the Makefile does not define SEQUENTIAL")
	}
	for _, pkg := range strings.Fields(strings.ReplaceAll(listed[1], "\\\n", " ")) {
		t.Run(pkg, func(t *testing.T) {
			n := 0
			for file, content := range files {
				if dir, name := path.Split(file); dir != pkg+"/" || !strings.HasSuffix(name, ".go") {
					continue
				}
				n++
				for _, found := range goroutines(t, file, content) {
					t.Errorf("%s: the package needs the race detector: remove it from SEQUENTIAL in the Makefile", found)
				}
			}
			if n == 0 {
				t.Error("there is no such package")
			}
		})
	}
}

func TestGoroutinesAreFound(t *testing.T) {
	for name, content := range map[string]string{
		"go statement": "package a\nfunc f() { go f() }",
		"sync":         "package a\nimport _ \"sync\"",
		"errgroup":     "package a\nimport _ \"golang.org/x/sync/errgroup\"",
	} {
		if got := goroutines(t, name+".go", content); len(got) != 1 {
			t.Errorf("%s: found %q", name, got)
		}
	}
	if got := goroutines(t, "a.go", "package a\nfunc f() { f() }"); len(got) != 0 {
		t.Errorf("found %q", got)
	}
}

// goroutines returns where a file starts goroutines, or has what they need.
func goroutines(t *testing.T, name, content string) []string {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, content, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = append(found, set.Position(n.Pos()).String()+": go statement")
		case *ast.ImportSpec:
			if imported, _ := strconv.Unquote(n.Path.Value); slices.Contains(concurrent, imported) {
				found = append(found, set.Position(n.Pos()).String()+": "+imported)
			}
		}
		return true
	})
	return found
}

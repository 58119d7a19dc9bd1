package architecture_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"iter"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// characters is how long lines of code may be. Lines that are wrapped aim at 120 columns.
const characters = 140

// TestLinesWrap checks that no line of code is longer than characters. What raw strings and
// comments have on a line does not count.
func TestLinesWrap(t *testing.T) {
	for name, f := range written(t) {
		for i, line := range strings.Split(f.code(), "\n") {
			if utf8.RuneCountInString(line) > characters {
				t.Errorf("%s:%d: the line is longer than %d characters", name, i+1, characters)
			}
		}
	}
}

// TestCode checks what counts of a line.
func TestCode(t *testing.T) {
	for name, test := range map[string]struct{ content, want string }{
		"comments":                {"package a // why\n// What it is.\n", "package a \n\n"},
		"strings":                 {"package a\n\nvar b = \"// `c`\"\n", "package a\n\nvar b = \"// `c`\"\n"},
		"raw strings":             {"package a\n\nvar b = f(`c`, d)\n", "package a\n\nvar b = f(, d)\n"},
		"raw strings on lines":    {"package a\n\nvar b = f(`c\n\nd`, e)\n", "package a\n\nvar b = f(\n\n, e)\n"},
		"comments on lines":       {"package a\n\n/*\nb\n*/\n", "package a\n\n\n\n\n"},
		"tags":                    {"package a\n\ntype b struct {\n\tc int `d`\n}\n", "package a\n\ntype b struct {\n\tc int \n}\n"},
		"comments in raw strings": {"package a\n\nvar b = `// c`\n", "package a\n\nvar b = \n"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := parsed("a.go", test.content)
			if err != nil {
				t.Fatal(err)
			}
			if got := f.code(); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// goFile is a file of Go.
type goFile struct {
	*ast.File
	set     *token.FileSet
	content string
}

func parsed(name, content string) (goFile, error) {
	f := goFile{set: token.NewFileSet(), content: content}
	var err error
	f.File, err = parser.ParseFile(f.set, name, content, parser.ParseComments|parser.SkipObjectResolution)
	return f, err
}

// written returns the files of Go that are not generated.
func written(t *testing.T) iter.Seq2[string, goFile] {
	t.Helper()
	return func(yield func(string, goFile) bool) {
		for name, content := range sources(t) {
			if filepath.Ext(name) != ".go" {
				continue
			}
			f, err := parsed(name, content)
			if err != nil {
				t.Error(err)
				continue
			}
			if !ast.IsGenerated(f.File) && !yield(name, f) {
				return
			}
		}
	}
}

// code returns the content without comments and raw strings, on the same lines.
func (f goFile) code() string {
	out := []byte(f.content)
	blank := func(n ast.Node) {
		for i := f.set.Position(n.Pos()).Offset; i < f.set.Position(n.End()).Offset; i++ {
			if out[i] != '\n' {
				out[i] = 0
			}
		}
	}
	for _, group := range f.Comments {
		blank(group)
	}
	ast.Inspect(f.File, func(n ast.Node) bool {
		if literal, is := n.(*ast.BasicLit); is && strings.HasPrefix(literal.Value, "`") {
			blank(literal)
		}
		return true
	})
	return strings.ReplaceAll(string(out), "\x00", "")
}

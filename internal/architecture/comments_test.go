package architecture_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// columns is the width at which comments wrap. A tab is as wide as four characters.
const columns = 100

// TestCommentsWrap checks that comments on lines of their own are not wider than columns. Code and
// tables in comments, markers for tools, and the output of examples may be.
func TestCommentsWrap(t *testing.T) {
	for name, content := range sources(t) {
		// What all resources have is described in CRDs by the comments of its fields, on one line.
		if filepath.Ext(name) != ".go" || filepath.Dir(name) == "apis/managed" {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, content, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			continue
		}
		if ast.IsGenerated(file) {
			continue
		}
		lines := strings.Split(content, "\n")
		for _, group := range file.Comments {
			if strings.Contains(group.Text(), "Output:") {
				continue
			}
			for _, comment := range group.List {
				if at := set.Position(comment.Pos()).Line; tooWide(lines[at-1]) {
					t.Errorf("%s:%d: the comment is wider than %d columns", name, at, columns)
				}
			}
		}
	}
}

// tooWide reports whether a line is a comment that could be wrapped.
func tooWide(line string) bool {
	text, is := strings.CutPrefix(strings.TrimSpace(line), "// ")
	if !is || utf8.RuneCountInString(line)+3*strings.Count(line, "\t") <= columns {
		return false
	}
	switch text[0] {
	case '+', '|', ' ', '\t':
		return false
	}
	return strings.Contains(text, " ")
}

package architecture_test

import (
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
	for name, f := range written(t) {
		// What all resources have is described in CRDs by the comments of its fields, on one line.
		if filepath.Dir(name) == "apis/managed" {
			continue
		}
		lines := strings.Split(f.content, "\n")
		for _, group := range f.Comments {
			if strings.Contains(group.Text(), "Output:") {
				continue
			}
			for _, comment := range group.List {
				if at := f.set.Position(comment.Pos()).Line; tooWide(lines[at-1]) {
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

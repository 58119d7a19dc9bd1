package architecture_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	policyPage   = "SECURITY.md"
	securityPage = "docs/security.md"
	attackFolder = "test/tenancy"
)

// TestSecurityPolicyNamesTests checks that each statement of the policy names tests that exist and
// are run.
func TestSecurityPolicyNamesTests(t *testing.T) {
	s := newSuites(sources(t))
	rows := statements(s.files[policyPage])
	if len(rows) < 10 {
		t.Fatalf("only %d statements found", len(rows))
	}
	for _, row := range rows {
		if noTest.MatchString(row.heldBy) {
			t.Errorf("%s:%d: the statement is held by nothing", policyPage, row.line)
		}
		for _, problem := range s.problems(row.heldBy) {
			t.Errorf("%s:%d: %s", policyPage, row.line, problem)
		}
	}
	if strings.Contains(s.files[policyPage], "\n* ") {
		t.Errorf("%s has a list; statements are rows of a table, which name their tests", policyPage)
	}
}

// TestSecurityPageNamesTests checks that the tests and attacks exist that the page names, and that
// no row of its tables of what is impossible lacks them.
func TestSecurityPageNamesTests(t *testing.T) {
	files := sources(t)
	for _, problem := range unheld(files[securityPage], testNames(files), attackNames(t, files)) {
		t.Errorf("%s:%s", securityPage, problem)
	}
}

var (
	testSpan   = regexp.MustCompile("`((?:Test|Fuzz)\\w+)`")
	attackSpan = regexp.MustCompile(`attacks? ("[^"]+"(?:(?:, | and )"[^"]+")*)`)
	quotation  = regexp.MustCompile(`"([^"]+)"`)
	testFunc   = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(\w+ \*testing\.[TF]\)`)
)

// unheld returns the tests and attacks that a page names and that do not exist, and the rows of
// tables with tests that name none.
func unheld(page string, tests, attacks map[string]bool) []string {
	var out []string
	inTable := false
	for i, line := range strings.Split(page, "\n") {
		add := func(format string, of ...any) { out = append(out, fmt.Sprintf("%d: ", i+1)+fmt.Sprintf(format, of...)) }
		named := testSpan.FindAllStringSubmatch(line, -1)
		for _, m := range named {
			if !tests[m[1]] {
				add("there is no %s", m[1])
			}
		}
		for _, m := range attackSpan.FindAllStringSubmatch(line, -1) {
			for _, q := range quotation.FindAllStringSubmatch(m[1], -1) {
				if !attacks[q[1]] {
					add("there is no attack %q", q[1])
				}
			}
		}
		switch {
		case strings.HasPrefix(line, "| what ") && strings.HasSuffix(line, " | tests |"),
			strings.HasPrefix(line, "| where ") && strings.HasSuffix(line, " | tests |"):
			inTable = true
		case !strings.HasPrefix(line, "|"):
			inTable = false
		case inTable && !strings.HasPrefix(line, "|-") && len(named) == 0:
			add("the row names no test")
		}
	}
	return out
}

// testNames returns the tests of all folders.
func testNames(files map[string]string) map[string]bool {
	out := map[string]bool{}
	for name, text := range files {
		if strings.HasSuffix(name, "_test.go") {
			for _, m := range testFunc.FindAllStringSubmatch(text, -1) {
				out[m[1]] = true
			}
		}
	}
	return out
}

// attackNames returns the keys of the tables of attacks.
func attackNames(t *testing.T, files map[string]string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if path.Dir(name) != attackFolder || !strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, files[name], parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			table, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			if of, ok := table.Type.(*ast.MapType); ok {
				if value, ok := of.Value.(*ast.Ident); !ok || value.Name != "attack" {
					return true
				}
				for _, element := range table.Elts {
					if key, ok := element.(*ast.KeyValueExpr).Key.(*ast.BasicLit); ok {
						if name, err := strconv.Unquote(key.Value); err == nil {
							out[name] = true
						}
					}
				}
			}
			return true
		})
	}
	return out
}

func TestUnheld(t *testing.T) {
	page := "`TestA`, `TestB`, `make tenancy`\n" +
		"The attacks \"one\" and \"two\" hold it, and the attack \"three\".\n" +
		"| what is impossible | how | tests |\n|---|---|---|\n| a | so | `TestA` |\n| b | so | `make tenancy` |\n" +
		"| c | so | |\n\n| file | tests |\n|---|---|\n| d | |\n"
	want := []string{
		"1: there is no TestB", `2: there is no attack "two"`, `2: there is no attack "three"`,
		"6: the row names no test", "7: the row names no test",
	}
	got := unheld(page, map[string]bool{"TestA": true}, map[string]bool{"one": true})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestTestNames(t *testing.T) {
	want := map[string]bool{"TestA": true, "FuzzB": true}
	got := testNames(map[string]string{
		"a/a_test.go": "package a\n\nfunc TestA(t *testing.T) {}\nfunc FuzzB(f *testing.F) {}\nfunc TestMain(m " +
			"*testing.M) {}\nfunc (x) TestC(t *testing.T) {}\nfunc TestD() {}\n",
		"a/a.go": "package a\n\nfunc TestE(t *testing.T) {}\n",
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

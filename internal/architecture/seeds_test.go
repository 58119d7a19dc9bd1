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

const seedsPage = "docs/seeds.md"

// TestSeedsNameTests checks that each statement of the page names tests that exist and are run, or
// the reason why there is none.
func TestSeedsNameTests(t *testing.T) {
	s := newSuites(sources(t))
	rows := statements(s.files[seedsPage])
	if len(rows) < 200 {
		t.Fatalf("only %d statements found", len(rows))
	}
	named := map[string]bool{}
	for _, row := range rows {
		for _, problem := range s.problems(row.heldBy) {
			t.Errorf("%s:%d: %s", seedsPage, row.line, problem)
		}
		for _, name := range spans(row.heldBy) {
			named[name] = true
		}
	}
	for name, source := range s.behaviours {
		if source != "own" && !named[name] {
			t.Errorf("%s does not name the behaviour %s, which one of its documents requires", seedsPage, name)
		}
	}
}

// statement is a row of the page.
type statement struct {
	line   int
	heldBy string
}

// statements returns the rows of the tables of statements. A row that has not two cells is held by
// nothing.
func statements(page string) []statement {
	var out []statement
	inTable := false
	for i, line := range strings.Split(page, "\n") {
		switch {
		case line == "| statement | held by |":
			inTable = true
		case !strings.HasPrefix(line, "|"):
			inTable = false
		case inTable && !strings.HasPrefix(line, "|-"):
			row := statement{line: i + 1}
			if cells := strings.Split(line, " | "); len(cells) == 2 {
				row.heldBy = strings.TrimSuffix(cells[1], " |")
			}
			out = append(out, row)
		}
	}
	return out
}

var (
	noTest           = regexp.MustCompile(`^Not (?:done|tested): [^ ].*\.$`)
	heldByTests      = regexp.MustCompile("^((?:`(?:Test|Fuzz)\\w+(?:/[^`]+)?`(?:, )?)+) \\(([\\w./-]+)\\)(?: by `make ([a-z-]+)`)?$")
	heldByBehaviours = regexp.MustCompile("^behaviours? ((?:`[a-z-]+`(?:, )?)+)$")
	heldByVectors    = regexp.MustCompile(`^vectors? ((?:V\d+(?:, )?)+)$`)
	heldBySuite      = regexp.MustCompile("^`make ([a-z-]+)`$")
)

// suites are the tests of the repository.
type suites struct {
	files      map[string]string
	packages   map[string]testPackage // by folder
	contract   map[string]bool
	vectors    map[string]bool   // that a test names
	behaviours map[string]string // which document requires them, as in the code
}

// testPackage is what the test files of a folder have.
type testPackage struct {
	tests map[string]bool // functions
	cases map[string]declared
}

// declared is what a function or variable of a package has: names of cases, and the functions and
// variables that it uses.
type declared struct {
	cases map[string]bool
	uses  map[string]bool
}

// hasCase tells whether a test, or what it uses, has a case of that name.
func (p testPackage) hasCase(test, name string) bool {
	seen := map[string]bool{}
	var find func(string) bool
	find = func(declaration string) bool {
		if seen[declaration] {
			return false
		}
		seen[declaration] = true
		d := p.cases[declaration]
		return d.cases[name] || slices.ContainsFunc(slices.Collect(maps.Keys(d.uses)), find)
	}
	return find(test)
}

var (
	vectorName    = regexp.MustCompile(`(?:"|Test|_|\()(V\d{2,3})\b`)
	behaviourName = regexp.MustCompile(`\{Name: "([a-z-]+)", Source: (\w+)`)
	// vectorFolders are what `make vectors` tests.
	vectorFolders = []string{"internal/terraform/engine", "internal/provider", "test/contract/vectors"}
)

func newSuites(files map[string]string) *suites {
	s := &suites{
		files: files, packages: map[string]testPackage{}, contract: known(files[contractPage]),
		vectors: map[string]bool{}, behaviours: map[string]string{},
	}
	for name, text := range files {
		switch isTest := strings.HasSuffix(name, "_test.go"); {
		case isTest && slices.ContainsFunc(vectorFolders, func(folder string) bool { return within(path.Dir(name), folder) }):
			for _, m := range vectorName.FindAllStringSubmatch(text, -1) {
				s.vectors[m[1]] = true
			}
		case !isTest && strings.HasSuffix(name, ".go") && path.Dir(name) == "test/behaviour":
			for _, m := range behaviourName.FindAllStringSubmatch(text, -1) {
				s.behaviours[m[1]] = m[2]
			}
		}
	}
	return s
}

// problems returns what is wrong with the tests that are said to hold a statement.
func (s *suites) problems(heldBy string) []string {
	if noTest.MatchString(heldBy) {
		return nil
	}
	var out []string
	add := func(problem string) {
		if problem != "" {
			out = append(out, problem)
		}
	}
	for part := range strings.SplitSeq(heldBy, "; ") {
		if m := heldByTests.FindStringSubmatch(part); m != nil {
			for _, name := range spans(m[1]) {
				add(s.test(name, m[2], m[3]))
			}
		} else if m := heldByBehaviours.FindStringSubmatch(part); m != nil {
			for _, name := range spans(m[1]) {
				add(s.behaviour(name))
			}
		} else if m := heldByVectors.FindStringSubmatch(part); m != nil {
			for name := range strings.SplitSeq(m[1], ", ") {
				add(s.vector(name))
			}
		} else if m := heldBySuite.FindStringSubmatch(part); m != nil {
			add(s.suite(m[1], "", ""))
		} else {
			add(
				fmt.Sprintf("%q is neither tests with their folder, behaviours, vectors, a make target nor a reason "+
					"(Not done: … or Not tested: …)", part),
			)
		}
	}
	return out
}

// spans returns the texts in backquotes.
func spans(list string) []string {
	var out []string
	for _, span := range codeSpan.FindAllString(list, -1) {
		out = append(out, strings.Trim(span, "`"))
	}
	return out
}

// test checks a test, or one of its cases, that a target runs; `make test` if target is "".
func (s *suites) test(name, folder, target string) string {
	p, err := s.pkg(folder)
	if err != nil {
		return err.Error()
	}
	function, part, hasCase := strings.Cut(name, "/")
	switch {
	case !p.tests[function]:
		return fmt.Sprintf("%s has no %s", folder, function)
	case hasCase && !p.hasCase(function, part):
		return fmt.Sprintf("%s has no case %q of %s", folder, part, function)
	case target != "":
		return s.suite(target, folder, function)
	}
	return s.testedByMake(folder)
}

// behaviour checks a behaviour of the matrix.
func (s *suites) behaviour(name string) string {
	const folder = "test/behaviour"
	p, err := s.pkg(folder)
	if err != nil {
		return err.Error()
	}
	if s.behaviours[name] == "" || !p.registers(name) {
		return fmt.Sprintf("there is no behaviour %s, or no test of it", name)
	}
	return s.suite("behaviours", folder, "")
}

// vector checks a test vector of the contract.
func (s *suites) vector(name string) string {
	if !s.contract[name] || !s.vectors[name] {
		return fmt.Sprintf("%s has no vector %s, or there is no test of it", contractPage, name)
	}
	return s.suite("vectors", "", "")
}

// pkg returns what the test files of a folder have.
func (s *suites) pkg(folder string) (testPackage, error) {
	if p, ok := s.packages[folder]; ok {
		return p, nil
	}
	p := testPackage{tests: map[string]bool{}, cases: map[string]declared{}}
	for name, text := range s.files {
		if path.Dir(name) != folder || !strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			return p, err
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				p.tests[d.Name.Name] = p.tests[d.Name.Name] || d.Recv == nil
				p.add(d.Name.Name, d)
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if values, ok := spec.(*ast.ValueSpec); ok {
						for _, n := range values.Names {
							p.add(n.Name, values)
						}
					}
				}
			}
		}
	}
	if len(p.tests) == 0 {
		return p, fmt.Errorf("there are no tests in %s", folder)
	}
	s.packages[folder] = p
	return p, nil
}

// registers tells whether a package has a test of a behaviour: in a table for register, or as a
// subtest of a test.
func (p testPackage) registers(name string) bool {
	if p.cases["_"].cases[name] {
		return true
	}
	for test := range p.tests {
		if strings.HasPrefix(test, "Test") && p.hasCase(test, name) {
			return true
		}
	}
	return false
}

// add adds what a declaration has. Names of cases are keys of tables and what Run is given.
func (p testPackage) add(name string, declaration ast.Node) {
	d, ok := p.cases[name]
	if !ok {
		d = declared{cases: map[string]bool{}, uses: map[string]bool{}}
		p.cases[name] = d
	}
	isCase := func(e ast.Expr) {
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil {
				d.cases[text] = true
			}
		}
	}
	ast.Inspect(declaration, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			if isTable(n.Type) {
				for _, e := range n.Elts {
					if kv, ok := e.(*ast.KeyValueExpr); ok {
						isCase(kv.Key)
					}
				}
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Run" && len(n.Args) > 0 {
				isCase(n.Args[0])
			}
		case *ast.Ident:
			d.uses[n.Name] = true
		}
		return true
	})
}

// isTable tells whether a type is that of a table of tests: a map from names to anything but values
// of JSON.
func isTable(e ast.Expr) bool {
	m, ok := e.(*ast.MapType)
	if !ok {
		return false
	}
	key, ok := m.Key.(*ast.Ident)
	if !ok || key.Name != "string" {
		return false
	}
	value, ok := m.Value.(*ast.Ident)
	return !ok || value.Name != "any"
}

var (
	notTested = regexp.MustCompile(`(?m)^TESTED := \$\(filter-out ([^,]*),\$\(MODULES\)\)$`)
	modules   = regexp.MustCompile(`^(?:(?:test|examples)/[^/]+|tools/(?:git|release|xpkg))$`)
	filter    = regexp.MustCompile(`-(?:test\.)?run '([^']*)'`)
)

// testedByMake checks that `make test` runs the tests of a folder.
func (s *suites) testedByMake(folder string) string {
	module := folder
	for module != "." && s.files[module+"/go.mod"] == "" {
		module = path.Dir(module)
	}
	if module == "." || module == "playground" {
		return ""
	}
	left := notTested.FindStringSubmatch(s.files["Makefile"])
	if left == nil {
		return "the Makefile does not define TESTED"
	}
	if !modules.MatchString(module) || slices.Contains(strings.Fields(left[1]), module) {
		return fmt.Sprintf("make test does not run %s: add by `make TARGET`", folder)
	}
	return ""
}

// suite checks that there is a target, which `make verify` runs, and which runs a test of a folder
// if they are given.
func (s *suites) suite(target, folder, test string) string {
	quoted := regexp.QuoteMeta(target)
	recipe := regexp.MustCompile(`(?m)^` + quoted + `:.*\n((?:\t.*\n)+)`).FindStringSubmatch(s.files["Makefile"])
	if recipe == nil {
		return fmt.Sprintf("the Makefile has no target %s", target)
	}
	if !regexp.MustCompile(`(?m)^step \S+ make ` + quoted + `(?: |$)`).MatchString(s.files[".ci/verify"]) {
		return fmt.Sprintf("make verify does not run make %s", target)
	}
	if !strings.Contains(recipe[1], folder) {
		return fmt.Sprintf("make %s does not run %s", target, folder)
	}
	if m := filter.FindStringSubmatch(recipe[1]); m != nil && test != "" {
		pattern, err := regexp.Compile(strings.ReplaceAll(m[1], "$$", "$"))
		if err != nil || !pattern.MatchString(test) {
			return fmt.Sprintf("make %s does not run %s", target, test)
		}
	}
	return ""
}

func TestSeedsMistakesAreFound(t *testing.T) {
	s := newSuites(map[string]string{
		"Makefile": "MODULES := x\nTESTED := $(filter-out test/alone test/behaviour,$(MODULES))\n" +
			"alone: build ## Some\n\t@go test -C test/alone -run '^TestSome$$'\nbehaviours:\n\t@go run -C " +
			"test/behaviour .\nvectors:\n\t@go run .\nunused:\n\t@true\n",
		".ci/verify": "step a make alone\nstep b make behaviours CHECK=1\nstep c make vectors\n",
		contractPage: "| V01 | a | b |\n| V02 | a | b |\n",
		"a/a_test.go": "package a\nfunc TestA(t *testing.T) { t.Run(\"one, two\", nil); say(\"a text\", m{\"key\": " +
			"1}, map[string]any{\"key\": 1}) }\n" +
			"func TestB(t *testing.T) { for name := range map[string]struct{x int}{\"in place\": {}} {}; for range table {}; each() }\n" +
			"var table = map[string]int{\"of the package\": 1}\nfunc each() { run(cases()) }\nfunc cases() any { " +
			"return map[string]bool{\"of a function\": true} }\nfunc (x) TestNone() {}\n",
		"test/alone/go.mod":    "module alone",
		"test/alone/a_test.go": "package a\nfunc TestSome(t *testing.T) {}\nfunc TestOther(t *testing.T) {}\n",
		"test/with/go.mod":     "module with",
		"test/with/a_test.go":  "package a\nfunc TestWith(t *testing.T) {}\n",
		"tools/go.mod":         "module tools",
		"tools/a_test.go":      "package a\nfunc TestTool(t *testing.T) {}\n",
		"test/behaviour/a.go": "package a\nvar all = []Behaviour{{Name: \"tested\", Source: " +
			"own}, {Name: \"forgotten\", Source: own}}\n",
		"test/behaviour/a_test.go": "package a\nfunc TestMatrix(t *testing.T) {}\nvar _ = " +
			"register(map[string]func(){\"tested\": nil})\nvar text = \"forgotten\"\n",
		"internal/terraform/engine/some_test.go": "package a\nfunc TestVectors(t *testing.T) { t.Run(\"V01\", nil) }\n",
	})
	form := func(part string) []string {
		return []string{
			fmt.Sprintf("%q is neither tests with their folder, behaviours, vectors, a make target nor a reason "+
				"(Not done: … or Not tested: …)", part),
		}
	}
	tests := map[string]struct {
		heldBy string
		want   []string
	}{
		"test":                    {heldBy: "`TestA` (a)"},
		"case":                    {heldBy: "`TestA/one, two`, `TestA` (a)"},
		"all of them":             {heldBy: "`TestA` (a); behaviour `tested`; vector V01; `make alone`"},
		"in a module":             {heldBy: "`TestWith` (test/with)"},
		"by a target":             {heldBy: "`TestSome` (test/alone) by `make alone`"},
		"reason":                  {heldBy: "Not done: it is not needed."},
		"nothing":                 {heldBy: "", want: form("")},
		"reason without a reason": {heldBy: "Not done", want: form("Not done")},
		"no folder":               {heldBy: "`TestA`", want: form("`TestA`")},
		"key of a table":          {heldBy: "`TestB/in place`, `TestB/of the package`, `TestB/of a function` (a)"},
		"no such test":            {heldBy: "`TestC`, `TestA` (a)", want: []string{"a has no TestC"}},
		"method":                  {heldBy: "`TestNone` (a)", want: []string{"a has no TestNone"}},
		"no such case":            {heldBy: "`TestA/one` (a)", want: []string{`a has no case "one" of TestA`}},
		"case of another test": {
			heldBy: "`TestB/one, two`, `TestA/in place` (a)",
			want:   []string{`a has no case "one, two" of TestB`, `a has no case "in place" of TestA`},
		},
		"any other text": {
			heldBy: "`TestA/a text`, `TestA/key` (a)",
			want:   []string{`a has no case "a text" of TestA`, `a has no case "key" of TestA`},
		},
		"no such folder": {heldBy: "`TestA` (b)", want: []string{"there are no tests in b"}},
		"not run by make test": {
			heldBy: "`TestSome` (test/alone)", want: []string{
				"make test does not run test/alone: add by `make TARGET`",
			},
		},
		"in no such module":        {heldBy: "`TestTool` (tools)", want: []string{"make test does not run tools: add by `make TARGET`"}},
		"by no such target":        {heldBy: "`TestA` (a) by `make nothing`", want: []string{"the Makefile has no target nothing"}},
		"by another target":        {heldBy: "`TestA` (a) by `make vectors`", want: []string{"make vectors does not run a"}},
		"left out by the target":   {heldBy: "`TestOther` (test/alone) by `make alone`", want: []string{"make alone does not run TestOther"}},
		"target that is never run": {heldBy: "`make unused`", want: []string{"make verify does not run make unused"}},
		"no such behaviour":        {heldBy: "behaviours `tested`, `other`", want: []string{"there is no behaviour other, or no test of it"}},
		"behaviour without test":   {heldBy: "behaviour `forgotten`", want: []string{"there is no behaviour forgotten, or no test of it"}},
		"vector without test":      {heldBy: "vectors V01, V02", want: []string{contractPage + " has no vector V02, or there is no test of it"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, s.problems(test.heldBy)); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

func TestSeedsRows(t *testing.T) {
	page := "| document | what |\n|---|---|\n| a | b |\n\n| statement | held by |\n|---|---|\n| It is. | `TestA` (a) |\n| It has. |\n\ntext\n"
	want := []statement{{line: 7, heldBy: "`TestA` (a)"}, {line: 8}}
	if diff := cmp.Diff(want, statements(page), cmp.AllowUnexported(statement{})); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

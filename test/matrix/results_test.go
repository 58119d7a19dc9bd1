package matrix

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestJudge(t *testing.T) {
	for name, c := range map[string]struct {
		ends   []string
		not    string
		want   outcome
		reason string
	}{
		"passed":                      {[]string{"pass"}, "", pass, ""},
		"failed":                      {[]string{"fail"}, "", failure, "failed"},
		"passed once and failed once": {[]string{"pass", "fail"}, "", failure, "failed"},
		"skipped":                     {[]string{"skip"}, "", failure, "skipped"},
		"empty":                       {nil, "", failure, "no test"},
		"not applicable":              {nil, "because", notApplicable, "because"},
		"not applicable, but tested":  {[]string{"pass"}, "because", failure, "there is a test"},
	} {
		t.Run(name, func(t *testing.T) {
			got, reason := judge(c.ends, c.not)
			if got != c.want || !strings.Contains(reason, c.reason) {
				t.Errorf("got %v, %q", got, reason)
			}
		})
	}
}

// example is a matrix of four cells, one of which does not apply.
var example = Matrix{
	Title: "example", Command: "make example", Sources: true,
	Columns: []Column{{"sdkv2/plugin", "SDKv2"}, {"framework6/plugin", "framework"}},
	Tables: []Table{{Name: "some", Behaviours: []Behaviour{
		{Section: "One", Name: "first", Says: "It works", Source: "somewhere"},
		{Section: "Two", Name: "second", Says: "It stops", Source: "elsewhere", Not: func(c string) string {
			if c == "sdkv2/plugin" {
				return "it never does"
			}
			return ""
		}},
	}}},
}

// proved are results in which everything that applies has passed.
func proved() *results {
	r := newResults()
	for _, test := range []string{"sdkv2/plugin/first", "framework6/plugin/first", "framework6/plugin/second"} {
		r.add(event{Action: "pass", Test: "TestMatrix/" + test})
	}
	return r
}

func TestCells(t *testing.T) {
	all := summary("x", proved().cells(example))
	if all.failed > 0 || all.passed == 0 || all.not == 0 {
		t.Errorf("got %s", all)
	}
	const name = "first"
	for what, c := range map[string]struct {
		event  event
		passed int
		failed int
	}{
		"a cell's test fails":         {event{Action: "fail", Test: "TestMatrix/sdkv2/plugin/" + name}, -1, 1},
		"below a cell nothing counts": {event{Action: "fail", Test: "TestMatrix/sdkv2/plugin/" + name + "/more"}, 0, 0},
		"a test of no behaviour":      {event{Action: "pass", Test: "TestMatrix/sdkv2/plugin/not-a-behaviour"}, 0, 1},
		"a test of no column":         {event{Action: "pass", Test: "TestMatrix/sdkv9/plugin/" + name}, 0, 1},
		"another test":                {event{Action: "pass", Test: "TestElse"}, 0, 0},
	} {
		t.Run(what, func(t *testing.T) {
			r := proved()
			r.add(c.event)
			got := summary("x", r.cells(example))
			want := counts{"x", all.passed + c.passed, all.not, c.failed}
			if got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestTable(t *testing.T) {
	cells := proved().cells(example)
	first := table(example, cells)
	if second := table(example, proved().cells(example)); first != second {
		t.Error(cmp.Diff(first, second))
	}
	columns := len(example.Columns)
	for line := range strings.Lines(first) {
		if strings.HasPrefix(line, "|") && strings.Count(line, "|") != columns+3 {
			t.Errorf("not %d columns: %s", columns+2, line)
		}
	}
	if got := strings.Count(first, " pass |"); got != summary("x", cells).passed {
		t.Errorf("%d cells have passed, not %d", got, summary("x", cells).passed)
	}
	if got := strings.Count(first, " n/a ("); got != summary("x", cells).not {
		t.Errorf("%d cells do not apply, not %d", got, summary("x", cells).not)
	}
}

func TestInsert(t *testing.T) {
	const begin, end = "<!-- table some: made by make example -->", "<!-- end of table some -->"
	for name, c := range map[string]struct{ page, want, says string }{
		"empty":    {"a\n" + begin + "\n" + end + "\nb\n", "a\n" + begin + "\n\n|t|\n\n" + end + "\nb\n", ""},
		"again":    {"a\n" + begin + "\n\n|t|\n\n" + end + "\nb\n", "a\n" + begin + "\n\n|t|\n\n" + end + "\nb\n", ""},
		"no marks": {"a\n", "", "end of table some"},
		"no end":   {"a\n" + begin + "\n", "", "end of table some"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := example.insert([]byte(c.page), "some", "|t|\n")
			if string(got) != c.want || (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

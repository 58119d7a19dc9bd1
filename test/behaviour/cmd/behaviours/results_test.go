package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/test/behaviour"
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

// proved are results in which everything that applies has passed.
func proved() *results {
	r := newResults(behaviour.Tables)
	for _, s := range behaviour.Sections() {
		for _, b := range s.Behaviours {
			for _, c := range behaviour.Columns() {
				if b.NotApplicable(c) == "" {
					r.add(event{Action: "pass", Test: "TestMatrix/" + string(c.Form) + "/" + string(c.Way) + "/" + b.Name})
				}
			}
		}
	}
	return r
}

func TestCells(t *testing.T) {
	all := summary(proved().cells())
	if all.failed > 0 || all.passed == 0 || all.not == 0 {
		t.Errorf("got %s", all)
	}
	name := behaviour.Sections()[0].Behaviours[0].Name
	for what, c := range map[string]struct {
		event  event
		passed int
		failed int
	}{
		"a cell's test fails":         {event{Action: "fail", Test: "TestMatrix/sdkv2/plugin/" + name}, -1, 1},
		"below a cell nothing counts": {event{Action: "fail", Test: "TestMatrix/sdkv2/plugin/" + name + "/more"}, 0, 0},
		"a test of no behaviour":      {event{Action: "pass", Test: "TestMatrix/sdkv2/plugin/nobody-knows-this"}, 0, 1},
		"a test of no column":         {event{Action: "pass", Test: "TestMatrix/sdkv9/plugin/" + name}, 0, 1},
		"another test":                {event{Action: "pass", Test: "TestElse"}, 0, 0},
	} {
		t.Run(what, func(t *testing.T) {
			r := proved()
			r.add(c.event)
			got := summary(r.cells())
			want := counts{all.passed + c.passed, all.not, c.failed}
			if got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestTable(t *testing.T) {
	cells := proved().cells()
	first := table(cells)
	if second := table(proved().cells()); first != second {
		t.Error(cmp.Diff(first, second))
	}
	columns := len(behaviour.Columns())
	for line := range strings.Lines(first) {
		if strings.HasPrefix(line, "|") && strings.Count(line, "|") != columns+3 {
			t.Errorf("not %d columns: %s", columns+2, line)
		}
	}
	if got := strings.Count(first, " pass |"); got != summary(cells).passed {
		t.Errorf("%d cells have passed, not %d", got, summary(cells).passed)
	}
	if got := strings.Count(first, " n/a ("); got != summary(cells).not {
		t.Errorf("%d cells do not apply, not %d", got, summary(cells).not)
	}
}

func TestInsert(t *testing.T) {
	begin, end := marks("some")
	for name, c := range map[string]struct{ page, want, says string }{
		"empty":    {"a\n" + begin + "\n" + end + "\nb\n", "a\n" + begin + "\n\n|t|\n\n" + end + "\nb\n", ""},
		"again":    {"a\n" + begin + "\n\n|t|\n\n" + end + "\nb\n", "a\n" + begin + "\n\n|t|\n\n" + end + "\nb\n", ""},
		"no marks": {"a\n", "", "end of table some"},
		"no end":   {"a\n" + begin + "\n", "", "end of table some"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := insert([]byte(c.page), "some", "|t|\n")
			if string(got) != c.want || (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

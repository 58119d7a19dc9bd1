package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each fault still has the code that it changes.
func TestFaultsCanBeMade(t *testing.T) {
	t.Parallel()
	for _, m := range mutants {
		changed, err := m.changed("../../../..")
		switch {
		case err != nil:
			t.Errorf("%s: %v", m.name, err)
		case len(changed) == 0:
			t.Errorf("%s: it changes nothing", m.name)
		}
	}
}

const source = `package thing

type thing struct{ n int }

func (t *thing) grow(by int) (int, error) {
	if by < 0 && t.n > 0 {
		return 0, nil // it does not shrink
	}
	switch by {
	case 1:
		t.n++
	default:
		t.n = sum(t.n,
			by)
	}
	t.log()
	t.check()
	t.log()
	return t.n, nil
}

func grow(by int) int { return by }
`

func TestEdit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		function, old, new string
		// want is what old becomes in the source, with another text in the place of one.
		from, to string
		err      string
	}{
		"expression":          {function: "thing.grow", old: "t.n > 0", new: "true", from: "t.n > 0", to: "true"},
		"whatever the layout": {function: "thing.grow", old: "sum(t.n, by)", new: "by", from: "sum(t.n,\n\t\t\tby)", to: "by"},
		"statements":          {function: "thing.grow", old: "t.log(); t.check()", new: "", from: "t.log()\n\tt.check()", to: ""},
		"head of an if": {
			function: "thing.grow", old: "if by < 0 && t.n > 0", new: "if false",
			from: "if by < 0 && t.n > 0", to: "if false",
		},
		"head of a case": {function: "thing.grow", old: "case 1:", new: "case 1, 2:", from: "case 1:", to: "case 1, 2:"},
		"a comment between": {
			function: "thing.grow", old: "{ return 0, nil }", new: "{}",
			from: "{\n\t\treturn 0, nil // it does not shrink\n\t}", to: "{}",
		},
		"results":        {function: "thing.grow", old: "0, nil", new: "1, nil", from: "0, nil", to: "1, nil"},
		"function":       {function: "grow", old: "by", new: "1", from: "{ return by }", to: "{ return 1 }"},
		"several places": {function: "thing.grow", old: "t.log()", err: "thing.grow in . has 2 places to change, and not one: t.log()"},
		"no place":       {function: "thing.grow", old: "t.n < 0", err: "thing.grow in . has 0 places to change, and not one: t.n < 0"},
		"part of a name": {function: "thing.grow", old: "su", err: "thing.grow in . has 0 places to change, and not one: su"},
		"no function":    {function: "thing.shrink", old: "by", err: ". has 0 functions thing.shrink, and not one"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "thing.go")
			if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
				t.Fatal(err)
			}
			got := sources{}
			text := ""
			if err := got.apply(filepath.Dir(file), edit{".", test.function, test.old, test.new}); err != nil {
				text = err.Error()
			}
			if diff := cmp.Diff(test.err, text); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(strings.Replace(source, test.from, test.to, 1), string(got[file])); diff != "" {
				t.Errorf("source (-want +got):\n%s", diff)
			}
		})
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	first, last := mutants[0].name, mutants[len(mutants)-1].name
	for name, test := range map[string]struct {
		names string
		want  []string
		err   string
	}{
		"one":     {names: first, want: []string{first}},
		"several": {names: last + "; " + first, want: []string{last, first}},
		"unknown": {names: first + ";nothing", err: `there is no fault "nothing" in test/simulation/cmd/mutants/list.go`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chosen, err := choose(test.names)
			var got []string
			for _, m := range chosen {
				got = append(got, m.name)
			}
			text := ""
			if err != nil {
				text = err.Error()
			}
			if diff := cmp.Diff(test.want, got) + cmp.Diff(test.err, text); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

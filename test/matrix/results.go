package matrix

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// outcome is the result of a cell.
type outcome int

const (
	failure outcome = iota
	pass
	notApplicable
)

// cell is a behaviour in a column.
type cell struct {
	table     string
	behaviour Behaviour
	column    Column
	outcome   outcome
	// reason is the reason why it failed or does not apply.
	reason string
}

// key identifies the cell of a test.
type key struct{ column, behaviour string }

// results collects the outcomes of tests.
type results struct {
	outcomes map[key][]string // the actions that ended tests
	output   map[string][]string
	// broken is set when something failed that is not a test of a cell, or could not be run.
	broken bool
}

func newResults() *results {
	return &results{outcomes: map[key][]string{}, output: map[string][]string{}}
}

var cellTest = regexp.MustCompile(`^Test[A-Za-z]*/([^/]+/[^/]+)/([^/]+)$`)

// add records an event.
func (r *results) add(e event) {
	switch e.Action {
	case "build-output":
		fmt.Fprint(os.Stderr, e.Output)
	case "output":
		r.output[e.Test] = append(r.output[e.Test], e.Output)
	case "pass", "fail", "skip":
		if e.Action != "pass" {
			fmt.Print(strings.Join(r.output[e.Test], ""))
		}
		delete(r.output, e.Test)
		match := cellTest.FindStringSubmatch(e.Test)
		if match == nil {
			return
		}
		k := key{match[1], match[2]}
		r.outcomes[k] = append(r.outcomes[k], e.Action)
	}
}

// cells returns all cells in the order of the table. A test that belongs to no cell becomes a
// failed cell, so that nothing that runs is left out.
func (r *results) cells(m Matrix) []cell {
	var out []cell
	known := map[key]bool{}
	for _, t := range m.Tables {
		for _, b := range t.Behaviours {
			for _, c := range m.Columns {
				k := key{c.Name, b.Name}
				known[k] = true
				x := cell{table: t.Name, behaviour: b, column: c}
				not := ""
				if b.Not != nil {
					not = b.Not(c.Name)
				}
				x.outcome, x.reason = judge(r.outcomes[k], not)
				out = append(out, x)
			}
		}
	}
	var unknown []key
	for k := range r.outcomes {
		if !known[k] {
			unknown = append(unknown, k)
		}
	}
	slices.SortFunc(unknown, func(a, b key) int { return strings.Compare(a.column+a.behaviour, b.column+b.behaviour) })
	for _, k := range unknown {
		out = append(out, cell{behaviour: Behaviour{Name: k.behaviour}, column: Column{Name: k.column}, reason: "it is in no list of behaviours"})
	}
	return out
}

// judge returns the outcome of a cell from those of its tests. not is the reason if the cell does
// not apply.
func judge(ends []string, not string) (outcome, string) {
	switch {
	case not != "" && len(ends) > 0:
		return failure, "it is listed as not applicable, but there is a test of it"
	case not != "":
		return notApplicable, not
	case len(ends) == 0:
		return failure, "there is no test of it, or it did not run"
	case slices.Contains(ends, "fail"):
		return failure, "its test failed"
	case slices.Contains(ends, "skip"):
		return failure, "its test was skipped"
	}
	return pass, ""
}

// counts counts cells by outcome.
type counts struct {
	title               string
	passed, not, failed int
}

func (c counts) String() string {
	return fmt.Sprintf("%s: %d passed, %d not applicable, %d failed", c.title, c.passed, c.not, c.failed)
}

func summary(title string, cells []cell) counts {
	n := counts{title: title}
	for _, c := range cells {
		switch c.outcome {
		case pass:
			n.passed++
		case notApplicable:
			n.not++
		default:
			n.failed++
		}
	}
	return n
}

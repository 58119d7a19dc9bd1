package simulation

import (
	"fmt"
	"testing"
	"testing/synctest"
)

// perSchedule is the number of operations of a schedule.
const perSchedule = 50

// Result is what a simulation found.
type Result struct {
	Operations, Schedules int
	Failures              []Failure
}

// Failure is a schedule that violated invariants.
type Failure struct {
	Seed, Schedule uint64
	Choices        []uint32
	Violations     []Violation
}

// Count returns the number of violations of a kind.
func (r *Result) Count(kind ViolationKind) int {
	n := 0
	for _, f := range r.Failures {
		for _, v := range f.Violations {
			if v.Kind == kind {
				n++
			}
		}
	}
	return n
}

// String is the closing line.
func (r *Result) String() string {
	return fmt.Sprintf("simulate: %d operations, %d schedules, %d duplicates, %d orphans, %d lost secrets, %d destroyed unasked, %d second writers, %d stuck",
		r.Operations, r.Schedules, r.Count(Duplicate), r.Count(Orphan), r.Count(LostSecret), r.Count(Destroyed), r.Count(SecondWriter), r.Count(Stuck))
}

// schedule runs one schedule in a bubble, and returns its violations.
func schedule(t *testing.T, c *choices, tr *trace, operations int) []Violation {
	var out []Violation
	synctest.Test(t, func(*testing.T) {
		w := newWorld(c, tr)
		w.run(operations)
		out = w.check.violations
	})
	return out
}

// Run carries out schedules of a seed until they have a number of operations, or stop reports true.
func Run(t *testing.T, seed uint64, operations int, stop func(*Result) bool) *Result {
	out := &Result{}
	for n := uint64(0); out.Operations < operations && (stop == nil || !stop(out)); n++ {
		c := newChoices(seed, n)
		if v := schedule(t, c, nil, perSchedule); len(v) > 0 {
			out.Failures = append(out.Failures, Failure{seed, n, c.made, v})
		}
		out.Operations += perSchedule
		out.Schedules++
	}
	return out
}

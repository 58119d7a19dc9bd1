package simulation

import (
	"flag"
	"fmt"
	"testing"
)

var (
	operations = flag.Int("operations", 2000, "number of operations")
	seed       = flag.Uint64("seed", 1, "seed")
	verbose    = flag.Bool("trace", false, "print the trace of the first failure")
)

func TestSimulate(t *testing.T) {
	r := Run(t, *seed, *operations, nil)
	for i, f := range r.Failures {
		if i > 10 {
			break
		}
		t.Errorf("schedule %d: %v", f.Schedule, f.Violations)
	}
	if *verbose && len(r.Failures) > 0 {
		tr := &trace{}
		schedule(t, newChoices(*seed, r.Failures[0].Schedule), tr, perSchedule)
		fmt.Println(tr)
	}
	fmt.Println(r)
}

func TestOne(t *testing.T) {
	tr := &trace{live: *verbose}
	v := schedule(t, newChoices(*seed, uint64(*one)), tr, perSchedule)
	fmt.Println(tr)
	fmt.Println(v)
}

var one = flag.Int("schedule", 0, "schedule")

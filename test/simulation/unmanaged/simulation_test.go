package unmanaged_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/test/simulation"
	"github.com/landbridge-io/landbridge/test/simulation/unmanaged"
)

// Few operations: `make simulate SCHEDULES=unmanaged`, which CI runs, has more of the same seed.
func TestInvariants(t *testing.T) {
	result := unmanaged.Run(t, simulation.Options{Seed: 1, Operations: 600})
	for _, f := range result.Failures {
		t.Error(f)
	}
	t.Log(result)
}

// The same seed has the same trace.
func TestSameSeedSameTrace(t *testing.T) {
	for schedule := range uint64(5) {
		first, _ := unmanaged.Trace(t, simulation.Options{Seed: 1}, schedule)
		second, _ := unmanaged.Trace(t, simulation.Options{Seed: 1}, schedule)
		if first != second {
			t.Errorf("schedule %d (-first +second):\n%s", schedule, cmp.Diff(strings.Split(first, "\n"), strings.Split(second, "\n")))
		}
	}
}

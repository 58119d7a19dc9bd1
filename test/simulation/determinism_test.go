package simulation_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/test/simulation"
)

// The same seed has the same trace.
func TestSameSeedSameTrace(t *testing.T) {
	tests := map[string]struct {
		seed, schedule, count uint64
		replicas              int
	}{
		"one seed":                                {1, 0, 2, 1},
		"another seed":                            {2, 0, 2, 1},
		"a record as large as a part":             {2, 22, 1, 1},
		"two lists of parts at one moment":        {2, 24, 1, 1},
		"a delete after its reconcile's deadline": {7, 116, 1, 1},
		"another one":                             {7, 248, 1, 1},
		"replicas":                                {1, 0, 3, 3},
		"other replicas":                          {1, 4, 6, 3},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for schedule := test.schedule; schedule < test.schedule+test.count; schedule++ {
				first, _ := simulation.Trace(t, simulation.Options{Seed: test.seed, Replicas: test.replicas}, schedule)
				second, _ := simulation.Trace(t, simulation.Options{Seed: test.seed, Replicas: test.replicas}, schedule)
				if first != second {
					t.Errorf("schedule %d (-first +second):\n%s", schedule, cmp.Diff(strings.Split(first, "\n"), strings.Split(second, "\n")))
				}
			}
		})
	}
}

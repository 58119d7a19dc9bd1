package simulation_test

import (
	"testing"

	"github.com/landbridge-io/landbridge/internal/simulation"
)

func TestInvariants(t *testing.T) {
	result := simulation.Run(t, simulation.Options{Seed: 1, Operations: 2000})
	for _, f := range result.Failures {
		t.Error(f)
	}
	t.Log(result)
}

// Schedules that once violated an invariant, on account of defects that are mended.
func TestFormerFailures(t *testing.T) {
	tests := map[string]struct{ seed, schedule uint64 }{
		"a former leader removed the finalizer of a resource whose create its successor had begun": {1, 24},
		"a retry token was forgotten with each failed write":                                       {1, 15},
		"a deleted stored instance was not stored again":                                           {1, 27},
		"the intent of a released resource was left behind":                                        {2, 6},
		"a resource was released while a create ran":                                               {3, 198},
		"a create without a certain look before it was taken for failed":                           {4, 157},
		"the intent of an earlier resource was taken for one's own":                                {4, 242},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			trace, violations := simulation.Trace(t, test.seed, test.schedule)
			if len(violations) > 0 {
				t.Errorf("%v\n%s", violations, trace)
			}
		})
	}
}

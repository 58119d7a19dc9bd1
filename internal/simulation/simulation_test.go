package simulation_test

import (
	"slices"
	"strings"
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

// TestSuspendedAtEveryCall suspends the leader at each call of the provider and of the API server, in the
// course of each operation, for longer than its lease, while another process takes over.
func TestSuspendedAtEveryCall(t *testing.T) {
	for _, resourceType := range simulation.Types() {
		for _, operation := range []string{"Create", "Update", "Delete"} {
			t.Run(resourceType+" "+operation, func(t *testing.T) {
				t.Parallel()
				var calls []string
				for at := 0; ; at++ {
					call, violations, trace := simulation.Suspension{Type: resourceType, Operation: operation, At: at}.Run(t)
					if len(violations) > 0 {
						t.Errorf("suspended at call %d, %s: %v\n%s", at, call, violations, trace)
					}
					if call == "" {
						break
					}
					calls = append(calls, call)
				}
				if !slices.Contains(calls, "apply "+operation+" of "+resourceType) || !slices.ContainsFunc(calls, func(c string) bool { return strings.HasPrefix(c, "update Secret") }) {
					t.Errorf("the calls are %q", calls)
				}
			})
		}
	}
}

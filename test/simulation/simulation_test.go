package simulation_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/test/simulation"
)

// Few operations, for the race detector: `make simulate`, which CI runs, has more of the same seed.
func TestInvariants(t *testing.T) {
	result := simulation.Run(t, simulation.Options{Seed: 1, Operations: 600})
	for _, f := range result.Failures {
		t.Error(f)
	}
	t.Log(result)
}

// Schedules that violated an invariant, because of a defect or of a deliberate fault, are tried
// again.
func TestKeptSchedules(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no schedules", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			kept, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if trace, violations := simulation.Replay(t, string(kept)); len(violations) > 0 {
				t.Errorf("%v\n%s", violations, trace)
			}
		})
	}
}

// TestSuspendedAtEveryCall suspends the leader at each call of the provider and of the API server,
// in the course of each operation, for longer than its lease, while another process takes over.
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
				if !slices.Contains(calls, "apply "+operation+" of "+resourceType) ||
					!slices.ContainsFunc(calls, func(c string) bool { return strings.HasPrefix(c, "update Secret") }) {
					t.Errorf("the calls are %q", calls)
				}
			})
		}
	}
}

// TestSuspendedWhileReleased suspends the leader at each call of a create whose record has parts,
// while another process releases the resource, and ends.
func TestSuspendedWhileReleased(t *testing.T) {
	for _, resourceType := range simulation.Types() {
		t.Run(resourceType, func(t *testing.T) {
			t.Parallel()
			for at := 0; ; at++ {
				call, violations, trace := simulation.Suspension{Type: resourceType, Operation: "Create", At: at, Deleted: true}.Run(t)
				if len(violations) > 0 {
					t.Errorf("suspended at call %d, %s: %v\n%s", at, call, violations, trace)
				}
				if call == "" {
					break
				}
			}
		})
	}
}

// The invariants hold, too, where objects are looked at by listing, where plans wait for approval,
// where replicas share the work, where resources refer to each other, where there are several
// accounts, and where actions are invoked before and after changes.
func TestInvariantsOfOtherSchedules(t *testing.T) {
	for name, options := range map[string]simulation.Options{
		"listing": {Seed: 1, Operations: 600, Lists: true}, "approvals": {Seed: 1, Operations: 600, Approvals: true},
		"replicas": {Seed: 1, Operations: 600, Replicas: 3}, "references": {Seed: 1, Operations: 600, References: true},
		"references among replicas": {Seed: 1, Operations: 900, References: true, Replicas: 3},
		"the brake":                 {Seed: 1, Operations: 600, Brake: true},
		"versions":                  {Seed: 1, Operations: 600, Versions: true},
		"accounts":                  {Seed: 1, Operations: 600, Accounts: true},
		"triggers":                  {Seed: 1, Operations: 600, Triggers: true},
	} {
		t.Run(name, func(t *testing.T) {
			result := simulation.Run(t, options)
			for _, f := range result.Failures {
				t.Error(f)
			}
			t.Log(result)
		})
	}
}

// TestMovedAtEveryCall gives a resource a configuration of another shard while a call of an
// operation is under way.
func TestMovedAtEveryCall(t *testing.T) {
	for _, resourceType := range simulation.Types() {
		for _, operation := range []string{"Create", "Update", "Delete"} {
			for then, deleted := range map[string]bool{"deleted": true, "edited": false} {
				t.Run(resourceType+" "+operation+" "+then, func(t *testing.T) {
					t.Parallel()
					var calls []string
					for at := 0; ; at++ {
						move := simulation.Move{Suspension: simulation.Suspension{Type: resourceType, Operation: operation, At: at}, Deleted: deleted}
						call, violations, trace := move.Run(t)
						if len(violations) > 0 {
							t.Errorf("delayed call %d, %s: %v\n%s", at, call, violations, trace)
						}
						if call == "" {
							break
						}
						calls = append(calls, call)
					}
					if !slices.Contains(calls, "apply "+operation+" of "+resourceType) {
						t.Errorf("the calls are %q", calls)
					}
				})
			}
		}
	}
}

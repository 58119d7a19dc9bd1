package scheduler_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/terraform"
)

// updates returns planned updates of an object of a module from values, each to the same one. There
// is none from that one, and none to what is not known beforehand from an empty value.
func updates(name, to string, from ...string) [][]terraform.Contained {
	var out [][]terraform.Contained
	for _, v := range from {
		var at []terraform.Contained
		if v != to {
			c := contains(name, terraform.Update, v, to)
			if to == "" {
				c.Changes[0].After = nil
			}
			at = append(at, c)
		}
		out = append(out, at)
	}
	return out
}

// An object of a module that reads show now as declared and now otherwise, though nothing changes
// it, never settles.
func TestObjectsOfModulesThatAlternate(t *testing.T) {
	for name, shown := range map[string][][]terraform.Contained{
		"every other read":                        updates("a", "0", "0", "1"),
		"every third read":                        updates("a", "0", "0", "0", "1"),
		"every third read shows it as declared":   updates("a", "0", "0", "1", "2"),
		"every fourth read, in another way twice": updates("a", "0", "0", "1", "0", "2"),
		"another order":                           updates("a", `["a","b"]`, `["a","b"]`, `["b","a"]`),
		"each time another order":                 updates("a", `["a","b","c"]`, `["a","b","c"]`, `["b","c","a"]`, `["c","a","b"]`),
		"what every other plan leaves unknown":    updates("a", "", "", "1"),
	} {
		t.Run(name, func(t *testing.T) {
			settledModule(t, nil, func(h *harness, m *moduleCloud) {
				m.shows = func(reads int) []terraform.Contained { return shown[reads%len(shown)] }
				done, refusal := h.polls(64)
				if len(done) > 16 || refusal != nil {
					t.Errorf("in 64 polls: %v, %v", done, refusal)
				}
				never := func(when string, shown bool) {
					t.Helper()
					got := h.observe().Unsettled
					if got == nil || !got.Never || !got.Alternates || got.Updates < 3 || len(got.Objects) != 1 ||
						got.Objects[0].Address != "test_thing.a" {
						t.Fatalf("%s: unsettled: %+v", when, got)
					}
					if shown && len(got.Objects[0].Changes) == 0 {
						t.Errorf("%s: no values: %+v", when, got)
					}
				}
				never("in the end", true)

				// A restart does not forget it, and neither does a look that finds nothing to
				// change.
				h.restart()
				if done, _ := h.polls(10); len(done) > 0 {
					t.Errorf("after a restart: %v", done)
				}
				for range 4 {
					never("after a restart", false)
				}

				// It is forgotten when it has not happened for long.
				m.shows = func(int) []terraform.Contained { return nil }
				h.polls(40)
				if got := h.observe().Unsettled; got != nil || h.stored().Instance.Unsettled != nil {
					t.Errorf("reads show it as declared again: %+v", got)
				}
			})
		})
	}
}

// What reads show now as declared and now as something that replaces it is destroyed once at most.
func TestReplacementsInModulesThatAlternate(t *testing.T) {
	settledModule(t, nil, func(h *harness, m *moduleCloud) {
		replaced := []terraform.Contained{contains("a", terraform.DeleteThenCreate, "1", "0")}
		m.shows = func(reads int) []terraform.Contained {
			if reads%2 == 0 {
				return nil
			}
			return replaced
		}
		if done, _ := h.polls(64); len(done) > 1 {
			t.Errorf("replaced %d times", len(done))
		}
		got := h.observe().Unsettled
		if got == nil || !got.Never || !got.Alternates {
			t.Errorf("unsettled: %+v", got)
		}
	})
}

// An object of a module that alternates delays no change of another one, and is updated no sooner
// for it.
func TestAlternatingObjectsOfModulesDelayNoOthers(t *testing.T) {
	settledModule(t, nil, func(h *harness, m *moduleCloud) {
		never := contains("a", terraform.Update, "1", "0")
		other := []terraform.Contained(nil)
		m.shows = func(reads int) []terraform.Contained {
			if reads%2 == 0 {
				return other
			}
			return append([]terraform.Contained{never}, other...)
		}
		h.polls(64)
		m.updated = map[string]int{}
		for i := range 8 {
			other = []terraform.Contained{contains("b", terraform.Update, fmt.Sprint(i), "9")}
			m.applied = func() { other = nil }
			if done, refusal := h.polls(1); !slices.Equal(done, []string{"Update"}) || refusal != nil {
				t.Errorf("change %d of another object: %v, %v", i, done, refusal)
			}
		}
		if diff := cmp.Diff(map[string]int{"test_thing.b": 8}, m.updated); diff != "" {
			t.Errorf("updated (-want +got):\n%s", diff)
		}
		if got := h.observe().Unsettled; got == nil || !got.Never || len(got.Objects) != 1 || got.Objects[0].Address != never.Address {
			t.Errorf("unsettled: %+v", got)
		}
	})
}

// A change that only the first of two plans shows does not make an update that waits begin.
func TestUpdatesOfModulesWaitIfNothingElseIsLeft(t *testing.T) {
	settledModule(t, []string{"a", "b"}, func(h *harness, m *moduleCloud) {
		never, other := contains("a", terraform.Update, "1", "2"), contains("b", terraform.Update, "9", "1")
		m.contained = []terraform.Contained{never}
		h.polls(32)
		if got := h.observe().Unsettled; got == nil || time.Until(got.NextAt) < 3*time.Minute {
			t.Fatalf("unsettled: %+v", got)
		}
		plans := 0
		m.changes = func() []terraform.Contained {
			if plans++; plans%2 == 0 {
				return []terraform.Contained{never}
			}
			return []terraform.Contained{never, other}
		}
		if done, refusal := h.polls(2); len(done) > 0 || refusal != nil {
			t.Errorf("%v, %v", done, refusal)
		}
	})
}

// What another hand changes of a module at every other look is changed back each time, and it is
// not said that it never settles.
func TestDriftOfModulesAtEveryOtherLook(t *testing.T) {
	settledModule(t, nil, func(h *harness, m *moduleCloud) {
		drift := []terraform.Contained(nil)
		m.shows = func(int) []terraform.Contained { return drift }
		m.applied = func() { drift = nil }
		for i := range 20 {
			drift = []terraform.Contained{contains("a", terraform.Update, fmt.Sprint(i%2), "9")}
			if done, refusal := h.polls(2); !slices.Equal(done, []string{"Update"}) || refusal != nil {
				t.Errorf("time %d: %v, %v", i, done, refusal)
			}
			if got := h.stored().Instance.Unsettled; got != nil {
				t.Fatalf("time %d: it is said not to settle: %+v", i, got)
			}
		}
	})
}

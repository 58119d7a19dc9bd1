package scheduler_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// contains is a planned change of an object of a module.
func contains(name string, action terraform.Action, before, after string) terraform.Contained {
	return terraform.Contained{Address: "test_thing." + name, Action: action, Changes: []terraform.ContainedChange{
		{Path: "size", Before: json.RawMessage(before), After: json.RawMessage(after), Replaces: action.IsReplace()},
	}}
}

// settledModule runs a test with a module whose objects were created as declared.
func settledModule(t *testing.T, names []string, test func(h *harness, m *moduleCloud)) {
	t.Helper()
	newEstate(t, noIdentity, func(e *estate) {
		m := &moduleCloud{cloud: newCloud(noIdentity)}
		for _, name := range names {
			m.contained = append(m.contained, contains(name, terraform.Update, "1", "2"))
		}
		h := e.module("a", 0, m)
		h.cloud = m.cloud
		h.r.CreateAttempts = 3
		h.settle()
		m.restless = true
		test(h, m)
	})
}

// The objects of a module are replaced and updated no more often than others.
func TestModulesThatNeverSettle(t *testing.T) {
	object := func(action terraform.Action, reason terraform.Reason) []terraform.Contained {
		out := contains("a", action, "1", "2")
		out.Reason = reason
		return []terraform.Contained{out}
	}
	for name, x := range map[string]struct {
		contained   []terraform.Contained
		varies      func(i int) []terraform.Contained
		fails       bool
		outdated    time.Duration
		least, most int
		refused     scheduler.Reason
	}{
		"updates": {contained: object(terraform.Update, ""), least: 6, most: 11},
		"updates to other values each time": {varies: func(i int) []terraform.Contained {
			return []terraform.Contained{contains("a", terraform.Update, fmt.Sprint(i), "2")}
		}, least: 6, most: 11},
		"updates that reads do not show at once": {
			contained: object(terraform.Update, ""), outdated: scheduler.DefaultCreationGracePeriod, least: 6, most: 11,
		},
		"outputs alone": {least: 6, most: 11},
		"replacements": {
			contained: object(terraform.DeleteThenCreate, terraform.ReplaceBecauseCannotUpdate), least: 1, most: 2,
			refused: decision.ReasonNeverSettles,
		},
		"replacements because of other values each time": {varies: func(i int) []terraform.Contained {
			return []terraform.Contained{contains("a", terraform.DeleteThenCreate, fmt.Sprint(i), "2")}
		}, least: 1, most: 2, refused: decision.ReasonNeverSettles},
		"replacements because tainted": {
			contained: object(terraform.DeleteThenCreate, terraform.ReplaceBecauseTainted), fails: true, least: 3,
			most: 3, refused: decision.ReasonCreateAttemptsExhausted,
		},
	} {
		t.Run(name, func(t *testing.T) {
			settledModule(t, nil, func(h *harness, m *moduleCloud) {
				m.contained, m.outdated = x.contained, x.outdated
				if i := 0; x.varies != nil {
					m.changes = func() []terraform.Contained { i++; return x.varies(i) }
				}
				if x.fails {
					m.manner = refused
				}
				done, refusal := h.polls(64)
				if n := len(done); n < x.least || n > x.most {
					t.Errorf("in 64 polls: %v, %v", done, refusal)
				}
				if x.refused != "" {
					h.refuses(refusal, x.refused)
				}
				if got := h.observe().Unsettled; !x.fails && (got == nil || !got.Never || len(got.Objects) != 1) {
					t.Errorf("unsettled: %+v", got)
				}
				if x.fails {
					return // attempts are counted by each process
				}
				// A process that does not know what the last apply has left does no more.
				h.restart()
				if done, _ := h.polls(3); len(done) > 1 || x.varies == nil && x.refused == decision.ReasonNeverSettles && len(done) > 0 {
					t.Errorf("after a restart: %v", done)
				}
			})
		})
	}
}

// One object of a module that never settles delays no change of another one, which is not told
// either.
func TestObjectsOfModulesAreCountedAlone(t *testing.T) {
	settledModule(t, []string{"a", "b"}, func(h *harness, m *moduleCloud) {
		never := contains("a", terraform.Update, "1", "2")
		m.contained = []terraform.Contained{never}
		h.polls(32)
		got := h.observe().Unsettled
		if got == nil || !got.Never || time.Until(got.NextAt) < 2*time.Minute {
			t.Fatalf("unsettled: %+v", got)
		}
		h.cloud.change(h.cloud.ids()[0], object{"a", 9})
		m.contained = []terraform.Contained{never, contains("b", terraform.Update, "9", "1")}
		m.applied = func() { m.contained = []terraform.Contained{never} }
		m.updated = map[string]int{}
		if done, _ := h.polls(1); !slices.Equal(done, []string{"Update"}) {
			t.Errorf("the change of another object: %v", done)
		}
		if diff := cmp.Diff(map[string]int{"test_thing.b": 1}, m.updated); diff != "" {
			t.Errorf("updated (-want +got):\n%s", diff)
		}
		got = h.observe().Unsettled
		if got == nil || len(got.Objects) != 1 || got.Objects[0].Address != never.Address || !got.Never {
			t.Errorf("unsettled: %+v", got)
		}
		if of := h.stored().Instance.Unsettled; of == nil || len(of.Objects) != 1 || of.Objects[never.Address].Updates < 3 {
			t.Errorf("counted: %+v", of)
		}

		// What settles is forgotten.
		m.restless = false
		h.restart()
		if done, _ := h.polls(2); len(done) > 0 || h.stored().Instance.Unsettled != nil {
			t.Errorf("it has settled: %v, %+v", done, h.stored().Instance.Unsettled)
		}
	})
}

// Attempts at a change that fails repeat no update of another object, which does not settle. The
// update is made again when it is due, also after another process has begun.
func TestAttemptsInModulesRepeatNoUpdates(t *testing.T) {
	for name, restarts := range map[string]bool{"one process": false, "several processes": true} {
		t.Run(name, func(t *testing.T) {
			settledModule(t, []string{"a", "b"}, func(h *harness, m *moduleCloud) {
				never := contains("a", terraform.Update, "1", "2")
				m.contained = []terraform.Contained{never}
				h.polls(32)
				m.contained = append(m.contained, contains("b", terraform.Create, "null", "1"))
				m.made, m.fails = []string{never.Address}, diagnostic.Errorf("Refused", "It is.")
				m.updated = map[string]int{}
				attempts := m.applies
				for range 64 {
					h.polls(1)
					if restarts {
						h.restart()
					}
				}
				attempts = m.applies - attempts
				if n := m.updated[never.Address]; n == 0 || n > 6 || attempts < 12 {
					t.Errorf("updated %d times by %d attempts", n, attempts)
				}
				if got := h.observe().Unsettled; got == nil || !got.Never {
					t.Errorf("unsettled: %+v", got)
				}
			})
		})
	}
}

// What is changed outside is replaced each time, also the same way.
func TestModulesThatSettle(t *testing.T) {
	settledModule(t, []string{"a"}, func(h *harness, m *moduleCloud) {
		m.restless = false
		for i := range 5 {
			m.contained = []terraform.Contained{contains("a", terraform.DeleteThenCreate, "9", "1")}
			h.cloud.change(h.cloud.ids()[0], object{"a", 9})
			if done, refusal := h.polls(4); !slices.Equal(done, []string{"Update"}) || refusal != nil {
				t.Errorf("time %d: %v, %v", i, done, refusal)
			}
		}
		if of := h.stored().Instance.Unsettled; of != nil {
			t.Errorf("counted: %+v", of)
		}
	})
}

// An object of a module that its create has not left as planned, without an error, is kept.
func TestInconsistentCreateInModule(t *testing.T) {
	settledModule(t, []string{"a"}, func(h *harness, m *moduleCloud) {
		replaced := contains("a", terraform.DeleteThenCreate, "1", "2")
		m.contained = []terraform.Contained{replaced}
		m.fails = diagnostic.Diagnostics{{
			Severity: diagnostic.Error, Summary: "Provider produced inconsistent result after apply", Object: replaced.Address,
		}}
		m.applied = func() {
			replaced.Reason = terraform.ReplaceBecauseTainted
			m.contained = []terraform.Contained{replaced}
		}
		for range 3 {
			done, refusal := h.polls(20)
			h.regulate() // no other configuration
			if h.restart(); len(done) > 1 {
				t.Errorf("done: %v", done)
			}
			h.refuses(refusal, decision.ReasonInconsistentResult)
			if !h.observe().Inconsistent {
				t.Error("it is not told")
			}
		}
		h.r.Asked.Retry = "again"
		done, refusal := h.polls(20)
		if diff := cmp.Diff([]string{"Update"}, done); diff != "" {
			t.Errorf("a retry:\n%s", diff)
		}
		h.refuses(refusal, decision.ReasonInconsistentResult)
	})
}

// An object is not replaced at all if its create has left another value than it has set.
func TestReplacementThatDoesNotHelpInModule(t *testing.T) {
	for name, x := range map[string]struct {
		prior, planned string
		done           []string
	}{
		"as it was left":      {"left", "wanted", nil},
		"changed since":       {"changed", "wanted", []string{"Update"}},
		"other values wanted": {"left", "other", []string{"Update"}},
	} {
		t.Run(name, func(t *testing.T) {
			newEstate(t, noIdentity, func(e *estate) {
				m := &moduleCloud{cloud: newCloud(noIdentity), left: map[string]map[string]string{"test_thing.a": {"size": "left"}}}
				c := contains("a", terraform.DeleteThenCreate, "1", "2")
				c.Planned = map[string]string{"size": "wanted"}
				m.contained = []terraform.Contained{c}
				h := e.module("a", 0, m)
				h.cloud = m.cloud
				h.settle()
				m.restless = true
				m.contained[0].Prior, m.contained[0].Planned = map[string]string{"size": x.prior}, map[string]string{"size": x.planned}
				done, refusal := h.polls(1)
				if diff := cmp.Diff(x.done, done); diff != "" {
					t.Errorf("done:\n%s", diff)
				}
				h.refuses(refusal, decision.ReasonNeverSettles)
			})
		})
	}
}

// What a failed apply has replaced counts, and what it has not does not.
func TestReplacementsByFailedAppliesOfModules(t *testing.T) {
	settledModule(t, []string{"a", "b"}, func(h *harness, m *moduleCloud) {
		a, b := contains("a", terraform.DeleteThenCreate, "1", "2"), contains("b", terraform.DeleteThenCreate, "1", "2")
		m.contained, m.made = []terraform.Contained{a, b}, []string{a.Address}
		m.fails = diagnostic.Errorf("Refused", "It is.")
		done, refusal := h.polls(200)
		if len(done) == 0 || len(done) > 2 {
			t.Errorf("done: %v", done)
		}
		h.refuses(refusal, decision.ReasonNeverSettles)
		of := h.stored().Instance.Unsettled
		if of == nil || of.Objects[a.Address].Replacements != 2 || of.Objects[b.Address].Replacements != 0 {
			t.Errorf("counted: %+v", of)
		}
	})
}

// An apply that only creates what another one has destroyed does not begin the count anew.
func TestReplacementsInTwoAppliesOfModules(t *testing.T) {
	address := []string{"test_thing.a"}
	for name, x := range map[string]struct {
		action terraform.Action
		reason terraform.Reason
		made   []string // by the first apply
	}{
		"a create": {action: terraform.Create},
		"another one, since the create has failed":     {action: terraform.DeleteThenCreate, reason: terraform.ReplaceBecauseTainted},
		"a create, after a failure that was a success": {action: terraform.Create, made: address},
		"another one, after a failure that left another": {
			action: terraform.DeleteThenCreate, reason: terraform.ReplaceBecauseTainted, made: address,
		},
	} {
		t.Run(name, func(t *testing.T) {
			settledModule(t, []string{"a"}, func(h *harness, m *moduleCloud) {
				halves := []terraform.Contained{
					contains("a", terraform.DeleteThenCreate, "1", "2"),
					contains("a", terraform.DeleteThenCreate, "1", "2"),
				}
				halves[0].Reason = terraform.ReplaceBecauseCannotUpdate
				halves[1].Action, halves[1].Reason = x.action, x.reason
				destroys, half := 0, 0
				m.changes = func() []terraform.Contained { return halves[half : half+1] }
				fails := func() {
					if m.fails, m.made = nil, address; half == 0 {
						m.made = x.made
						m.fails = diagnostic.Errorf("Refused", "The name is taken.")
						destroys++
					}
				}
				m.applied = func() { fails(); half = 1 - half }
				_, refusal := h.polls(100)
				if destroys < 1 || destroys > 2 {
					t.Errorf("replaced %d times", destroys)
				}
				h.refuses(refusal, decision.ReasonNeverSettles)
			})
		})
	}
}

// Another configuration replaces an object no more often because of the same values, if these are
// known, and another release does.
func TestReplacementsOfModulesWithOtherConfigurations(t *testing.T) {
	known := contains("a", terraform.DeleteThenCreate, "1", "2")
	unnamed, unknown := known, contains("a", terraform.DeleteThenCreate, "1", "2")
	unnamed.Changes = nil // as by replace_triggered_by
	unknown.Changes[0].After = nil
	for name, x := range map[string]struct {
		contained terraform.Contained
		again     bool
	}{
		"the same values": {known, false},
		"unknown values":  {unknown, true},
		"no values":       {unnamed, true},
	} {
		t.Run(name, func(t *testing.T) {
			settledModule(t, []string{"a"}, func(h *harness, m *moduleCloud) {
				m.contained = []terraform.Contained{x.contained}
				if done, refusal := h.polls(64); len(done) == 0 || len(done) > 2 || refusal == nil {
					t.Fatalf("replaced: %v, %v", done, refusal)
				}
				h.regulate()
				h.restart()
				if done, _ := h.polls(64); len(done) > 0 {
					t.Errorf("replaced after an edit of the policies: %v", done)
				}
				h.want("a", 5)
				h.restart()
				done, refusal := h.polls(64)
				if again := len(done) > 0; again != x.again || len(done) > 2 {
					t.Errorf("replaced with another configuration: %v", done)
				}
				h.refuses(refusal, decision.ReasonNeverSettles)
				h.r.Release = "another"
				h.restart()
				if done, _ := h.polls(64); len(done) == 0 {
					t.Error("not replaced by another release")
				}
			})
		})
	}
}

// An apply that fails without a change forgets nothing of what the last one has left.
func TestFailedAppliesOfModulesThatNeverSettle(t *testing.T) {
	settledModule(t, []string{"a"}, func(h *harness, m *moduleCloud) {
		m.contained = []terraform.Contained{contains("a", terraform.Update, "1", "2")}
		applied, asked := 0, 0
		h.cloud.asked = func(terraform.Plan) {
			if asked++; asked%2 == 0 {
				h.cloud.manner = refused
				return
			}
			h.cloud.manner = inOrder
			applied++
		}
		done, refusal := h.polls(64)
		if applied < 3 || applied > 11 {
			t.Errorf("applied %d times in 64 polls: %v, %v", applied, done, refusal)
		}
		if got := h.observe().Unsettled; got == nil || !got.Never {
			t.Errorf("unsettled: %+v", got)
		}
	})
}

package scheduler_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
)

// rests puts the resource to rest.
func (h *harness) rests() {
	h.t.Helper()
	h.settle()
	h.observe() // what an operation has left is planned
	if !h.sched.Rest(h.r) {
		h.t.Fatal("the resource does not rest")
	}
	h.log.take()
}

// atRest returns a look that has nothing of the resource but its name.
func (h *harness) atRest() scheduler.Look {
	return scheduler.Look{
		Key: h.r.Key, UID: h.r.UID, Type: h.r.Type, Handles: h.r.Handles,
		Access: scheduler.Access{
			Acquire: h.r.Acquire, Paused: h.r.Paused, ProviderConfiguration: h.r.ProviderConfiguration, Account: h.r.Account,
		},
	}
}

// A look without the resource finds only that a resource is at rest, and leaves everything else to
// a whole request.
func TestNotAtRest(t *testing.T) {
	for name, tc := range map[string]struct {
		is    func(h *harness)
		calls []string
		err   bool
	}{
		"at rest": {is: func(*harness) {}, calls: []string{"refresh"}},
		"awake":   {is: func(h *harness) { h.observe(); h.log.take() }, err: true},
		"unknown": {is: func(h *harness) { h.restart() }, err: true},
		"another object": {
			is:    func(h *harness) { h.cloud.change(h.cloud.ids()[0], object{"a", int64(7)}) },
			calls: []string{"refresh"}, err: true,
		},
		"no object": {is: func(h *harness) { h.cloud.remove(h.cloud.ids()[0]) }, calls: []string{"refresh"}, err: true},
		"a warning": {
			is:    func(h *harness) { h.cloud.warns = diagnostic.Warningf("Careful", ".") },
			calls: []string{"refresh"}, err: true,
		},
		"other bytes":             {is: func(h *harness) { h.cloud.otherBytes = true }, calls: []string{"refresh"}, err: true},
		"another account":         {is: func(h *harness) { h.r.Account.Content = "other" }, err: true},
		"another configuration":   {is: func(h *harness) { h.r.ProviderConfiguration = "other" }, err: true},
		"another schema":          {is: func(h *harness) { other := *h.r.Type.Schema; h.r.Type.Schema = &other }, err: true},
		"the record may be lost":  {is: func(h *harness) { h.sched.Lost(h.r.Key) }, calls: []string{"wake"}, err: true},
		"its record is read anew": {is: func(h *harness) { h.sched.Reload(h.r.Key) }, err: true},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, assigned, func(h *harness) {
				h.cloud.silentPlans = true
				h.rests()
				tc.is(h)
				if err := h.sched.Look(t.Context(), h.atRest()); (err != nil) != tc.err || err != nil && !errors.Is(err, scheduler.ErrNotAtRest) {
					t.Errorf("looked: %v", err)
				}
				if diff := cmp.Diff(tc.calls, h.log.take()); diff != "" {
					t.Errorf("calls (-want +got):\n%s", diff)
				}
			})
		})
	}
	t.Run("an object that cannot be read", func(t *testing.T) {
		bubble(t, assigned, func(h *harness) {
			h.cloud.silentPlans = true
			h.rests()
			h.cloud.fail["refresh"] = diagnostic.Errorf("No", ".")
			var se *scheduler.Error
			if err := h.sched.Look(t.Context(), h.atRest()); !errors.As(err, &se) || se.Reason != decision.ReasonReadFailed {
				t.Errorf("observed: %v", err)
			}
		})
	})
}

// A look at a resource at rest is one read, and anything else finds what it would without rest.
func TestRest(t *testing.T) {
	for _, kind := range []identityKind{noIdentity, assigned, plannedIdentity, derivable} {
		t.Run(string(kind), func(t *testing.T) {
			bubble(t, kind, func(h *harness) {
				h.cloud.silentPlans = true
				h.settle()
				before := h.observe()
				h.rests()
				h.r.Resting = true
				for range 3 {
					if o := h.observe(); o != scheduler.Rested {
						t.Errorf("observed %v", o)
					}
					if !h.sched.IsSmall(h.r.UID) {
						t.Error("memory has more of it than is needed")
					}
				}
				if diff := cmp.Diff([]string{"refresh", "refresh", "refresh"}, h.log.take()); diff != "" {
					t.Errorf("calls (-want +got):\n%s", diff)
				}
				for range 3 {
					if err := h.sched.Look(t.Context(), h.atRest()); err != nil {
						t.Errorf("looked: %v", err)
					}
					if !h.sched.IsSmall(h.r.UID) {
						t.Error("memory has more of it than is needed")
					}
				}
				if diff := cmp.Diff([]string{"refresh", "refresh", "refresh"}, h.log.take()); diff != "" {
					t.Errorf("calls of looks without the resource (-want +got):\n%s", diff)
				}
				h.r.Resting = false
				if in := h.sched.Recall(h.r.Key, h.r.UID); !in.State.RawEquals(before.Instance.State) {
					t.Errorf("recalled %#v, before %#v", in.State, before.Instance.State)
				}
				if in := h.sched.Recall(h.r.Key, "other"); in.Exists() {
					t.Errorf("recalled %#v of another resource", in.State)
				}
				after := h.observe()
				if after == scheduler.Rested || !after.Instance.State.RawEquals(before.Instance.State) ||
					after.Plan != before.Plan || after.Last != before.Last ||
					(before.Instance.Identity != cty.NilVal) != (after.Instance.Identity != cty.NilVal) || !after.Exists() || !after.Steady() {
					t.Errorf("observed %+v, before %+v", after, before)
				}
				if kind != noIdentity && !after.Instance.Identity.RawEquals(before.Instance.Identity) {
					t.Errorf("identity %#v, before %#v", after.Instance.Identity, before.Instance.Identity)
				}
			})
		})
	}
}

// An object of which the provider sends other bytes each time is read once for each look, as ever,
// and keeps its resource awake.
func TestRestless(t *testing.T) {
	bubble(t, assigned, func(h *harness) {
		h.cloud.silentPlans = true
		h.rests()
		h.cloud.otherBytes, h.r.Resting = true, true
		if o := h.observe(); o == scheduler.Rested || !o.Steady() || !o.Exists() {
			t.Errorf("observed %+v", o)
		}
		if diff := cmp.Diff([]string{"refresh"}, h.log.take()); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
		if h.sched.Rest(h.r) {
			t.Error("it rests again")
		}
	})
}

// Only what can be made again is forgotten.
func TestNoRest(t *testing.T) {
	for name, is := range map[string]func(h *harness){
		"nothing was observed":  func(h *harness) { h.settle(); h.restart() },
		"it differs":            func(h *harness) { h.settle(); h.want("a", 2); h.observe() },
		"another configuration": func(h *harness) { h.settle(); h.observe(); h.want("a", 2) },
		"it warns":              func(h *harness) { h.settle(); h.cloud.warns = diagnostic.Warningf("Careful", "."); h.observe() },
		"only observed": func(h *harness) {
			h.r.Policies.Manage = false
			h.r.Import.Target = byID(h.cloud.add(object{"a", 1}))
			h.settle()
			h.observe()
		},
		"it is deleted": func(h *harness) { h.settle(); h.deleting(); h.observe() },
		"looked at by lists": func(h *harness) {
			h.settle()
			h.observe()
			h.r.ListRefresh = &scheduler.ListRefresh{ReadEvery: 2, Interval: time.Minute}
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, assigned, func(h *harness) {
				h.cloud.silentPlans = true
				is(h)
				if h.sched.Rest(h.r) {
					t.Error("the resource rests")
				}
			})
		})
	}
}

// Whatever happens, a resource that rests whenever it can does the same as one that never does.
func TestRestChangesNothing(t *testing.T) {
	steps := []string{
		"look", "look", "look", "apply", "change", "remove", "configure", "reconfigure", "fail", "recover", "warn",
		"delete", "claim", "mark", "restart",
		"reload", "lose", "taint", "hold", "replace policies", "other bytes", "other account",
	}
	// After these, the resource is not as it was when it came to rest.
	changes := map[string]bool{"configure": true, "reconfigure": true, "delete": true, "taint": true, "hold": true, "replace policies": true}
	total := 0
	run := func(t *testing.T, kind identityKind, script []string, resting bool) (trace []string) {
		bubble(t, kind, func(h *harness) {
			h.cloud.silentPlans = true
			h.r.Release, h.r.Version, h.r.Account.Content = "1", "1", "account"
			rested, same := 0, false
			note := func(format string, args ...any) { trace = append(trace, fmt.Sprintf(format, args...)) }
			seen := func(o *scheduler.Observation, err error) {
				var se *scheduler.Error
				switch {
				case errors.As(err, &se):
					note("%s", se.Reason)
				case err != nil:
					note("%v", err)
				case o == scheduler.Rested:
					rested++
					note("exists true steady true")
				default:
					note("exists %t steady %t", o.Exists(), o.Steady())
					if !o.Steady() {
						note("%#v %#v", o.Instance.State, o.Instance.Identity)
						if o.Plan != nil {
							note("%s %s", o.Plan.Action, o.Plan.Reason)
						}
					}
				}
			}
			h.settle()
			for i, step := range script {
				note("%s:", step)
				same = same && !changes[step]
				switch step {
				case "look":
					if same {
						if err := h.sched.Look(t.Context(), h.atRest()); !errors.Is(err, scheduler.ErrNotAtRest) {
							seen(scheduler.Rested, err)
							break
						}
						if calls := h.log.take(); len(calls) > 1 || len(calls) == 1 && calls[0] != "refresh" {
							note("a look without the resource: %s", calls)
						}
					}
					h.r.Resting = resting
					o, err := h.sched.Observe(t.Context(), h.r)
					h.r.Resting = false
					seen(o, err)
					same = resting && err == nil && o.Steady() && h.sched.Rest(h.r)
				case "apply":
					seen(h.sched.Observe(t.Context(), h.r))
					note("%v", h.sched.Apply(t.Context(), h.r) == nil)
				case "change":
					for _, id := range h.cloud.ids() {
						h.cloud.change(id, object{"a", int64(10 + i)})
					}
				case "remove":
					for _, id := range h.cloud.ids() {
						h.cloud.remove(id)
					}
				case "configure":
					h.want("a", 2)
				case "reconfigure":
					h.want("a", 1)
				case "fail":
					h.cloud.fail["refresh"] = diagnostic.Errorf("No", ".")
				case "recover":
					delete(h.cloud.fail, "refresh")
					h.cloud.warns = nil
				case "warn":
					h.cloud.warns = diagnostic.Warningf("Careful", ".")
				case "other bytes":
					h.cloud.otherBytes = !h.cloud.otherBytes
				case "delete":
					seen(h.sched.Observe(t.Context(), h.r))
					r := h.r
					r.Deleted, r.Config, r.ConfigHash = true, nil, ""
					note("%v", h.sched.Delete(t.Context(), r) == nil)
				case "claim":
					note("%v", h.sched.Claim(t.Context(), h.r))
				case "mark":
					_, ok := h.sched.Mark(h.r)
					note("%t", ok)
				case "restart":
					h.restart()
				case "reload":
					h.sched.Reload(h.r.Key)
				case "lose":
					h.store.mu.Lock()
					delete(h.store.records, h.r.Key)
					h.store.mu.Unlock()
					h.sched.Lost(h.r.Key)
				case "taint":
					h.r.Asked.Taint = fmt.Sprint(i)
				case "other account":
					h.r.Account.Content += "x"
				case "hold":
					h.r.Policies.Update = !h.r.Policies.Update
				case "replace policies":
					h.r.Policies.Manage = !h.r.Policies.Manage
				}
				synctest.Wait()
				trace = append(trace, h.log.take()...)
			}
			if rec, ok := h.record(); ok {
				note("%#v %#v %v", rec.Instance.State, rec.Instance.Identity, rec.Instance.Status)
			}
			note("%v", h.cloud.objects)
			total += rested
		})
		return trace
	}
	rapid.Check(t, func(rt *rapid.T) {
		kind := rapid.SampledFrom([]identityKind{noIdentity, assigned, plannedIdentity, derivable}).Draw(rt, "kind")
		// The second look finds the resource at rest, in whichever kinds can rest.
		script := append([]string{"look", "look"}, rapid.SliceOfN(rapid.SampledFrom(steps), 1, 25).Draw(rt, "script")...)
		var with, without []string
		t.Run("resting", func(t *testing.T) { with = run(t, kind, script, true) })
		t.Run("awake", func(t *testing.T) { without = run(t, kind, script, false) })
		if diff := cmp.Diff(without, with); diff != "" {
			rt.Fatalf("-awake +resting:\n%s", diff)
		}
	})
	if total == 0 {
		t.Error("nothing ever rests")
	}
}

package scheduler_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

func TestApply(t *testing.T) {
	cases := map[string]struct {
		manner manner
		prior  bool // an object a of size 1 exists
		name   string
		size   int64
		calls  []string // of the apply and what follows until nothing runs
		status instance.Status
		failed bool
	}{
		"create": {
			name: "a", size: 1, calls: []string{"import", "save intent Create", "apply Create", "save", "wake"},
			status: instance.Full,
		},
		"create refused": {
			manner: refused, name: "a", size: 1, calls: []string{
				"import", "save intent Create", "apply Create", "save", "wake",
			}, failed: true,
		},
		"create halfway": {
			manner: halfway, name: "a", size: 1, calls: []string{
				"import", "save intent Create", "apply Create", "save", "wake",
			}, status: instance.Tainted, failed: true,
		},
		"update": {
			prior: true, name: "a", size: 2, calls: []string{"save intent Update", "apply Update", "save", "wake"},
			status: instance.Full,
		},
		"update refused": {
			manner: refused, prior: true, name: "a", size: 2, calls: []string{
				"save intent Update", "apply Update", "save", "wake",
			}, status: instance.Full, failed: true,
		},
		"update halfway": {
			manner: halfway, prior: true, name: "a", size: 2, calls: []string{
				"save intent Update", "apply Update", "save", "wake",
			}, status: instance.Full, failed: true,
		},
		"update silent": {
			manner: silentDone, prior: true, name: "a", size: 2, calls: []string{
				"save intent Update", "apply Update", "save", "wake",
			}, status: instance.Full, failed: true,
		},
		"replace": {
			prior: true, name: "b", size: 1,
			calls: []string{"plan destroy", "save intent Delete", "apply Delete", "save", "wake"},
		},
		"replace refused": {
			manner: refused, prior: true, name: "b", size: 1,
			calls:  []string{"plan destroy", "save intent Delete", "apply Delete", "save", "wake"},
			status: instance.Full, failed: true,
		},
		"nothing to do": {prior: true, name: "a", size: 1, status: instance.Full},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			bubble(t, derivable, func(h *harness) {
				if tc.prior {
					h.settle()
				}
				h.want(tc.name, tc.size)
				if tc.manner != "" {
					h.cloud.manner = tc.manner
				}
				h.observe()
				h.log.take()
				h.apply()
				synctest.Wait()
				if diff := cmp.Diff(tc.calls, h.log.take()); diff != "" {
					t.Errorf("order of events (-want +got):\n%s", diff)
				}
				in := h.stored().Instance
				if in.Status != tc.status || in.Operation != nil {
					t.Errorf("stored status %q, operation %v; want %q and none", in.Status, in.Operation, tc.status)
				}
				if tc.calls == nil {
					return
				}
				o := h.observe()
				if o.Last == nil || o.Last.Failed() != tc.failed || o.Last.RetryAt.IsZero() == tc.failed {
					t.Errorf("last outcome: %+v", o.Last)
				}
				h.cloud.manner = inOrder
				time.Sleep(time.Hour)
				synctest.Wait()
				final := h.settle()
				if ids := h.cloud.ids(); len(ids) != 1 || ids[0] != idOf(final.Instance) {
					t.Errorf("objects are %v in the end, %s is known", ids, idOf(final.Instance))
				}
				if o := h.cloud.objects[idOf(final.Instance)]; o != (object{tc.name, tc.size}) {
					t.Errorf("object is %v in the end", o)
				}
			})
		})
	}
}

// A replacement destroys, and creates with what is observed after that.
func TestReplaceIsTwoOperations(t *testing.T) {
	bubble(t, derivable, func(h *harness) {
		h.settle()
		h.want("b", 1)
		h.observe()
		h.apply()
		synctest.Wait()
		if o := h.observe(); o.Exists() || o.Plan.Action != terraform.Create || o.Last.Kind != instance.Delete {
			t.Fatalf("after the first half: exists %v, plan %s, last %s", o.Exists(), o.Plan.Action, o.Last.Kind)
		}
		h.apply()
		synctest.Wait()
		if o := h.observe(); !o.UpToDate() || o.Last.Kind != instance.Create {
			t.Errorf("after the second half: %+v", o)
		}
	})
}

func TestReplaceRefused(t *testing.T) {
	cases := map[string]struct {
		taint                     bool
		allowReplace, keepTainted bool
		refused                   bool
	}{
		"allowed":                        {allowReplace: true},
		"not allowed":                    {refused: true},
		"taints kept, which this is not": {allowReplace: true, keepTainted: true},
		"tainted":                        {taint: true, allowReplace: true},
		"tainted, not allowed":           {taint: true, refused: true},
		"tainted, kept":                  {taint: true, allowReplace: true, keepTainted: true, refused: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			bubble(t, derivable, func(h *harness) {
				if tc.taint {
					h.cloud.manner = halfway
					h.observe()
					h.apply()
					synctest.Wait()
					h.cloud.manner = inOrder
					time.Sleep(time.Hour)
					synctest.Wait()
				} else {
					h.settle()
					h.want("b", 1)
				}
				h.r.Policies.Replace, h.r.Policies.ReplaceTainted = tc.allowReplace, !tc.keepTainted
				h.observe()
				applies := h.cloud.applies
				err := h.sched.Apply(t.Context(), h.r)
				synctest.Wait()
				if !tc.refused {
					if err != nil || h.cloud.applies != applies+1 {
						t.Errorf("error %v, %d applies", err, h.cloud.applies-applies)
					}
					return
				}
				se := h.refuses(err, decision.ReasonReplaceRefused)
				if !tc.taint {
					if got := diagnostic.FormatPath(se.Diagnostics[0].Attribute); got != "name" {
						t.Errorf("the attribute is %q", got)
					}
				}
				if h.cloud.applies != applies {
					t.Error("the provider was asked all the same")
				}
			})
		})
	}
}

func TestDelete(t *testing.T) {
	bubble(t, derivable, func(h *harness) {
		h.settle()
		h.r.Config, h.r.ConfigHash, h.cloud.manner = nil, "", refused
		if o := h.observe(); !o.Exists() || o.Plan != nil {
			t.Fatalf("exists %v, plan %v", o.Exists(), o.Plan)
		}
		h.log.take()
		if err := h.sched.Delete(t.Context(), h.r); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if diff := cmp.Diff([]string{"plan destroy", "save intent Delete", "apply Delete", "save", "wake"}, h.log.take()); diff != "" {
			t.Errorf("order of events (-want +got):\n%s", diff)
		}
		h.observe()
		if se := h.refuses(h.sched.Delete(t.Context(), h.r),
			decision.ReasonOperationFailed); !se.Diagnostics.HasSummary("Quota exceeded") || se.RetryAt.IsZero() {
			t.Errorf("got %+v", se)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		h.cloud.manner = inOrder
		h.observe()
		if err := h.sched.Delete(t.Context(), h.r); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if h.observe().Exists() || len(h.cloud.ids()) != 0 {
			t.Error("it exists still")
		}
		if err := h.sched.Delete(t.Context(), h.r); err != nil {
			t.Errorf("deleting what is gone: %v", err)
		}
	})
}

// What was not observed is not taken for what does not exist.
func TestNothingIsDoneWithoutObservation(t *testing.T) {
	bubble(t, derivable, func(h *harness) {
		h.settle()
		h.restart()
		if err := h.sched.Apply(t.Context(), h.r); err == nil {
			t.Error("Apply before Observe")
		}
		if err := h.sched.Delete(t.Context(), h.r); err == nil {
			t.Error("Delete before Observe")
		}
		h.observe()
		h.want("a", 2)
		if err := h.sched.Apply(t.Context(), h.r); err == nil {
			t.Error("Apply of another configuration than was observed")
		}
		synctest.Wait()
		if h.cloud.applies != 1 {
			t.Errorf("%d applies", h.cloud.applies)
		}
	})
}

// Who asks never waits, and there is one operation at a time.
func TestOneOperation(t *testing.T) {
	bubble(t, derivable, func(h *harness) {
		first := h.settle()
		h.want("a", 2)
		h.observe()
		h.cloud.block = make(chan struct{})
		h.cloud.most = 0
		h.apply()
		synctest.Wait() // the provider is at it now
		if h.sched.Running() != 1 {
			t.Errorf("Running is %d", h.sched.Running())
		}
		writes := h.store.writes
		var last *scheduler.Observation
		for i := range 3 {
			h.apply()
			if err := h.sched.Delete(t.Context(), h.r); err != nil {
				t.Fatal(err)
			}
			o := h.observe()
			if o.Operation == nil || o.Operation.Kind != instance.Update || o.Plan != nil || idOf(o.Instance) != idOf(first.Instance) {
				t.Fatalf("while an operation runs: %+v", o)
			}
			if i > 0 && o != last {
				t.Error("another observation, though nothing has changed")
			}
			last = o
		}
		synctest.Wait()
		if h.cloud.most != 1 || h.store.writes != writes {
			t.Errorf("%d operations at once, %d writes", h.cloud.most, h.store.writes-writes)
		}
		if op := h.stored().Instance.Operation; op == nil || op.ID != last.Operation.ID {
			t.Errorf("the intent stored is %+v, the operation observed %+v", op, last.Operation)
		}
		close(h.cloud.block)
		synctest.Wait()
		if h.sched.Running() != 0 || h.observe().Operation != nil {
			t.Error("it runs still")
		}
		h.settle()
	})
}

func TestLongOperationWakes(t *testing.T) {
	bubble(t, derivable, func(h *harness) {
		h.o.LongOperation = time.Second
		h.restart()
		h.observe()
		h.cloud.block = make(chan struct{})
		h.apply()
		synctest.Wait()
		h.log.take()
		time.Sleep(time.Minute)
		synctest.Wait()
		close(h.cloud.block)
		synctest.Wait()
		if diff := cmp.Diff([]string{"wake", "save", "wake"}, h.log.take()); diff != "" {
			t.Errorf("order of events (-want +got):\n%s", diff)
		}
	})
}

func TestBackoff(t *testing.T) {
	bubble(t, derivable, func(h *harness) {
		h.o.MinBackoff, h.o.MaxBackoff = time.Second, 10*time.Second
		h.restart()
		h.cloud.manner = refused
		fail := func(want time.Duration) {
			t.Helper()
			applies := h.cloud.applies
			h.observe()
			h.apply()
			synctest.Wait()
			if h.cloud.applies != applies+1 {
				t.Fatalf("%d applies, want 1", h.cloud.applies-applies)
			}
			o := h.observe()
			if got := time.Until(o.Last.RetryAt); got != want {
				t.Errorf("to be tried again after %v, want %v", got, want)
			}
			se := h.refuses(h.sched.Apply(t.Context(), h.r), decision.ReasonOperationFailed)
			if !se.RetryAt.Equal(o.Last.RetryAt) || !se.Diagnostics.HasSummary("Quota exceeded") {
				t.Errorf("the error is %+v", se)
			}
		}
		for _, wait := range []time.Duration{1, 2, 4, 8, 10, 10} {
			fail(wait * time.Second)
			time.Sleep(wait*time.Second - time.Nanosecond)
			synctest.Wait()
			h.refuses(h.sched.Apply(t.Context(), h.r), decision.ReasonOperationFailed)
			time.Sleep(time.Nanosecond)
			synctest.Wait()
		}
		fail(10 * time.Second)
		h.want("a", 2) // tried at once
		fail(time.Second)
		time.Sleep(time.Second)
		synctest.Wait()
		fail(2 * time.Second)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		h.cloud.manner = inOrder
		h.settle()
		h.want("a", 3)
		h.cloud.manner = refused
		fail(time.Second) // success made it forget
	})
}

// Whatever the words of the error, what has failed with a former content of a provider
// configuration is tried at once with another.
func TestBackoffEndsWithTheConfiguration(t *testing.T) {
	for name, change := range map[string]func(*scheduler.Request){
		"content of the provider configuration": func(r *scheduler.Request) { r.Account.Content = "new" },
		"another provider configuration":        func(r *scheduler.Request) { r.ProviderConfiguration = "other" },
		"content of one that a module uses": func(r *scheduler.Request) {
			r.Accesses = map[string]ownership.Access{
				"b": {Configuration: "b", Account: ownership.Account{Content: "new"}}, "a": {
					Configuration: "a", Account: ownership.Account{Content: "old"},
				},
			}
		},
		"release of the provider": func(r *scheduler.Request) { r.Release = "2" },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, derivable, func(h *harness) {
				h.r.Account.Content, h.r.Release = "old", "1"
				h.r.Accesses = map[string]ownership.Access{
					"a": {Configuration: "a", Account: ownership.Account{Content: "old"}}, "b": {
						Configuration: "b", Account: ownership.Account{Content: "old"},
					},
				}
				h.cloud.manner = refused
				for _, wait := range []time.Duration{1, 2} {
					h.observe()
					h.apply()
					synctest.Wait()
					h.observe()
					se := h.refuses(h.sched.Apply(t.Context(), h.r), decision.ReasonOperationFailed)
					if got := time.Until(se.RetryAt); got != wait*time.Second {
						t.Fatalf("tried again after %s, want %s", got, wait*time.Second)
					}
					if wait == 1 {
						time.Sleep(time.Second)
					}
				}
				change(&h.r)
				h.cloud.manner = inOrder
				h.observe()
				h.apply()
				synctest.Wait()
				if o := h.observe(); !o.Steady() {
					t.Errorf("the observation is %+v", o)
				}
			})
		})
	}
}

// When an operation that was throttled is tried again is not for that operation to say.
func TestBackoffOfThrottled(t *testing.T) {
	bubble(t, derivable, func(h *harness) {
		h.settle()
		for _, c := range []struct {
			summary string
			want    time.Duration
		}{
			{"429 Too Many Requests", 1}, {"429 Too Many Requests", 1}, {"429 Too Many Requests", 1},
			{"Broken", 1}, {"429 Too Many Requests", 1}, {"Broken", 2},
		} {
			h.cloud.fail["plan destroy"] = diagnostic.Errorf(c.summary, "It is.")
			h.observe()
			if err := h.sched.Delete(t.Context(), h.r); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if got := time.Until(h.observe().Last.RetryAt); got != c.want*time.Second {
				t.Errorf("%s: to be tried again after %v, want %v", c.summary, got, c.want*time.Second)
			}
			time.Sleep(c.want * time.Second)
		}
	})
}

// A create that ends tainted again and again is not repeated ever faster.
func TestBackoffOfReplacements(t *testing.T) {
	bubble(t, derivable, func(h *harness) {
		h.cloud.manner = halfway
		h.observe()
		h.apply()
		synctest.Wait()
		for _, want := range []time.Duration{1, 2, 4, 8} {
			o := h.observe()
			if got := time.Until(o.Last.RetryAt); got != want*time.Second {
				t.Errorf("to be tried again after %v, want %v", got, want*time.Second)
			}
			h.refuses(h.sched.Apply(t.Context(), h.r), decision.ReasonOperationFailed)
			time.Sleep(want * time.Second)
			synctest.Wait()
			h.cloud.manner = inOrder
			h.observe()
			h.apply() // destroys
			synctest.Wait()
			h.cloud.manner = halfway
			h.observe()
			h.apply() // creates
			synctest.Wait()
		}
	})
}

func TestProviderUnavailableToOperation(t *testing.T) {
	bubble(t, derivable, func(h *harness) {
		h.observe()
		acquire, writes := h.r.Acquire, h.store.writes
		h.r.Acquire = func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
			return nil, nil, diagnostic.Errorf("Provider crashed", "It did.")
		}
		h.apply()
		synctest.Wait()
		if h.cloud.applies != 0 || h.store.writes != writes {
			t.Error("an operation without provider left something behind")
		}
		h.r.Acquire = acquire
		if o := h.observe(); !o.Last.Diagnostics.HasSummary("Provider crashed") {
			t.Errorf("last outcome: %+v", o.Last)
		}
	})
}

// Without an intent in the store, nothing is done.
func TestIntentNotStored(t *testing.T) {
	for _, f := range []fault{unavailable, unanswered, touched} {
		t.Run(string(f), func(t *testing.T) {
			// Objects of this kind could not be found again.
			bubble(t, noIdentity, func(h *harness) {
				h.settle()
				h.cloud.remove("i-1")
				if o := h.observe(); o.Exists() {
					t.Fatal("it exists")
				}
				h.store.fault = func(string) fault { return f }
				h.apply()
				synctest.Wait()
				h.store.fault = nil
				if h.cloud.applies != 1 {
					t.Errorf("%d applies, want only that of the first object", h.cloud.applies)
				}
				o := h.observe()
				if !o.Last.Diagnostics.HasSummary("Operation not started") || o.Plan.Action != terraform.Create {
					t.Errorf("last outcome %+v, plan %s", o.Last, o.Plan.Action)
				}
				if op := h.stored().Instance.Operation; op != nil {
					t.Errorf("an operation is stored that never was: %+v", op)
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				h.settle()
			})
		})
	}
}

func TestConcludeUntilStored(t *testing.T) {
	for _, f := range []fault{unavailable, unanswered} {
		t.Run(string(f), func(t *testing.T) {
			bubble(t, noIdentity, func(h *harness) {
				log := &events{}
				h.o.Logger = funcr.New(func(_, args string) { log.add(args) }, funcr.Options{})
				h.restart()
				h.observe()
				h.cloud.after = func() { h.store.fault = func(string) fault { return f } }
				h.apply()
				synctest.Wait()
				time.Sleep(time.Hour)
				synctest.Wait()
				if o := h.observe(); o.Operation == nil || h.sched.Running() != 1 {
					t.Fatal("told before it is stored")
				}
				text := strings.Join(log.take(), "\n")
				if !strings.Contains(text, "Cannot record the outcome") {
					t.Errorf("nothing is logged:\n%s", text)
				}
				if strings.Contains(text, "Private") {
					t.Errorf("an instance may hold secrets:\n%s", text)
				}
				h.cloud.mu.Lock()
				h.cloud.after = nil
				h.cloud.mu.Unlock()
				h.store.mu.Lock()
				h.store.fault = nil
				h.store.mu.Unlock()
				time.Sleep(time.Minute)
				synctest.Wait()
				if o := h.observe(); o.Operation != nil || !o.UpToDate() || o.Last.Failed() {
					t.Errorf("in the end: operation %v, last %+v", o.Operation, o.Last)
				}
				if got := idOf(h.stored().Instance); got != "i-1" || h.cloud.applies != 1 {
					t.Errorf("stored is %q after %d applies", got, h.cloud.applies)
				}
			})
		})
	}
}

// The record is edited or deleted while the operation runs; its outcome is known to no other
// process.
func TestConcludeOverForeignWrite(t *testing.T) {
	cases := map[string]func(h *harness){
		"touched": func(h *harness) { h.store.touch(h.r.Key) },
		"deleted": func(h *harness) { _ = h.store.Delete(context.Background(), h.r.Key, h.stored().Version) },
	}
	for name, meddle := range cases {
		t.Run(name, func(t *testing.T) {
			bubble(t, noIdentity, func(h *harness) {
				h.observe()
				h.cloud.after = func() { meddle(h) }
				h.apply()
				synctest.Wait()
				h.cloud.after = nil
				h.restart()
				if o := h.observe(); idOf(o.Instance) != "i-1" || !o.UpToDate() {
					t.Errorf("the outcome was lost: %+v", o.Instance)
				}
			})
		})
	}
}

// Another controller has taken over, and written something else: that is taken as it is.
func TestConcludeFenced(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		h.observe()
		h.cloud.after = func() {
			rec := h.stored()
			h.cloud.mu.Lock()
			rec.Instance = h.cloud.instance(h.cloud.addLocked(object{"other", 1}))
			h.cloud.mu.Unlock()
			if _, err := h.store.Save(context.Background(), h.r.Key, h.r.Type.Schema, rec); err != nil {
				t.Error(err)
			}
		}
		h.apply()
		synctest.Wait()
		h.cloud.after = nil
		o := h.observe()
		if idOf(o.Instance) != "i-2" || !o.Last.Diagnostics.HasSummary("Outcome not recorded") {
			t.Errorf("got %s, last %+v", idOf(o.Instance), o.Last)
		}
	})
}

func TestTimeout(t *testing.T) {
	bubble(t, plannedIdentity, func(h *harness) {
		h.r.Timeouts.Create = time.Minute
		h.observe()
		h.cloud.block = make(chan struct{})
		begin := time.Now()
		h.apply()
		synctest.Wait()
		if op := h.stored().Instance.Operation; !op.Deadline.Equal(begin.Add(time.Minute)) {
			t.Errorf("the deadline is %v after the start", op.Deadline.Sub(begin))
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if o := h.observe(); !o.Last.Diagnostics.HasSummary("Request cancelled") || o.Operation != nil {
			t.Errorf("last outcome: %+v", o.Last)
		}
	})
}

func TestBoundPerConfiguration(t *testing.T) {
	bubble(t, derivable, func(h *harness) {
		h.o.OperationsPerConfiguration = 3
		h.restart()
		h.cloud.block = make(chan struct{})
		request := func(i int) scheduler.Request {
			r := h.r
			r.Key.Name, r.UID = fmt.Sprint(i), types.UID(fmt.Sprint(i))
			r.Config = config(r.Key.Name, 1)
			return r
		}
		begin := func(r scheduler.Request) {
			t.Helper()
			if _, err := h.sched.Observe(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			if err := h.sched.Apply(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 10 {
			begin(request(i))
		}
		synctest.Wait()
		if h.cloud.now != 3 || h.sched.Running() != 10 {
			t.Errorf("%d at the provider, want 3; %d run, want 10", h.cloud.now, h.sched.Running())
		}
		other := request(10)
		other.ProviderConfiguration = "other"
		begin(other)
		synctest.Wait()
		if h.cloud.now != 4 {
			t.Errorf("%d at the provider, want one of another configuration, too", h.cloud.now)
		}
		close(h.cloud.block)
		synctest.Wait()
		if got := len(h.cloud.ids()); got != 11 || h.sched.Running() != 0 {
			t.Errorf("%d objects in the end, %d run", got, h.sched.Running())
		}
	})
}

func TestManyAtOnce(t *testing.T) {
	bubble(t, derivable, func(h *harness) {
		woken := sync.Map{}
		h.o.Wake = func(k store.Key) { woken.Store(k, true) }
		h.restart()
		var group sync.WaitGroup
		for i := range 20 {
			r := h.r
			r.Key.Name, r.UID = fmt.Sprint(i), types.UID(fmt.Sprint(i))
			r.Config, r.ConfigHash = config(r.Key.Name, 1), "1"
			r.Acquire = func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
				return h.cloud, func() {}, nil
			}
			for range 3 { // more than one at a time ask for the same resource
				group.Go(func() {
					for range 20 {
						o, err := h.sched.Observe(context.Background(), r)
						if err != nil {
							t.Error(err)
							return
						}
						if !o.UpToDate() {
							_ = h.sched.Apply(context.Background(), r) // what was observed may be outdated
						}
						_ = h.sched.Running()
						time.Sleep(time.Millisecond)
					}
				})
			}
		}
		group.Wait()
		synctest.Wait()
		if ids := h.cloud.ids(); len(ids) != 20 {
			t.Errorf("%d objects for 20 resources", len(ids))
		}
		for i := range 20 {
			k := h.r.Key
			k.Name = fmt.Sprint(i)
			if _, ok := woken.Load(k); !ok {
				t.Errorf("%s was not reported", k.Name)
			}
		}
	})
}

// While all operations of a provider configuration fail alike, their failures do not count: when it
// works again, each is tried at once.
func TestFailuresOfConfigurationDoNotCount(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		paused := true
		h.r.Paused = func() bool { return paused }
		h.cloud.manner = refused
		for range 10 {
			h.observe()
			h.apply()
			synctest.Wait()
			se := h.refuses(h.sched.Apply(t.Context(), h.r), decision.ReasonOperationFailed)
			if wait := time.Until(se.RetryAt); wait != time.Second {
				t.Errorf("it is tried again after %s", wait)
			}
			time.Sleep(time.Second)
		}
		paused = false
		for range 2 {
			h.observe()
			h.apply()
			synctest.Wait()
			time.Sleep(time.Second)
		}
		se := h.refuses(h.sched.Apply(t.Context(), h.r), decision.ReasonOperationFailed)
		if wait := time.Until(se.RetryAt); wait != time.Second {
			t.Errorf("failures that count: it is tried again after %s", wait)
		}
	})
}

package scheduler_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// begins starts an operation of a kind, which lasts until it is interrupted.
func (h *harness) begins(kind instance.OperationKind) {
	h.t.Helper()
	if kind != instance.Create {
		h.settle()
	}
	h.cloud.mu.Lock()
	h.cloud.block = make(chan struct{})
	h.cloud.mu.Unlock()
	switch kind {
	case instance.Update:
		h.want("a", 2)
	case instance.Delete:
		h.beingDeleted()
	}
	h.observe()
	h.acts()
	synctest.Wait()
	if op := h.observe().Operation; op == nil || op.Kind != kind {
		h.t.Fatalf("the operation is %+v, want a %s", op, kind)
	}
	h.told.take()
}

// beingDeleted deletes the custom resource.
func (h *harness) beingDeleted() {
	h.r.Generation++
	h.r.Deleted, h.r.Config, h.r.ConfigHash = true, nil, ""
}

// acts applies, or deletes.
func (h *harness) acts() {
	h.t.Helper()
	if err := h.act(); err != nil {
		h.t.Fatal(err)
	}
}

func (h *harness) act() error {
	if h.r.Deleted {
		return h.sched.Delete(h.t.Context(), h.r)
	}
	return h.sched.Apply(h.t.Context(), h.r)
}

// staysHeld checks that nothing begins for a day, also after a restart.
func (h *harness) staysHeld() {
	h.t.Helper()
	before := h.cloud.applies
	for i := range 24 {
		time.Sleep(time.Hour)
		if i == 12 {
			h.restart()
		}
		if o := h.observe(); !o.Held || o.UpToDate() {
			h.t.Fatalf("held is %t, up to date %t", o.Held, o.UpToDate())
		}
		se := h.refuses(h.act(), decision.ReasonInterrupted)
		if !strings.Contains(se.Error(), "landbridge.io/retry") {
			h.t.Fatalf("the way out is not told of: %s", se)
		}
		synctest.Wait()
	}
	if h.cloud.applies != before {
		h.t.Errorf("%d operations began", h.cloud.applies-before)
	}
}

// unblocks lets operations end by themselves.
func (h *harness) unblocks() {
	h.cloud.mu.Lock()
	defer h.cloud.mu.Unlock()
	h.cloud.block, h.cloud.manner, h.cloud.stopped = nil, inOrder, ""
}

func TestInterrupt(t *testing.T) {
	for name, tc := range map[string]struct {
		identity identityKind
		kind     instance.OperationKind
		answer   manner // of the provider that is told to stop
		status   instance.Status
		told     []string
	}{
		"create, refused": {
			noIdentity, instance.Create, refused, instance.Empty, []string{
				"Failed Create (Quota exceeded) (Operation interrupted)",
			},
		},
		"create, halfway": {
			noIdentity, instance.Create, halfway, instance.Tainted, []string{
				"Failed Create (Halfway) (Operation interrupted)", "Tainted",
			},
		},
		"create, no answer, made": {
			derivable, instance.Create, silentDone, instance.Tainted,
			[]string{"Failed Create (Plugin did not respond) (Create outcome unknown) (Operation interrupted)"},
		},
		"create, no answer, goes on": {
			plannedIdentity, instance.Create, late, instance.Empty,
			[]string{"Failed Create (Plugin did not respond) (Create outcome unknown) (Operation interrupted)"},
		},
		"update, refused": {
			noIdentity, instance.Update, refused, instance.Full, []string{
				"Failed Update (Quota exceeded) (Operation interrupted)",
			},
		},
		"update, no answer, not done": {
			noIdentity, instance.Update, silentUndone, instance.Full, []string{
				"Failed Update (Plugin did not respond) (Operation interrupted)",
			},
		},
		"delete, refused": {
			noIdentity, instance.Delete, refused, instance.Full, []string{
				"Failed Delete (Quota exceeded) (Operation interrupted)",
			},
		},
		"delete, no answer, not done": {
			noIdentity, instance.Delete, silentUndone, instance.Full, []string{
				"Failed Delete (Plugin did not respond) (Operation interrupted)",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, tc.identity, func(h *harness) {
				h.cloud.stopped = tc.answer
				h.begins(tc.kind)
				h.r.Asked.Interrupt = "now"
				if o := h.observe(); o.Operation == nil || !o.Interrupted {
					t.Fatalf("the operation is %+v, interrupted %t", o.Operation, o.Interrupted)
				}
				synctest.Wait()
				if diff := cmp.Diff(tc.told, h.told.take()); diff != "" {
					t.Errorf("told (-want +got):\n%s", diff)
				}
				if got := h.stored().Handled; got.Interrupt != "now" || got.Held != h.r.Generation {
					t.Errorf("handled %+v", got)
				}
				h.observe()
				if in := h.stored().Instance; in.Status != tc.status {
					t.Errorf("it is %q, want %q", in.Status, tc.status)
				}
				h.cloud.appear()
				h.staysHeld()
				h.unblocks()
				h.r.Asked.Retry = "again"
				if tc.kind == instance.Delete {
					h.observe()
					h.acts()
					synctest.Wait()
					if ids := h.cloud.ids(); len(ids) != 0 {
						t.Errorf("objects %v", ids)
					}
					return
				}
				h.settle()
				if ids := h.cloud.ids(); len(ids) != 1 {
					t.Errorf("objects %v, want one", ids)
				}
			})
		})
	}
}

// A change of the spec ends the wait, as does a deletion.
func TestInterruptThenChange(t *testing.T) {
	for name, change := range map[string]func(h *harness){
		"spec":     func(h *harness) { h.want("a", 3) },
		"deletion": (*harness).beingDeleted,
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, noIdentity, func(h *harness) {
				h.cloud.stopped = refused
				h.begins(instance.Update)
				h.r.Asked.Interrupt = "now"
				h.observe()
				synctest.Wait()
				h.refuses(func() error { h.observe(); return h.act() }(), decision.ReasonInterrupted)
				h.unblocks()
				change(h)
				if o := h.observe(); o.Held {
					t.Error("it is still held")
				}
				h.acts()
				synctest.Wait()
				if told := h.told.take(); !strings.HasPrefix(told[len(told)-1], "Succeeded") {
					t.Errorf("told %q", told)
				}
			})
		})
	}
}

// The generation of the operation counts: what the spec says since then is carried out at once.
func TestInterruptAfterChange(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		h.cloud.stopped = refused
		h.begins(instance.Create)
		h.want("b", 1)
		h.r.Asked.Interrupt = "now"
		h.observe()
		synctest.Wait()
		h.unblocks()
		h.settle()
		if got := h.cloud.objects["i-1"].name; got != "b" {
			t.Errorf("the object is %q", got)
		}
	})
}

// An operation that ends nevertheless is done, and nothing is held.
func TestInterruptTooLate(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		h.begins(instance.Create)
		h.r.Asked.Interrupt = "now"
		h.observe()
		synctest.Wait()
		if o := h.settle(); o.Held || len(h.cloud.ids()) != 1 {
			t.Errorf("held is %t, objects %v", o.Held, h.cloud.ids())
		}
		if got := h.stored().Handled; got != (store.Tokens{Interrupt: "now"}) {
			t.Errorf("handled %+v", got)
		}
		h.unblocks()
		h.want("a", 2)
		h.settle()
	})
}

// The other half of a replacement does not begin.
func TestInterruptReplacement(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		h.settle()
		block := make(chan struct{})
		h.cloud.block = block
		h.want("b", 1)
		h.observe()
		h.apply()
		synctest.Wait()
		h.r.Asked.Interrupt = "now"
		h.observe() // the provider destroys the object all the same
		synctest.Wait()
		if ids := h.cloud.ids(); len(ids) != 0 {
			t.Fatalf("objects %v", ids)
		}
		h.staysHeld()
	})
}

// Where nothing runs, an interrupt does nothing, and its token never acts again.
func TestInterruptNothing(t *testing.T) {
	for name, before := range map[string]func(h *harness){
		"new":        func(*harness) {},
		"up to date": func(h *harness) { h.settle() },
		"failed": func(h *harness) {
			h.cloud.manner = refused
			h.observe()
			h.apply()
			synctest.Wait()
			h.cloud.manner = inOrder
			time.Sleep(time.Hour)
		},
		"changed": func(h *harness) { h.settle(); h.want("a", 2) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, noIdentity, func(h *harness) {
				before(h)
				h.r.Asked.Interrupt = "now"
				if o := h.observe(); o.Held || o.Interrupted {
					t.Errorf("held is %t", o.Held)
				}
				if known, ok := h.sched.Remembered(h.r); !ok || known.Handled.Interrupt != "now" {
					t.Errorf("remembered %+v", known)
				}
				h.settle()
				if got := h.stored().Handled; got != (store.Tokens{Interrupt: "now"}) {
					t.Errorf("handled %+v", got)
				}
				h.restart()
				h.want("a", 3)
				h.settle()
				if h.cloud.objects["i-1"].size != 3 {
					t.Error("the old token interrupted a later operation")
				}
			})
		})
	}
}

// A paused resource is not observed, but its operation can be interrupted.
func TestInterruptUnobserved(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		h.cloud.stopped = halfway
		h.begins(instance.Create)
		other := h.r.Key
		other.Name = "other"
		h.sched.Interrupt(other, "now")
		synctest.Wait()
		if h.sched.Running() != 1 {
			t.Error("the operation of another resource was interrupted")
		}
		for range 2 { // a token acts once
			h.sched.Interrupt(h.r.Key, "now")
		}
		synctest.Wait()
		if diff := cmp.Diff([]string{"Failed Create (Halfway) (Operation interrupted)", "Tainted"}, h.told.take()); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
		h.sched.Interrupt(h.r.Key, "later")
		if got := h.stored().Handled; got.Interrupt != "now" || got.Held != h.r.Generation {
			t.Errorf("handled %+v", got)
		}
		h.r.Asked.Interrupt = "now"
		h.staysHeld()
	})
}

// Before the provider is asked nothing has to be recovered.
func TestInterruptBeforeDispatch(t *testing.T) {
	waits := func(ctx context.Context) diagnostic.Diagnostics {
		<-ctx.Done()
		return diagnostic.Errorf("Provider not available", "%s.", ctx.Err())
	}
	for name, prepare := range map[string]func(h *harness){
		"waiting for its turn": func(h *harness) {
			h.o.OperationsPerConfiguration = 1
			h.restart()
			other := h.r
			other.UID, other.Key.Name = "uid-2", "two"
			h.cloud.block = make(chan struct{})
			if _, err := h.sched.Observe(h.t.Context(), other); err != nil {
				h.t.Fatal(err)
			}
			if err := h.sched.Apply(h.t.Context(), other); err != nil {
				h.t.Fatal(err)
			}
			synctest.Wait()
		},
		"waiting for the provider": func(h *harness) {
			acquire, calls := h.r.Acquire, 0
			h.r.Acquire = func(ctx context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
				if calls++; calls == 2 {
					return nil, nil, waits(ctx)
				}
				return acquire(ctx)
			}
		},
		"before the intent": func(h *harness) {
			acquire, calls := h.r.Acquire, 0
			h.r.Acquire = func(ctx context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
				if calls++; calls == 2 {
					<-ctx.Done()
				}
				return acquire(ctx)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, noIdentity, func(h *harness) {
				prepare(h)
				h.observe()
				h.apply()
				synctest.Wait()
				applies := h.cloud.applies
				h.r.Asked.Interrupt = "now"
				h.observe()
				synctest.Wait()
				if _, ok := h.record(); ok {
					t.Error("an intent is stored")
				}
				if told := h.told.take(); len(told) != 1 || !strings.Contains(told[0], "(Operation interrupted)") {
					t.Errorf("told %q", told)
				}
				for range 3 {
					time.Sleep(time.Hour)
					if o := h.observe(); !o.Held {
						t.Error("it is not held")
					}
					h.refuses(h.act(), decision.ReasonInterrupted)
				}
				if h.cloud.applies != applies {
					t.Error("an operation began")
				}
				h.unblocks()
				h.r.Asked.Retry = "again"
				h.settle()
				if got := h.stored().Handled; got != (store.Tokens{Interrupt: "now", Retry: "again"}) {
					t.Errorf("handled %+v", got)
				}
			})
		})
	}
}

// The second interrupt does not wait for the provider: the operation is recovered as after a crash.
func TestInterruptTwice(t *testing.T) {
	for name, tc := range map[string]struct {
		identity identityKind
		kind     instance.OperationKind
	}{
		"create":                  {derivable, instance.Create},
		"create without identity": {noIdentity, instance.Create},
		"update":                  {noIdentity, instance.Update},
		"delete":                  {noIdentity, instance.Delete},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, tc.identity, func(h *harness) {
				h.cloud.deaf = true
				h.begins(tc.kind)
				h.r.Asked.Interrupt = "1"
				h.observe()
				time.Sleep(time.Minute)
				if h.observe().Operation == nil {
					t.Fatal("the first interrupt did not wait for the provider")
				}
				h.r.Asked.Interrupt = "2"
				h.observe()
				synctest.Wait()
				rec := h.stored()
				if rec.Handled.Interrupt != "2" || rec.Handled.Held != h.r.Generation ||
					(rec.Instance.Operation != nil) != (tc.kind == instance.Create) {
					t.Errorf("handled %+v, operation %+v", rec.Handled, rec.Instance.Operation)
				}
				if tc.kind == instance.Create && tc.identity == noIdentity {
					h.observeRefused(decision.ReasonCreateOutcomeUnknown)
					return
				}
				h.staysHeld()
			})
		})
	}
}

// A controller that ends during an interrupted operation leaves the request to its successor.
func TestInterruptAcrossCrash(t *testing.T) {
	bubble(t, derivable, func(h *harness) {
		h.interrupted(instance.Create, instance.Instance{})
		h.cloud.add(object{"a", 1})
		h.r.Asked.Interrupt = "now"
		if o := h.observe(); !o.Held || o.Instance.Status != instance.Tainted {
			t.Errorf("held is %t, %s", o.Held, o.Instance.Status)
		}
		h.refuses(h.act(), decision.ReasonInterrupted)
		if got := h.stored().Handled; got != (store.Tokens{Interrupt: "now", Held: 1}) {
			t.Errorf("handled %+v", got)
		}
		h.staysHeld()
	})
}

// The outcome of an interrupted operation may be written by another process meanwhile.
func TestInterruptConflict(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		h.cloud.stopped = refused
		h.begins(instance.Update)
		h.store.mu.Lock()
		stored := h.store.records[h.r.Key]
		in, err := instance.Decode(stored.data, h.r.Type.Schema)
		if err != nil {
			t.Fatal(err)
		}
		in.Operation = nil
		if stored.data, err = instance.Encode(in, h.r.Type.Schema); err != nil {
			t.Fatal(err)
		}
		stored.version = h.store.nextVersion()
		h.store.records[h.r.Key] = stored
		h.store.mu.Unlock()
		h.r.Asked.Interrupt = "now"
		h.observe()
		synctest.Wait()
		h.observe()
		h.refuses(h.act(), decision.ReasonInterrupted)
		if got := h.stored().Handled; got.Interrupt != "now" || got.Held != h.r.Generation {
			t.Errorf("handled %+v", got)
		}
	})
}

// A drift after an interrupted change that is done nevertheless is corrected.
func TestInterruptDoneNevertheless(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		h.cloud.stopped = silentDone
		h.begins(instance.Update)
		h.r.Asked.Interrupt = "now"
		h.observe()
		synctest.Wait()
		if o := h.observe(); o.Held || !o.UpToDate() {
			t.Fatalf("held is %t, up to date %t", o.Held, o.UpToDate())
		}
		h.unblocks()
		h.cloud.objects["i-1"] = object{"a", 7}
		time.Sleep(time.Hour)
		h.settle()
		if !slices.Equal(h.cloud.ids(), []string{"i-1"}) || h.cloud.objects["i-1"].size != 2 {
			t.Errorf("objects %v", h.cloud.objects)
		}
	})
}

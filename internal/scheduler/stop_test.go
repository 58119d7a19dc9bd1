package scheduler_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// stop begins to stop with the given grace period.
func (h *harness) stop(grace time.Duration) <-chan error {
	out := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), grace)
		defer cancel()
		out <- h.sched.Stop(ctx)
	}()
	synctest.Wait()
	return out
}

func TestStopWaits(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		h.observe()
		h.cloud.block = make(chan struct{})
		h.apply()
		synctest.Wait()
		stopped := h.stop(time.Minute)

		other := h.r
		other.UID, other.Key.Name = "uid-2", "two"
		if _, err := h.sched.Observe(t.Context(), other); err != nil {
			t.Errorf("observing while stopping: %v", err)
		}
		h.refuses(h.sched.Apply(t.Context(), other), decision.ReasonProviderUnavailable)
		select {
		case err := <-stopped:
			t.Fatalf("stopped with an operation running: %v", err)
		default:
		}
		time.Sleep(30 * time.Second)
		close(h.cloud.block)
		if err := <-stopped; err != nil {
			t.Error(err)
		}
		if rec := h.stored(); idOf(rec.Instance) != "i-1" || rec.Instance.Operation != nil {
			t.Errorf("stored: %q, operation %v", idOf(rec.Instance), rec.Instance.Operation)
		}
		if err := <-h.stop(time.Minute); err != nil {
			t.Errorf("stopping again: %v", err)
		}
	})
}

// After the grace period, what runs is cancelled, and that is recorded.
func TestStopCancels(t *testing.T) {
	cases := map[string]struct {
		kind identityKind
		prior,
		operation bool
		writes int
	}{
		"create": {kind: noIdentity, operation: true}, // its intent is stored already
		"update": {kind: noIdentity, prior: true, writes: 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			bubble(t, tc.kind, func(h *harness) {
				if tc.prior {
					h.settle()
					h.want("a", 2)
				}
				h.observe()
				h.cloud.block = make(chan struct{})
				h.apply()
				synctest.Wait()
				begin, writes := time.Now(), h.store.writes
				if err := <-h.stop(time.Minute); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v, want that the grace period is over", err)
				}
				if took := time.Since(begin); took != time.Minute {
					t.Errorf("stopped after %v", took)
				}
				if got := h.store.writes - writes; got != tc.writes {
					t.Errorf("%d writes, want %d", got, tc.writes)
				}
				if in := h.stored().Instance; (in.Operation != nil) != tc.operation || in.Exists() != tc.prior {
					t.Errorf("stored: operation %v, exists %v", in.Operation, in.Exists())
				}
			})
		})
	}
}

// A store that is not available does not keep the process from ending; the intent stands.
func TestStopWithoutStore(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		h.observe()
		h.cloud.after = func() { h.store.fault = func(string) fault { return unavailable } }
		h.apply()
		synctest.Wait()
		if err := <-h.stop(time.Minute); err == nil {
			t.Error("stopped as if everything was recorded")
		}
		if op := h.stored().Instance.Operation; op == nil || op.Kind != instance.Create {
			t.Errorf("the journal holds %+v", op)
		}
	})
}

// A store that is back in time is written to before the process ends.
func TestStopWithStoreBack(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		h.observe()
		h.cloud.after = func() { h.store.fault = func(string) fault { return unavailable } }
		h.apply()
		synctest.Wait()
		time.Sleep(30 * time.Second) // now the next try is seconds away
		synctest.Wait()
		h.store.fault = nil
		if err := <-h.stop(time.Millisecond); err == nil {
			t.Error("stopped within the grace period")
		}
		if rec := h.stored(); idOf(rec.Instance) != "i-1" || rec.Instance.Operation != nil {
			t.Errorf("stored: %q, operation %v", idOf(rec.Instance), rec.Instance.Operation)
		}
	})
}

// Operations that wait for others are not begun any more.
func TestStopQueue(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		h.o.OperationsPerConfiguration = 1
		h.restart()
		h.cloud.block = make(chan struct{})
		for _, uid := range []types.UID{"1", "2", "3"} {
			r := h.r
			r.UID, r.Key.Name = uid, string(uid)
			if _, err := h.sched.Observe(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			if err := h.sched.Apply(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		stopped := h.stop(time.Minute)
		close(h.cloud.block)
		if err := <-stopped; err != nil {
			t.Error(err)
		}
		if h.cloud.applies != 1 || h.sched.Running() != 0 {
			t.Errorf("%d operations were begun, %d run", h.cloud.applies, h.sched.Running())
		}
		if len(h.store.records) != 1 {
			t.Errorf("%d records, want only that of the one operation", len(h.store.records))
		}
	})
}

// Providers are let go of as often as they are acquired.
func TestReleases(t *testing.T) {
	bubble(t, derivable, func(h *harness) {
		held := 0
		h.r.Acquire = func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
			held++
			return h.cloud, func() { held-- }, nil
		}
		h.settle()
		h.cloud.fail["refresh"] = diagnostic.Errorf("Broken", "It is.")
		h.observeRefused(decision.ReasonReadFailed)
		delete(h.cloud.fail, "refresh")
		h.want("b", 1)
		h.cloud.fail["plan destroy"] = diagnostic.Errorf("Broken", "It is.")
		h.observe()
		h.apply()
		synctest.Wait()
		if held != 0 {
			t.Errorf("%d providers are held", held)
		}
		if h.cloud.applies != 1 || h.stored().Instance.Operation != nil {
			t.Error("a destroy that cannot be planned was begun")
		}
	})
}

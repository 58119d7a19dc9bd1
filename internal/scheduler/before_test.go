package scheduler_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/brake"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// What a change belongs to is asked before each of its operations, and recorded with the intent.
// The outcome that completes the change is recorded, too.
func TestBefore(t *testing.T) {
	type recorded struct {
		Asked []terraform.Action
		Round string
		Ended bool
	}
	for name, test := range map[string]struct {
		do   func(h *harness)
		want recorded
	}{
		"create": {
			do:   func(h *harness) { h.settle() },
			want: recorded{[]terraform.Action{terraform.Create}, "round", true},
		},
		"update": {
			do:   func(h *harness) { h.settle(); h.want("a", 2); h.settle() },
			want: recorded{[]terraform.Action{terraform.Create, terraform.Update}, "round", true},
		},
		"a create that fails": {
			do: func(h *harness) {
				h.cloud.manner = refused
				h.step()
			},
			want: recorded{[]terraform.Action{terraform.Create}, "round", false},
		},
		"the first half of a replacement": {
			do:   func(h *harness) { h.settle(); h.want("b", 1); h.step() },
			want: recorded{[]terraform.Action{terraform.Create, terraform.DeleteThenCreate}, "round", false},
		},
		"a replacement": {
			do:   func(h *harness) { h.settle(); h.want("b", 1); h.settle() },
			want: recorded{[]terraform.Action{terraform.Create, terraform.DeleteThenCreate, terraform.Create}, "round", true},
		},
		"deletion": {
			do: func(h *harness) {
				h.settle()
				h.delete()
				h.observe()
				if err := h.tryAct(); err != nil {
					h.t.Fatal(err)
				}
				synctest.Wait()
			},
			want: recorded{[]terraform.Action{terraform.Create, terraform.Delete}, "round", true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, noIdentity, func(h *harness) {
				var got recorded
				h.r.Before = func(_ context.Context, change terraform.Action, _ func() error) (string, error) {
					got.Asked = append(got.Asked, change)
					return "round", nil
				}
				test.do(h)
				if rec, ok := h.record(); ok {
					got.Round, got.Ended = rec.Handled.Round, rec.Handled.RoundEnded
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			})
		})
	}
}

// An operation that must wait does not begin.
func TestHeldBefore(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		wait := &scheduler.Error{Reason: "AwaitingAction", Err: errors.New("wait")}
		h.r.Before = func(context.Context, terraform.Action, func() error) (string, error) { return "", wait }
		h.observe()
		if err := h.sched.Apply(t.Context(), h.r); !errors.Is(err, wait) {
			t.Errorf("the error is %v", err)
		}
		synctest.Wait()
		if h.cloud.applies != 0 {
			t.Error("it was applied")
		}
		if _, ok := h.record(); ok {
			t.Error("an intent is stored")
		}
	})
}

// The brake decides before anything is begun that belongs to a destroy. What has begun is not held.
func TestBrakeBefore(t *testing.T) {
	for name, test := range map[string]struct {
		held, continues, invoked, destroyed bool
	}{
		"it holds":                            {held: true},
		"it holds after something has begun":  {held: true, continues: true, destroyed: true},
		"it does not hold":                    {invoked: true},
		"it does not hold, and all has begun": {continues: true, destroyed: true},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, noIdentity, func(h *harness) {
				h.settle()
				h.delete()
				h.r.Brake = &scheduler.Brake{
					Scope: brake.Scope{Provider: "cloud", Account: "a"}, Namespace: "team",
					Limit: func(context.Context) (brake.Limit, bool) { return brake.Limit{Destroys: 1}, false },
				}
				if test.held {
					h.r.Brake.Held = time.Now()
				}
				invoked := false
				h.r.Before = func(_ context.Context, _ terraform.Action, brake func() error) (string, error) {
					if test.continues {
						return "round", nil
					}
					if err := brake(); err != nil {
						return "", err
					}
					invoked = true
					return "", &scheduler.Error{Reason: decision.ReasonAwaitingAction, Err: errors.New("wait")}
				}
				h.observe()
				err := h.tryAct()
				synctest.Wait()
				h.cloud.mu.Lock()
				destroyed := len(h.cloud.objects) == 0
				h.cloud.mu.Unlock()
				if invoked != test.invoked || destroyed != test.destroyed {
					t.Errorf("invoked: %t, destroyed: %t, error %v", invoked, destroyed, err)
				}
			})
		})
	}
}

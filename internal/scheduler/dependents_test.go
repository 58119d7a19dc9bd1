package scheduler_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// What refers to an object is asked before it is replaced. While it is not known whether the object
// exists, it waits at once.
func TestStepsOfAReplacement(t *testing.T) {
	for name, test := range map[string]struct {
		approval desired.Approval
		// then happens after the create.
		then func(h *harness)
		want []scheduler.ReplacementStep
	}{
		"an update": {then: func(h *harness) { h.want("a", 2) }},
		"a replacement": {
			then: func(h *harness) { h.want("b", 1) },
			want: []scheduler.ReplacementStep{scheduler.Replace},
		},
		"a replacement that waits for approval": {
			approval: desired.ApproveDestructive, then: func(h *harness) { h.want("b", 1) },
			want: []scheduler.ReplacementStep{scheduler.PlanReplacement},
		},
		"the object was destroyed by hand": {
			then: func(h *harness) { time.Sleep(time.Hour); h.cloud.remove("i-1") },
			want: []scheduler.ReplacementStep{scheduler.Recreate},
		},
		"a destruction was interrupted": {
			then: func(h *harness) { h.destructionInterrupted() },
			want: []scheduler.ReplacementStep{scheduler.Recreate},
		},
		"a destruction was interrupted, and another waits for approval": {
			approval: desired.ApproveDestructive, then: func(h *harness) { h.destructionInterrupted() },
			want: []scheduler.ReplacementStep{scheduler.Recreate},
		},
	} {
		t.Run(name, func(t *testing.T) {
			visibly(t, noIdentity, func(h *harness) {
				h.settle()
				var asked []scheduler.ReplacementStep
				h.r.Dependents = func(_ context.Context, step scheduler.ReplacementStep, _ *scheduler.Observation) error {
					asked = append(asked, step)
					return nil
				}
				h.r.Policies.Approval = test.approval
				test.then(h)
				h.observe()
				_ = h.sched.Apply(t.Context(), h.r) // it may have to wait for an approval
				if diff := cmp.Diff(test.want, asked); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			})
		})
	}
}

// destructionInterrupted leaves a tainted object whose destruction was interrupted, and which is
// not found any more.
func (h *harness) destructionInterrupted() {
	h.t.Helper()
	h.cloud.remove("i-1")
	h.edit(func(in *instance.Instance) { in.Status = instance.Tainted })
	h.restart()
}

// An interrupt holds a resource until its spec changes, or a retry is requested.
func TestHolds(t *testing.T) {
	for name, test := range map[string]struct {
		request scheduler.Request
		handled store.Tokens
		want    bool
	}{
		"not interrupted": {request: scheduler.Request{Resource: scheduler.Resource{Generation: 2}}},
		"interrupted": {
			request: scheduler.Request{Resource: scheduler.Resource{Generation: 2}},
			handled: store.Tokens{Held: 2}, want: true,
		},
		"the spec has changed": {
			request: scheduler.Request{Resource: scheduler.Resource{Generation: 3}}, handled: store.Tokens{Held: 2},
		},
		"a retry is requested": {
			request: scheduler.Request{
				Resource: scheduler.Resource{Generation: 2}, Asked: scheduler.Asked{Tokens: store.Tokens{Retry: "b"}},
			}, handled: store.Tokens{Held: 2, Retry: "a"},
		},
		"a retry that was handled before": {
			request: scheduler.Request{
				Resource: scheduler.Resource{Generation: 2}, Asked: scheduler.Asked{Tokens: store.Tokens{Retry: "a"}},
			}, handled: store.Tokens{Held: 2, Retry: "a"}, want: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := scheduler.Holds(&test.request, test.handled); got != test.want {
				t.Errorf("got %t", got)
			}
		})
	}
}

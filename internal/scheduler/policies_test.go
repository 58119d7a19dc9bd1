package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/policy"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// judge is a set of policies that decide by the action of a plan.
type judge struct {
	deny, ask, warn []terraform.Action
	err             error
}

func (j *judge) decide(_ context.Context, p *terraform.Plan) (policy.Verdict, error) {
	has := func(name string, all []terraform.Action) (out []policy.Result) {
		for _, a := range all {
			if a == p.Action {
				out = append(out, policy.Result{Policy: name, Message: "because."})
			}
		}
		return out
	}
	return policy.Verdict{Denied: has("denies", j.deny), Approval: has("asks", j.ask), Warnings: has("warns", j.warn)}, j.err
}

// judged has policies decide about all plans.
func judged(t *testing.T, j *judge, f func(h *harness)) {
	t.Helper()
	approving(t, assigned, desired.ApproveNothing, func(h *harness) {
		h.r.Decide = j.decide
		f(h)
	})
}

// denied observes, and checks that nothing happens because a policy denies the plan.
func (h *harness) denied() {
	h.t.Helper()
	h.observe()
	before := h.cloud.applies
	err := h.tryAct()
	h.refuses(err, decision.ReasonDenied)
	if !strings.Contains(err.Error(), "PlanPolicy denies: because.") {
		h.t.Errorf("the message is %q", err)
	}
	synctest.Wait()
	if h.cloud.applies != before {
		h.t.Fatal("it was applied")
	}
}

func TestApprovalDeniedByPolicy(t *testing.T) {
	for name, x := range map[string]struct {
		action terraform.Action
		change func(h *harness)
	}{
		"create":               {action: terraform.Create},
		"update":               {action: terraform.Update, change: func(h *harness) { h.want("a", 2) }},
		"destroy, then create": {action: terraform.DeleteThenCreate, change: func(h *harness) { h.want("b", 1) }},
		"create, then destroy": {action: terraform.CreateThenDelete, change: func(h *harness) {
			h.want("b", 1)
			h.r.Config.CreateBeforeDestroy = true
		}},
		"delete": {action: terraform.Delete, change: (*harness).delete},
	} {
		t.Run(name, func(t *testing.T) {
			j := &judge{}
			judged(t, j, func(h *harness) {
				if x.change != nil {
					h.settle()
					x.change(h)
				}
				j.deny, j.ask = []terraform.Action{x.action}, []terraform.Action{x.action}
				h.denied()
				// An approval does not help.
				h.r.Asked.Approve = h.observe().PlanHash
				h.denied()
				j.deny, j.ask = nil, nil
				if h.r.Deleted {
					h.observe()
					if err := h.tryAct(); err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
				} else {
					h.settle()
				}
				if want := map[bool]int{true: 0, false: 1}[h.r.Deleted]; len(h.cloud.ids()) != want {
					t.Errorf("there are objects %v", h.cloud.ids())
				}
			})
		})
	}
}

func TestApprovalRequiredByPolicy(t *testing.T) {
	j := &judge{ask: []terraform.Action{terraform.DeleteThenCreate, terraform.Delete}}
	judged(t, j, func(h *harness) {
		h.settle()
		h.want("a", 2)
		h.settle()
		h.want("b", 2)
		h.approve(h.awaited(terraform.DeleteThenCreate))
		if o := h.settle(); nameOf(o.Instance.State) != "b" {
			t.Errorf("it is %s", nameOf(o.Instance.State))
		}
		h.delete()
		h.observe()
		h.approve(h.awaited(terraform.Delete))
		if len(h.cloud.ids()) != 0 {
			t.Error("it still exists")
		}
	})
}

// Policies decide about a replacement before it begins, and not again about the create that
// completes it.
func TestApprovalPolicyOfWholeReplacement(t *testing.T) {
	for name, restarts := range map[string]bool{"in one process": false, "after a restart": true} {
		t.Run(name, func(t *testing.T) {
			j := &judge{}
			judged(t, j, func(h *harness) {
				h.settle()
				j.deny, j.ask = []terraform.Action{terraform.Create}, []terraform.Action{terraform.Create, terraform.Delete}
				h.want("b", 1)
				h.observe()
				if err := h.tryAct(); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if len(h.cloud.ids()) != 0 {
					t.Fatal("the old object was not destroyed")
				}
				if restarts {
					h.restart()
				}
				if o := h.settle(); nameOf(o.Instance.State) != "b" {
					t.Errorf("it is %s", nameOf(o.Instance.State))
				}
			})
		})
	}
}

// A replacement that needed no approval does not permit a create without one.
func TestApprovalPolicyTightenedBetween(t *testing.T) {
	judged(t, &judge{}, func(h *harness) {
		h.settle()
		h.want("b", 1)
		h.observe()
		if err := h.tryAct(); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		h.r.Policies.Approval = desired.ApproveEverything
		h.approve(h.awaited(terraform.Create))
		h.settle()
	})
}

// A plan may wait for its turn, so policies decide once more before it begins.
func TestApprovalPolicyChangesBeforeTheIntent(t *testing.T) {
	j := &judge{}
	judged(t, j, func(h *harness) {
		h.observe()
		n := 0
		h.r.Decide = func(ctx context.Context, p *terraform.Plan) (policy.Verdict, error) {
			if n++; n > 1 {
				j.deny = []terraform.Action{terraform.Create}
			}
			return j.decide(ctx, p)
		}
		if err := h.tryAct(); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if len(h.cloud.ids()) != 0 || h.cloud.applies != 0 {
			t.Error("it was created")
		}
	})
}

// While policies cannot be read, nothing is changed.
func TestApprovalWithoutPoliciesRead(t *testing.T) {
	j := &judge{err: errors.New("the cache does not answer")}
	judged(t, j, func(h *harness) {
		h.observe()
		h.refuses(h.tryAct(), decision.ReasonStore)
		synctest.Wait()
		if h.cloud.applies != 0 {
			t.Error("it was created")
		}
		j.err = nil
		h.settle()
	})
}

// A warning is told once for each plan.
func TestApprovalPolicyWarns(t *testing.T) {
	j := &judge{warn: []terraform.Action{terraform.Create}, deny: []terraform.Action{terraform.Create}}
	judged(t, j, func(h *harness) {
		h.denied()
		h.denied()
		j.deny = nil
		h.settle()
		if diff := cmp.Diff([]string{"Warned", "Succeeded Create"}, h.told.take()); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
	})
}

// A thousand resources whose plans wait cost as many calls of providers and writes as a thousand
// that are up to date, also if policies decide about them.
func TestApprovalCostOfThousandWaiting(t *testing.T) {
	const resources, polls = 1000, 3
	calls := func(wait bool) (n int) {
		judged(t, &judge{ask: []terraform.Action{terraform.Update}}, func(h *harness) {
			all := make([]scheduler.Request, resources)
			each := func(f func(r *scheduler.Request)) {
				for i := range all {
					f(&all[i])
				}
			}
			poll := func(r *scheduler.Request) {
				h.r = *r
				if o := h.observe(); !o.UpToDate() {
					_ = h.tryAct()
				}
			}
			for i := range all {
				all[i] = h.r
				all[i].Key.Name, all[i].UID, all[i].Tell = fmt.Sprint(i), types.UID(fmt.Sprint(i)), nil
				all[i].Config, all[i].ConfigHash = config(fmt.Sprint(i), 1), "1"
			}
			each(poll)
			synctest.Wait()
			for i := range all {
				if wait {
					all[i].Config, all[i].ConfigHash = config(fmt.Sprint(i), 2), "2"
				}
			}
			for range 2 {
				each(poll)
				synctest.Wait()
			}
			waiting := 0
			for _, count := range h.sched.Census() {
				waiting += count.Awaiting
			}
			if want := map[bool]int{true: resources}[wait]; waiting != want {
				t.Fatalf("%d wait, want %d", waiting, want)
			}
			h.log.take()
			for range polls {
				each(poll)
				synctest.Wait()
			}
			n = len(h.log.take())
		})
		return n
	}
	unchanged, waiting := calls(false), calls(true)
	if ratio := float64(waiting) / float64(unchanged); unchanged < resources*polls || ratio > 1 {
		t.Errorf("%d calls and writes of those that wait, %d of those that are up to date: ratio %.2f", waiting, unchanged, ratio)
	}
}

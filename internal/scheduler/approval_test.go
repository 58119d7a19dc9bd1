package scheduler_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/policy"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

var planCases = flag.Int("plans", 0, "number of random cases of TestOnlyApprovedPlansAreApplied, with a summary; 0 is a few")

// approving has everything wait for approval.
func approving(t *testing.T, kind identityKind, policy desired.Approval, f func(h *harness)) {
	t.Helper()
	bubble(t, kind, func(h *harness) {
		h.r.Policies.Approval = policy
		f(h)
	})
}

// awaited observes, and checks that the plan waits for approval. It returns its hash.
func (h *harness) awaited(action terraform.Action) string {
	h.t.Helper()
	o := h.observe()
	if o.PlanHash == "" || o.PlanAction != action {
		h.t.Fatalf("the plan is %q, %s; want %s", o.PlanHash, o.PlanAction, action)
	}
	before := h.cloud.applies
	h.refuses(h.tryAct(), decision.ReasonAwaitingApproval)
	synctest.Wait()
	if h.cloud.applies != before {
		h.t.Fatal("it was applied without approval")
	}
	return o.PlanHash
}

// tryAct applies, or deletes.
func (h *harness) tryAct() error {
	if h.r.Deleted {
		return h.sched.Delete(h.t.Context(), h.r)
	}
	return h.sched.Apply(h.t.Context(), h.r)
}

// approve approves a plan and carries it out.
func (h *harness) approve(hash string) {
	h.t.Helper()
	h.r.Asked.Approve, h.r.Asked.ApprovedBy = hash, "alice"
	h.observe()
	if err := h.tryAct(); err != nil {
		h.t.Fatalf("the approved plan is refused: %v", err)
	}
	synctest.Wait()
}

func (h *harness) delete() {
	h.r.Deleted, h.r.Config, h.r.ConfigHash = true, nil, ""
}

func TestApproval(t *testing.T) {
	approving(t, assigned, desired.ApproveEverything, func(h *harness) {
		create := h.awaited(terraform.Create)
		h.approve(create)
		if diff := cmp.Diff([]string{"Approved", "Succeeded Create"}, h.told.take()); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		if o := h.observe(); !o.UpToDate() || o.PlanHash != "" {
			t.Fatalf("after the create: %+v", o)
		}
		known, _ := h.sched.Remembered(h.r)
		if known.Handled.Approve != create || known.Handled.ApprovedBy != "alice" || known.Handled.ApprovedAction != "Create" {
			t.Errorf("what was approved is remembered as %+v", known.Handled)
		}
		h.want("a", 2)
		update := h.awaited(terraform.Update) // the annotation still has the earlier approval
		if update == create {
			t.Error("two plans have the same hash")
		}
		h.approve(update)
		h.want("b", 2)
		h.approve(h.awaited(terraform.DeleteThenCreate))
		if got := h.settle(); nameOf(got.Instance.State) != "b" {
			t.Errorf("the replacement is %s", nameOf(got.Instance.State))
		}
		h.delete()
		h.observe()
		h.approve(h.awaited(terraform.Delete))
		if len(h.cloud.ids()) != 0 {
			t.Error("it still exists")
		}
	})
}

// The same change is another plan after it was approved once.
func TestApprovalIsUsedOnce(t *testing.T) {
	approving(t, assigned, desired.ApproveEverything, func(h *harness) {
		h.approve(h.awaited(terraform.Create))
		id := h.cloud.ids()[0]
		var before string
		for range 2 {
			h.observe()
			h.cloud.change(id, object{"a", 7})
			hash := h.awaited(terraform.Update)
			if hash == before {
				t.Fatal("the same change has the same hash again")
			}
			h.approve(hash)
			before = hash
		}
		// A failure uses it up, too.
		h.want("a", 3)
		h.cloud.manner = refused
		hash := h.awaited(terraform.Update)
		h.approve(hash)
		h.cloud.manner = inOrder
		time.Sleep(time.Hour)
		if again := h.awaited(terraform.Update); again == hash {
			t.Error("a plan that failed has the same hash again")
		}
	})
}

// A record that was lost, or is restored from a backup, does not know that an approval was used.
// The status tells it.
func TestApprovalAfterLostRecord(t *testing.T) {
	for name, test := range map[string]struct {
		told store.Tokens
		want bool
	}{
		"the status tells the approval":   {told: store.Tokens{ApprovedAt: "2000-01-02T00:00:00Z"}, want: true},
		"the status was lost, too":        {},
		"the status tells an earlier one": {told: store.Tokens{Approve: "earlier", ApprovedAt: "1999-01-01T00:00:00Z"}, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			approving(t, noIdentity, desired.ApproveEverything, func(h *harness) {
				hash := h.awaited(terraform.Create)
				h.approve(hash)
				if h.cloud.applies != 1 {
					t.Fatalf("%d objects were created", h.cloud.applies)
				}
				if err := h.store.Delete(t.Context(), h.r.Key, h.stored().Version); err != nil {
					t.Fatal(err)
				}
				h.restart()
				h.r.Told = test.told
				if test.told.ApprovedAt != "" && test.told.Approve == "" {
					h.r.Told.Approve = hash
				}
				h.observe()
				err := h.tryAct()
				synctest.Wait()
				if refused := h.cloud.applies == 1; refused != test.want {
					t.Errorf("the approval was used again: %t (%v)", !refused, err)
				}
			})
		})
	}
}

func TestApprovalOfChangedPlanIsRefused(t *testing.T) {
	for name, change := range map[string]func(h *harness){
		"the spec":                    func(h *harness) { h.want("a", 3) },
		"the remote object":           func(h *harness) { h.cloud.change(h.cloud.ids()[0], object{"a", 9}) },
		"a restart, with other plans": func(h *harness) { h.cloud.unstable = true; h.restart() },
		"another resource":            func(h *harness) { h.r.UID = "uid-2"; h.sched.Gone(h.r.Key); h.restart() },
		"another configuration": func(h *harness) {
			h.r.Configurations = []policy.Configuration{{Kind: "ClusterProviderConfig", Name: "prod", UID: "1"}}
		},
		"a configuration that was made again": func(h *harness) {
			h.r.Configurations = []policy.Configuration{{Kind: "ClusterProviderConfig", Name: "dev", UID: "2"}}
		},
		"another account": func(h *harness) {
			h.r.Configurations = []policy.Configuration{{Kind: "ClusterProviderConfig", Name: "dev", UID: "1", Account: "prod"}}
		},
		"an annotation, typo": func(h *harness) { h.r.Asked.Approve += "0" },
	} {
		t.Run(name, func(t *testing.T) {
			approving(t, assigned, desired.ApproveEverything, func(h *harness) {
				h.r.Configurations = []policy.Configuration{{Kind: "ClusterProviderConfig", Name: "dev", UID: "1"}}
				h.approve(h.awaited(terraform.Create))
				h.observe()
				h.want("a", 2)
				h.r.Asked.Approve = h.awaited(terraform.Update)
				change(h)
				h.observe()
				before := h.cloud.applies
				h.refuses(h.tryAct(), decision.ReasonPlanChanged)
				synctest.Wait()
				if h.cloud.applies != before {
					t.Error("it was applied")
				}
				h.r.Asked.Approve = ""
				h.approve(h.awaited(terraform.Update))
			})
		})
	}
}

// Nothing changes if only the controller is another one.
// A rotation of credentials, or a label of a provider configuration, voids no approval.
func TestPlanHashSurvivesRotation(t *testing.T) {
	approving(t, assigned, desired.ApproveEverything, func(h *harness) {
		h.r.Configurations = []policy.Configuration{{Kind: "ClusterProviderConfig", Name: "dev", UID: "1", Account: "a"}}
		h.r.Account.Content = "before"
		hash := h.awaited(terraform.Create)
		h.r.Account.Content = "after"
		h.r.Configurations[0].Labels = map[string]string{"rotated": "true"}
		if got := h.awaited(terraform.Create); got != hash {
			t.Errorf("the hash was %s and is %s", hash, got)
		}
	})
}

func TestPlanHashSurvivesRestart(t *testing.T) {
	approving(t, assigned, desired.ApproveEverything, func(h *harness) {
		h.r.CreateToken = tokens()
		first := h.awaited(terraform.Create)
		h.restart()
		if again := h.awaited(terraform.Create); again != first {
			t.Error("a create has another hash after a restart")
		}
		h.approve(first)
		h.observe()
		h.want("a", 2)
		update := h.awaited(terraform.Update)
		h.restart()
		if again := h.awaited(terraform.Update); again != update {
			t.Error("an update has another hash after a restart")
		}
	})
}

// A replacement is one plan, in either order. What is created has to be what was approved.
func TestApprovedReplacement(t *testing.T) {
	for name, first := range map[string]bool{"destroy first": false, "create first": true} {
		t.Run(name, func(t *testing.T) {
			approving(t, assigned, desired.ApproveEverything, func(h *harness) {
				h.r.CreateToken = tokens()
				h.approve(h.awaited(terraform.Create))
				h.observe()
				h.want("b", 1)
				h.r.Config.CreateBeforeDestroy = first
				action := terraform.DeleteThenCreate
				if first {
					action = terraform.CreateThenDelete
				}
				h.approve(h.awaited(action))
				if o := h.settle(); nameOf(o.Instance.State) != "b" || len(o.Instance.Deposed) > 0 || len(h.cloud.ids()) != 1 {
					t.Errorf("the replacement was not completed: %+v", o.Instance)
				}
			})
		})
	}
	t.Run("edited between", func(t *testing.T) {
		approving(t, assigned, desired.ApproveEverything, func(h *harness) {
			h.approve(h.awaited(terraform.Create))
			h.observe()
			h.want("b", 1)
			h.approve(h.awaited(terraform.DeleteThenCreate))
			h.want("c", 1)
			h.approve(h.awaited(terraform.Create))
			if o := h.settle(); nameOf(o.Instance.State) != "c" {
				t.Errorf("it is %s", nameOf(o.Instance.State))
			}
		})
	})
}

func TestApprovalOfDestructivePlans(t *testing.T) {
	approving(t, assigned, desired.ApproveDestructive, func(h *harness) {
		h.settle()
		h.want("a", 2)
		h.settle()
		h.want("b", 2)
		h.approve(h.awaited(terraform.DeleteThenCreate))
		h.settle()
		h.delete()
		h.observe()
		h.awaited(terraform.Delete)
	})
}

// Two controllers that both see an approval use it once.
func TestConcurrentApproval(t *testing.T) {
	approving(t, assigned, desired.ApproveEverything, func(h *harness) {
		h.approve(h.awaited(terraform.Create))
		h.observe()
		h.want("a", 2)
		h.r.Asked.Approve = h.awaited(terraform.Update)
		other := scheduler.New(h.o)
		if _, err := other.Observe(t.Context(), h.r); err != nil {
			t.Fatal(err)
		}
		before := h.cloud.applies
		for _, s := range []*scheduler.Scheduler{h.sched, other} {
			if err := s.Apply(t.Context(), h.r); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		if n := h.cloud.applies - before; n != 1 {
			t.Errorf("it was applied %d times", n)
		}
	})
}

// Hashes of equal plans of two resources, and unkeyed hashes, tell nothing.
func TestPlanHashTellsNothing(t *testing.T) {
	seen := map[string]string{}
	for _, uid := range []string{"one", "two"} {
		approving(t, assigned, desired.ApproveEverything, func(h *harness) {
			h.r.UID = "uid-" + h.r.UID
			if uid == "two" {
				h.r.UID = "uid-2"
			}
			hash := h.awaited(terraform.Create)
			if with, ok := seen[hash]; ok {
				t.Errorf("%s and %s have the same hash", with, uid)
			}
			seen[hash] = uid
			h.o.PlanKey = []byte(strings.Repeat("x", 32))
			h.restart()
			if again := h.awaited(terraform.Create); again == hash {
				t.Error("the hash does not depend on the key")
			}
		})
	}
}

// What waits costs no more than what is up to date.
func TestAwaitingApprovalCostsNothing(t *testing.T) {
	approving(t, assigned, desired.ApproveEverything, func(h *harness) {
		h.approve(h.awaited(terraform.Create))
		h.observe()
		h.want("a", 2)
		h.awaited(terraform.Update)
		h.log.take()
		first := h.observe()
		for range 3 {
			h.awaited(terraform.Update)
			if h.observe() != first {
				t.Error("the observation is made anew")
			}
		}
		for _, call := range h.log.take() {
			if call != "refresh" {
				t.Errorf("a call besides reading: %s", call)
			}
		}
		n := 0
		for _, count := range h.sched.Census() {
			n += count.Awaiting
		}
		if n != 1 {
			t.Errorf("%d resources are counted", n)
		}
	})
}

// ledger checks from the outside that only approved plans are applied. It does not use the
// scheduler's hashes, except to name the plans that were shown.
type ledger struct {
	// shown are the plans that were shown, by hash.
	shown map[string]terraform.Plan
	// open is the plan that the annotation approves, if it was not used; begun are those of which
	// only one half was carried out.
	open       *terraform.Plan
	hash       string // of open
	used       map[string]bool
	begun      []terraform.Plan
	unapproved []string
	// denied is set while a policy denies all plans.
	denied atomic.Bool
}

func (l *ledger) approve(hash string) {
	l.open, l.hash = nil, hash
	if p, ok := l.shown[hash]; ok && !l.used[hash] {
		l.open = &p
	}
}

// use ends an approval.
func (l *ledger) use() { l.open, l.used[l.hash] = nil, true }

func (l *ledger) applied(p terraform.Plan) {
	if a := l.open; a != nil && !l.denied.Load() {
		prior, planned := sameValue(a.Prior.State, p.Prior.State), sameValue(a.State, p.State)
		switch {
		case a.Action == p.Action && prior && (p.Action == terraform.Delete || planned && string(a.Private) == string(p.Private)):
			l.use()
			return
		case a.Action.IsReplace() && p.Action == terraform.Delete && prior, a.Action == terraform.CreateThenDelete &&
			p.Action == terraform.Create && planned:
			l.begun = append(l.begun, *a)
			l.use()
			return
		}
	}
	for _, a := range l.begun {
		// The object that was replaced may have changed in the meantime.
		if p.Action == terraform.Create && sameValue(a.State, p.State) || p.Action == terraform.Delete && idOf(a.Prior) == idOf(p.Prior) {
			return
		}
	}
	l.unapproved = append(l.unapproved, fmt.Sprintf("%s of %#v to %#v", p.Action, p.Prior.State, p.State))
}

func sameValue(a, b cty.Value) bool {
	none := func(v cty.Value) bool { return v == cty.NilVal || v.IsNull() }
	return none(a) && none(b) || !none(a) && !none(b) && a.RawEquals(b)
}

// In random sequences of edits, approvals, failures and restarts, only what was approved is
// applied, and once everything is approved the object is as wanted.
func TestOnlyApprovedPlansAreApplied(t *testing.T) {
	n := *planCases
	if n == 0 {
		n = 60
	}
	unapproved, failed := 0, 0
	for seed := range n {
		ok := t.Run(fmt.Sprint(seed), func(t *testing.T) {
			kinds := []identityKind{assigned, noIdentity}
			least := desired.ApproveEverything
			if byPolicy := seed%4 >= 2; byPolicy {
				least = desired.ApproveNothing
			}
			approving(t, kinds[seed%len(kinds)], least, func(h *harness) {
				unapproved += len(walk(h, rand.New(rand.NewPCG(uint64(seed), 1))))
			})
		})
		if !ok {
			failed++
		}
	}
	if *planCases > 0 {
		fmt.Printf("plans: %d cases, %d applied unapproved, %d failed\n", n, unapproved, failed)
	}
}

// walk does something random with a resource again and again. It returns what was applied without
// approval.
func walk(h *harness, random *rand.Rand) []string {
	l := &ledger{shown: map[string]terraform.Plan{}, used: map[string]bool{}}
	h.cloud.unstable = random.IntN(2) == 0
	h.cloud.asked, h.r.Tell = l.applied, nil
	if byPolicy := h.r.Policies.Approval == desired.ApproveNothing; byPolicy {
		// All plans need approval because of a policy, and sometimes another one denies them.
		h.r.Decide = func(context.Context, *terraform.Plan) (policy.Verdict, error) {
			v := policy.Verdict{Approval: []policy.Result{{Policy: "ask"}}}
			if l.denied.Load() {
				v.Denied = []policy.Result{{Policy: "deny"}}
			}
			return v, nil
		}
	}
	createFirst := random.IntN(2) == 0
	faults := rand.New(rand.NewPCG(random.Uint64(), 2)) // used by other goroutines
	tries, last := 0, ""
	step := func(approve string) {
		o, err := h.sched.Observe(h.t.Context(), h.r)
		if err == nil && o.PlanHash != "" {
			p := terraform.Plan{Action: o.PlanAction, Prior: o.Instance}
			if o.Plan != nil {
				p = *o.Plan
			}
			if _, known := l.shown[o.PlanHash]; !known {
				l.shown[o.PlanHash] = p
			}
			last = o.PlanHash
		}
		if approve != "" {
			l.approve(approve)
			h.r.Asked.Approve, h.r.Asked.ApprovedBy = approve, "alice"
		}
		if err == nil && !o.UpToDate() {
			_ = h.tryAct()
		}
		synctest.Wait()
	}
	for range 40 {
		approve := ""
		switch random.IntN(13) {
		case 0:
			h.want("a", int64(random.IntN(3)))
		case 1:
			h.want(string(rune('a'+random.IntN(3))), 1)
		case 2, 3, 4:
			approve = last
		case 5:
			sum := sha256.Sum256([]byte(last))
			approve = hex.EncodeToString(sum[:16])
		case 6:
			if ids := h.cloud.ids(); len(ids) > 0 {
				h.cloud.change(ids[0], object{h.cloud.objects[ids[0]].name, int64(random.IntN(9))})
			}
		case 7:
			h.restart()
		case 8:
			h.cloud.manner = []manner{refused, halfway, silentUndone, inOrder}[random.IntN(4)]
		case 9:
			tries++
			h.r.Asked.Taint = fmt.Sprint(tries)
		case 10:
			f := []fault{unavailable, unanswered, touched}[random.IntN(3)]
			h.store.fails(func(call string) fault {
				if call == "save" && faults.IntN(3) == 0 {
					return f
				}
				return ""
			})
		case 11:
			h.store.fails(nil)
			time.Sleep(10 * time.Minute)
		case 12:
			l.denied.Store(h.r.Decide != nil && !l.denied.Load())
		}
		if h.r.Config != nil {
			h.r.Config.CreateBeforeDestroy = createFirst
		}
		step(approve)
	}
	// Everything is approved now.
	h.store.fails(nil)
	l.denied.Store(false)
	h.cloud.manner, h.cloud.unstable = inOrder, false
	done := false
	for range 60 {
		time.Sleep(2 * time.Hour)
		h.r.ConfirmCreate = h.unresolved()
		step("")
		step(last)
		o, err := h.sched.Observe(h.t.Context(), h.r)
		if done = err == nil && o.UpToDate(); done {
			break
		}
	}
	if !done {
		_, err := h.sched.Observe(h.t.Context(), h.r)
		h.t.Errorf("it never becomes as wanted: %v, %v", err, h.tryAct())
	}
	for _, what := range l.unapproved {
		h.t.Errorf("applied without approval: %s", what)
	}
	return l.unapproved
}

// unresolved returns the id of the operation whose outcome is unknown; empty if there is none.
func (h *harness) unresolved() string {
	if rec, ok := h.record(); ok && rec.Instance.Operation != nil && rec.Instance.Operation.Kind == instance.Create {
		return rec.Instance.Operation.ID
	}
	return ""
}

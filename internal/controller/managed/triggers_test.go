package managed_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	xpevent "github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/testing/crashtest"
	"github.com/landbridge-io/landbridge/internal/trigger"
	"github.com/landbridge-io/landbridge/schema"
)

// ledger is a scheduler with one object, whose operations end at once.
type ledger struct {
	scheduler.Interface
	f *triggered
	// size is that of the object; empty if there is none.
	size    string
	tainted bool
	// round and ended are recorded of operations, and begun is set while the outcome of one is not.
	round string
	ended bool
	begun bool
	// unrecorded is the round of an operation that has changed the object, and whose outcome was
	// not stored.
	unrecorded string
	// fails is set if operations fail, and taint is the last token that was handled.
	fails bool
	taint string
	shown *scheduler.Observation
	// brakes is set while the brake holds destroys.
	brakes bool
}

func (l *ledger) braked() error {
	if !l.brakes {
		return nil
	}
	return &scheduler.Error{Reason: decision.ReasonDestroyBrake, Err: errors.New("held")}
}

func (l *ledger) Observe(_ context.Context, r scheduler.Request) (*scheduler.Observation, error) {
	if r.Asked.Taint != l.taint {
		l.taint, l.tainted = r.Asked.Taint, true
	}
	l.begun = false // the object shows the outcome
	o := &scheduler.Observation{Instance: instance.Instance{Status: instance.Empty}}
	action := terraform.Create
	if l.size != "" {
		o.Instance = instance.Instance{Status: instance.Full, State: object(map[string]string{"id": "x", "size": l.size})}
		action = terraform.Update
		if l.tainted {
			o.Instance.Status, action = instance.Tainted, terraform.DeleteThenCreate
		} else if !r.Deleted && r.Configuration().Value.GetAttr("size").AsString() == l.size {
			action = terraform.NoOp
		}
	}
	if !r.Deleted {
		o.Plan = &terraform.Plan{Resource: r.Type, Action: action, Prior: o.Instance, State: r.Configuration().Value}
	}
	l.shown = o
	return o, nil
}

func (l *ledger) Apply(ctx context.Context, r scheduler.Request) error {
	return l.operate(ctx, r, l.shown.Plan.Action, func() {
		l.size, l.tainted = r.Configuration().Value.GetAttr("size").AsString(), false
	})
}

func (l *ledger) Delete(ctx context.Context, r scheduler.Request) error {
	return l.operate(ctx, r, terraform.Delete, func() { l.size = "" })
}

// operate carries out an operation as the journal does: the intent is stored, the object changed,
// and the outcome stored.
func (l *ledger) operate(ctx context.Context, r scheduler.Request, action terraform.Action, do func()) error {
	round := ""
	if r.Before != nil {
		var err error
		if round, err = r.Before(ctx, action, l.braked); err != nil {
			return err
		}
	}
	if round == "" {
		if err := l.braked(); err != nil {
			return err
		}
	}
	if err := l.f.process.Write(func() error {
		if l.begun = true; round != "" {
			l.round, l.ended = round, false
		}
		return nil
	}); err != nil {
		return err
	}
	if l.fails {
		l.begun = false
		l.f.note("failed %s", action)
		return &scheduler.Error{Reason: decision.ReasonOperationFailed, Diagnostics: diagnostic.Errorf("No", "It fails."), RetryAt: time.Now()}
	}
	do()
	l.f.note("%s", action)
	l.unrecorded = round
	return l.f.process.Write(func() error {
		l.begun, l.ended, l.unrecorded = false, round != "", ""
		return nil
	})
}

func (l *ledger) Remembered(scheduler.Request) (scheduler.Remembered, bool) {
	out := scheduler.Remembered{Handled: store.Tokens{Round: l.round, RoundEnded: l.ended, Taint: l.taint}}
	if l.shown != nil {
		out.Status = l.shown.Instance.Status
	}
	return out, true
}

func (*ledger) Running() int { return 0 }

func (*ledger) Mark(scheduler.Request) (scheduler.Mark, bool) { return scheduler.Mark{1}, true }

func (*ledger) Rest(scheduler.Request) bool { return false }

func (*ledger) Retire(context.Context, scheduler.Request) error { return nil }

func (*ledger) Forget(context.Context, scheduler.Request) error { return nil }

func (*ledger) Gone(store.Key) {}

// noted has the events of a resource.
type noted struct {
	mu     sync.Mutex
	events []string
}

func (r *noted) WithAnnotations(...string) xpevent.Recorder { return r }

func (r *noted) Event(_ runtime.Object, e xpevent.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, string(e.Type)+" "+string(e.Reason)+": "+e.Message)
}

// triggered is a disk team/x with spec.actions, and what invokes backups.
type triggered struct {
	k       *managed.Kind
	api     client.WithWatch
	r       *managed.Reconciler
	process *crashtest.Process
	ledger  *ledger
	events  *noted
	// log is what has happened, in this order.
	log []string
}

func (f *triggered) note(format string, args ...any) {
	f.log = append(f.log, fmt.Sprintf(format, args...))
}

const backups = "backups.action.cloud.landbridge.io"

// backup is an element of spec.actions.
func backup(more m, events ...any) m {
	out := m{"name": "backup", "action": backups, "events": events}
	for k, v := range more {
		out[k] = v
	}
	return out
}

func newTriggered(t testing.TB, actions ...any) *triggered {
	t.Helper()
	p, err := model.NewProvider("cloud", &schema.Provider{
		Config: &schema.Block{},
		Resources: map[string]*schema.Resource{"cloud_disk": {Type: "cloud_disk", Block: &schema.Block{Attributes: map[string]*schema.Attribute{
			"id": {Type: cty.String, Computed: true}, "size": {Type: cty.String, Optional: true},
		}}}},
		Actions: map[string]*schema.Block{
			"cloud_backup": {Attributes: map[string]*schema.Attribute{"source": {Type: cty.String, Optional: true}}},
		},
	}, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	f := &triggered{k: &managed.Kind{Model: p.Resources["cloud_disk"]}, events: &noted{}}
	f.ledger = &ledger{f: f}
	looksBy(f.k, f.ledger, new(int))
	f.k.Options.Recorder, f.k.Neighbours = f.events, settled{alone{graph: &references.Graph{}}}
	u := resourceOf(f.k)
	u.Object["spec"] = m{
		"managementPolicies": []any{"*"}, "forProvider": m{"size": "1"}, "actions": actions,
		"providerConfigRef": m{"kind": "ProviderConfig", "name": "own"},
	}
	action := p.Actions["cloud_backup"].GroupVersionKind()
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(action, meta.RESTScopeNamespace)
	mapper.Add(u.GroupVersionKind(), meta.RESTScopeNamespace)
	status := &unstructured.Unstructured{}
	status.SetGroupVersionKind(action)
	f.api = fake.NewClientBuilder().WithScheme(runtime.NewScheme()).WithRESTMapper(mapper).
		WithStatusSubresource(u, status).WithObjects(u).Build()
	f.live(&crashtest.Process{})
	return f
}

// live begins another process.
func (f *triggered) live(p *crashtest.Process) {
	f.process = p
	f.r = managed.NewReconciler(f.k, p.Client(f.api), f.api)
	f.r.Use(noQueue{})
	managed.Claim(f.k)
}

func (f *triggered) reconcile(t testing.TB) {
	t.Helper()
	_, err := f.r.Reconcile(context.Background(), reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "team", Name: "x"}})
	if err != nil && !f.process.Dead {
		t.Fatal(err)
	}
}

// disk returns the resource; nil if it is gone.
func (f *triggered) disk(t testing.TB) *unstructured.Unstructured {
	t.Helper()
	u := resourceOf(f.k)
	err := f.api.Get(context.Background(), client.ObjectKeyFromObject(u), u)
	if kerrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// resize changes the spec.
func (f *triggered) resize(t testing.TB, size string) {
	t.Helper()
	u := f.disk(t)
	_ = unstructured.SetNestedField(u.Object, size, "spec", "forProvider", "size")
	u.SetGeneration(u.GetGeneration() + 1)
	if err := f.api.Update(context.Background(), u); err != nil {
		t.Fatal(err)
	}
}

// retrigger sets spec.actions.
func (f *triggered) retrigger(t testing.TB, actions ...any) {
	t.Helper()
	u := f.disk(t)
	u.Object["spec"].(m)["actions"] = actions
	if err := f.api.Update(context.Background(), u); err != nil {
		t.Fatal(err)
	}
}

// invocations returns the objects of actions.
func (f *triggered) invocations(t testing.TB) []unstructured.Unstructured {
	t.Helper()
	all := &unstructured.UnstructuredList{}
	all.SetAPIVersion("action.cloud.landbridge.io/v1alpha1")
	all.SetKind("BackupList")
	if err := f.api.List(context.Background(), all); err != nil {
		t.Fatal(err)
	}
	return all.Items
}

// unrecorded reports whether neither the record nor the status tells that an operation has
// succeeded.
func (f *triggered) unrecorded(t testing.TB) bool {
	t.Helper()
	u := f.disk(t)
	if u == nil || f.ledger.unrecorded == "" {
		return false
	}
	round := trigger.RoundOf(u)
	return round != nil && round.ID == f.ledger.unrecorded && round.Stage == trigger.Before
}

// event returns the event that an object was created for.
func (f *triggered) event(t testing.TB, of *unstructured.Unstructured) string {
	t.Helper()
	if u := f.disk(t); u != nil {
		list, _, _ := unstructured.NestedSlice(u.Object, "status", "actions", "invocations")
		for _, x := range list {
			if i := x.(m); i["name"] == of.GetName() {
				return i["trigger"].(string) + " " + i["event"].(string)
			}
		}
	}
	return "another"
}

// invoke has the controller of actions carry out those that have not begun, with an outcome.
func (f *triggered) invoke(t testing.TB, phase string) {
	t.Helper()
	for _, u := range f.invocations(t) {
		if _, begun, _ := unstructured.NestedString(u.Object, "status", "phase"); begun {
			continue
		}
		u.Object["status"] = m{"phase": phase, "conditions": []any{m{"type": "Synced", "status": "False", "reason": "X", "message": "So it is."}}}
		if err := f.api.Status().Update(context.Background(), &u); err != nil {
			t.Fatal(err)
		}
		if phase == "Succeeded" || phase == "Failed" {
			f.note("%s %s", f.event(t, &u), phase)
		}
	}
}

// until reconciles often enough for everything to happen, with a number of actions.
func (f *triggered) until(t testing.TB, phase string) {
	t.Helper()
	for range 12 {
		f.reconcile(t)
		if phase != "" {
			f.invoke(t, phase)
		}
	}
}

// Each event has its actions invoked once, in its place.
func TestTriggers(t *testing.T) {
	t.Parallel()
	all := []any{"BeforeCreate", "AfterCreate", "BeforeUpdate", "AfterUpdate", "BeforeDestroy", "AfterDestroy"}
	remove := func(t *testing.T, f *triggered) {
		if err := f.api.Delete(t.Context(), f.disk(t)); err != nil {
			t.Fatal(err)
		}
	}
	created := func(t *testing.T, f *triggered) {
		f.until(t, "Succeeded")
		f.log = nil
	}
	for name, test := range map[string]struct {
		actions []any
		do      func(*testing.T, *triggered)
		log     []string
		// ready and synced are reasons of conditions, and told is in the message of the latter.
		ready, synced, told string
	}{
		"create": {actions: []any{backup(nil, all...)}, do: func(t *testing.T, f *triggered) { f.until(t, "Succeeded") },
			log:   []string{"backup BeforeCreate Succeeded", "Create", "backup AfterCreate Succeeded"},
			ready: "Available", synced: "ReconcileSuccess"},
		"update": {actions: []any{backup(nil, all...)}, do: func(t *testing.T, f *triggered) {
			created(t, f)
			f.resize(t, "2")
			f.until(t, "Succeeded")
		}, log: []string{"backup BeforeUpdate Succeeded", "Update", "backup AfterUpdate Succeeded"},
			ready: "Available", synced: "ReconcileSuccess"},
		"replacement": {actions: []any{backup(nil, all...)}, do: func(t *testing.T, f *triggered) {
			created(t, f)
			f.ledger.tainted = true
			f.resize(t, "2")
			f.until(t, "Succeeded")
		}, log: []string{
			"backup BeforeDestroy Succeeded", "backup BeforeCreate Succeeded", "DeleteThenCreate",
			"backup AfterDestroy Succeeded", "backup AfterCreate Succeeded",
		}, ready: "Available", synced: "ReconcileSuccess"},
		"deletion": {actions: []any{backup(nil, all...)}, do: func(t *testing.T, f *triggered) {
			created(t, f)
			remove(t, f)
			f.until(t, "Succeeded")
			if f.disk(t) != nil {
				t.Error("it is not gone")
			}
		}, log: []string{"backup BeforeDestroy Succeeded", "Delete", "backup AfterDestroy Succeeded"}},
		"a deletion that the brake holds": {actions: []any{backup(nil, all...)}, do: func(t *testing.T, f *triggered) {
			created(t, f)
			f.ledger.brakes = true
			remove(t, f)
			f.until(t, "Succeeded")
		}, ready: "Deleting", synced: "DestroyBrake"},
		"a deletion whose actions were invoked before the brake holds": {
			actions: []any{backup(nil, "BeforeDestroy")}, do: func(t *testing.T, f *triggered) {
				created(t, f)
				remove(t, f)
				f.until(t, "Running")
				f.ledger.brakes = true
				for _, u := range f.invocations(t) {
					u.Object["status"].(m)["phase"] = "Succeeded"
					if err := f.api.Status().Update(t.Context(), &u); err != nil {
						t.Fatal(err)
					}
				}
				f.until(t, "")
				if f.disk(t) != nil {
					t.Error("it is not gone")
				}
			}, log: []string{"Delete"},
		},
		"several, in their order": {
			actions: []any{backup(nil, "AfterCreate"), backup(m{"name": "other"}, "AfterCreate")},
			do: func(t *testing.T, f *triggered) {
				f.until(t, "Succeeded")
			}, log: []string{
				"Create", "backup AfterCreate Succeeded", "other AfterCreate Succeeded",
			}, ready: "Available", synced: "ReconcileSuccess",
		},
		"a condition": {
			actions: []any{backup(m{"condition": "old != null && self.spec.forProvider.size > old.size"}, all...)},
			do: func(t *testing.T, f *triggered) {
				f.until(t, "Succeeded")
				f.resize(t, "0")
				f.until(t, "Succeeded")
				f.resize(t, "3")
				f.until(t, "Succeeded")
			}, log: []string{
				"Create", "Update", "backup BeforeUpdate Succeeded", "Update", "backup AfterUpdate Succeeded",
			}, ready: "Available", synced: "ReconcileSuccess",
		},
		"one that waits for approval": {
			actions: []any{backup(nil, "BeforeCreate")}, do: func(t *testing.T, f *triggered) {
				f.until(t, "AwaitingApproval")
			},
			ready: "Creating", synced: "AwaitingAction", told: "(BeforeCreate), which is AwaitingApproval. So it is.",
		},
		"after the operation, it waits": {
			actions: []any{backup(nil, "AfterCreate")}, do: func(t *testing.T, f *triggered) { f.until(t, "Running") },
			log: []string{"Create"}, ready: "AwaitingAction", synced: "ReconcileSuccess",
		},
		"a change waits for what follows the last one": {actions: []any{backup(nil, "AfterCreate")}, do: func(t *testing.T, f *triggered) {
			f.until(t, "Running")
			f.resize(t, "2")
			f.until(t, "Running")
		}, log: []string{"Create"}, ready: "AwaitingAction", synced: "AwaitingAction"},
		"a create does, too": {actions: []any{backup(nil, "AfterCreate")}, do: func(t *testing.T, f *triggered) {
			f.until(t, "Running")
			f.ledger.size = "" // others have destroyed it
			f.until(t, "Running")
		}, log: []string{"Create"}, ready: "AwaitingAction", synced: "AwaitingAction"},
		"a deletion does not": {actions: []any{backup(nil, "AfterCreate")}, do: func(t *testing.T, f *triggered) {
			f.until(t, "AwaitingApproval")
			remove(t, f)
			f.until(t, "")
			if f.disk(t) != nil {
				t.Error("it is not gone")
			}
		}, log: []string{"Create", "Delete"}},
		"a failure before": {actions: []any{backup(nil, "BeforeCreate")}, do: func(t *testing.T, f *triggered) { f.until(t, "Failed") },
			log: []string{"backup BeforeCreate Failed"}, ready: "Creating", synced: "ActionFailed",
			told: "it ended as Failed (BeforeCreate). So it is."},
		"a failure after": {actions: []any{backup(nil, "AfterCreate")}, do: func(t *testing.T, f *triggered) { f.until(t, "Failed") },
			log: []string{"Create", "backup AfterCreate Failed"}, ready: "ActionFailed", synced: "ReconcileSuccess"},
		"a failed one is deleted": {actions: []any{backup(nil, "BeforeCreate")}, do: func(t *testing.T, f *triggered) {
			f.until(t, "Failed")
			for _, u := range f.invocations(t) {
				if err := f.api.Delete(t.Context(), &u); err != nil {
					t.Fatal(err)
				}
			}
			f.until(t, "Succeeded")
		}, log: []string{"backup BeforeCreate Failed", "backup BeforeCreate Succeeded", "Create"}, ready: "Available",
			synced: "ReconcileSuccess"},
		"the next change after a failure": {actions: []any{backup(nil, "AfterCreate", "AfterUpdate")}, do: func(t *testing.T, f *triggered) {
			f.until(t, "Failed")
			f.resize(t, "2")
			f.until(t, "Succeeded")
		}, log: []string{"Create", "backup AfterCreate Failed", "Update", "backup AfterUpdate Succeeded"},
			ready: "Available", synced: "ReconcileSuccess"},
		"a failure does not matter": {actions: []any{backup(m{"onFailure": "Continue"}, all...)}, do: func(t *testing.T, f *triggered) {
			f.until(t, "Failed")
			if events := strings.Join(f.events.events, "\n"); !strings.Contains(events, "Warning ActionFailed: The action "+backups) {
				t.Error(events)
			}
		}, log: []string{"backup BeforeCreate Failed", "Create", "backup AfterCreate Failed"}, ready: "Available", synced: "ReconcileSuccess"},
		"a failure taints, at most three times": {
			actions: []any{backup(m{"onFailure": "Taint"}, "AfterCreate")}, do: func(t *testing.T, f *triggered) {
				for range 4 {
					f.until(t, "Failed")
				}
			}, log: []string{
				"Create", "backup AfterCreate Failed", "DeleteThenCreate", "backup AfterCreate Failed", "DeleteThenCreate", "backup AfterCreate Failed",
			}, ready: "ActionFailed", synced: "ReconcileSuccess",
		},
		"an operation is tried again": {actions: []any{backup(nil, all...)}, do: func(t *testing.T, f *triggered) {
			f.ledger.fails = true
			f.until(t, "Succeeded")
			f.log = slices.Compact(f.log)
			f.ledger.fails = false
			f.until(t, "Succeeded")
		}, log: []string{"backup BeforeCreate Succeeded", "failed Create", "Create", "backup AfterCreate Succeeded"},
			ready: "Available", synced: "ReconcileSuccess"},
		"the change is taken back": {actions: []any{backup(nil, all...)}, do: func(t *testing.T, f *triggered) {
			created(t, f)
			f.resize(t, "2")
			f.until(t, "AwaitingApproval")
			f.resize(t, "1")
			f.until(t, "Succeeded")
		}, ready: "Available", synced: "ReconcileSuccess"},
		"the trigger is removed": {actions: []any{backup(nil, "BeforeCreate")}, do: func(t *testing.T, f *triggered) {
			f.until(t, "Failed")
			f.retrigger(t, backup(m{"name": "other"}, "AfterCreate"))
			f.until(t, "Succeeded")
		}, log: []string{"backup BeforeCreate Failed", "Create"}, ready: "Available", synced: "ReconcileSuccess"},
		"the trigger of one that waits for approval is removed": {
			actions: []any{backup(nil, "BeforeCreate")}, do: func(t *testing.T, f *triggered) {
				f.until(t, "AwaitingApproval")
				f.retrigger(t, backup(m{"name": "other"}, "AfterUpdate"))
				f.until(t, "")
			}, log: []string{"Create"}, ready: "Available", synced: "ReconcileSuccess",
		},
		"after the operation, that of one that runs is removed": {
			actions: []any{backup(nil, "AfterCreate")}, do: func(t *testing.T, f *triggered) {
				f.until(t, "Running")
				f.retrigger(t)
				f.until(t, "")
				f.resize(t, "2")
				f.until(t, "")
			}, log: []string{"Create", "Update"}, ready: "Available", synced: "ReconcileSuccess",
		},
		"an action that is not served": {
			actions: []any{backup(m{"action": "others.action.cloud.landbridge.io"}, "BeforeCreate")},
			do:      func(t *testing.T, f *triggered) { f.until(t, "") },
			ready:   "Creating", synced: "InvalidConfiguration", told: "spec.actions[backup].action: no kind is " +
				"served as others.action.cloud.landbridge.io: activate",
		},
		// The right to invoke is checked for what the element says, letter by letter.
		"an action by the beginning of its group": {
			actions: []any{backup(m{"action": "backups.action.cloud"}, "BeforeCreate")},
			do:      func(t *testing.T, f *triggered) { f.until(t, "Succeeded") },
			ready:   "Creating", synced: "InvalidConfiguration", told: "spec.actions[backup].action: no kind is " +
				"served as backups.action.cloud: activate",
		},
		"an action by its singular": {
			actions: []any{backup(m{"action": "backup.action.cloud.landbridge.io"}, "BeforeCreate")},
			do:      func(t *testing.T, f *triggered) { f.until(t, "Succeeded") },
			ready:   "Creating", synced: "InvalidConfiguration", told: "spec.actions[backup].action: no kind is " +
				"served as backup.action.cloud.landbridge.io: activate",
		},
		"a condition that is no CEL": {
			actions: []any{backup(m{"condition": "self."}, "BeforeCreate")},
			do:      func(t *testing.T, f *triggered) { f.until(t, "") },
			ready:   "Unknown", synced: "InvalidConfiguration", told: "spec.actions[backup].condition: ERROR",
		},
		"a condition that is no condition": {
			actions: []any{backup(m{"condition": "1"}, "BeforeCreate")},
			do:      func(t *testing.T, f *triggered) { f.until(t, "") },
			ready:   "Unknown", synced: "InvalidConfiguration",
			told: "spec.actions[backup].condition: the result must be true or false",
		},
		"a value that is not there": {
			actions: []any{
				backup(m{
					"values": []any{m{"to": "forProvider.source", "value": "self.status.atProvider.arn"}},
				}, "AfterCreate"),
			},
			do: func(t *testing.T, f *triggered) { f.until(t, "") }, log: []string{"Create"},
			ready: "InvalidConfiguration", synced: "ReconcileSuccess",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newTriggered(t, test.actions...)
			test.do(t, f)
			if diff := cmp.Diff(test.log, f.log); diff != "" {
				t.Errorf("what has happened (-want +got):\n%s", diff)
			}
			u := f.disk(t)
			if u == nil {
				return
			}
			of := managed.ResourceOf(u)
			ready, synced := of.GetCondition("Ready"), of.GetCondition("Synced")
			if string(ready.Reason) != test.ready && !(test.ready == "Unknown" && ready.Reason == "") {
				t.Errorf("Ready: %s %s", ready.Reason, ready.Message)
			}
			if string(synced.Reason) != test.synced || !strings.Contains(synced.Message, test.told) {
				t.Errorf("Synced: %s %s", synced.Reason, synced.Message)
			}
		})
	}
}

// What is invoked has the arguments of the trigger and of the resource as it is then. It belongs to
// the resource, unless the resource may be gone before it.
func TestTriggeredObject(t *testing.T) {
	t.Parallel()
	f := newTriggered(t, backup(m{
		"forProvider": m{"label": "a"}, "values": []any{m{
			"to": "forProvider.source", "value": "self.status.atProvider.id + '-' + self.metadata.name",
		}},
	}, "AfterCreate", "BeforeDestroy"))
	f.until(t, "Succeeded")
	objects := f.invocations(t)
	if len(objects) != 1 {
		t.Fatalf("%d objects", len(objects))
	}
	u := objects[0]
	want := m{"forProvider": m{"label": "a", "source": "x-x"}, "providerConfigRef": m{"kind": "ProviderConfig", "name": "own"}}
	if diff := cmp.Diff(want, u.Object["spec"]); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
	if of := u.GetOwnerReferences(); len(of) != 1 || of[0].UID != "1" || of[0].Kind != "Disk" {
		t.Errorf("owners: %v", of)
	}
	if of, ok := managed.TriggeredBy(&u); !ok || of != (store.Key{Group: "cloud.landbridge.io", Kind: "Disk", Namespace: "team", Name: "x"}) {
		t.Errorf("triggered by %v", of)
	}
	f.ledger.tainted = true
	f.until(t, "Succeeded")
	objects = f.invocations(t) // those of the last change, and of the destruction
	var owned, kept int
	for _, u := range objects {
		if ttl, ok, _ := unstructured.NestedInt64(u.Object, "spec", "ttlSecondsAfterFinished"); ok && ttl > 0 &&
			len(u.GetOwnerReferences()) == 0 {
			kept++
		} else {
			owned++
		}
	}
	if owned != 1 || kept != 1 {
		t.Errorf("%d objects of the resource, %d that stay", owned, kept)
	}
}

// What the destruction of an object has had invoked stays for a time once it has succeeded. One
// that halts the resource does not expire: the action would be invoked again.
func TestTriggeredExpires(t *testing.T) {
	t.Parallel()
	for name, event := range map[string]string{"before": "BeforeDestroy", "after": "AfterDestroy"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newTriggered(t, backup(nil, event))
			f.until(t, "")
			if err := f.api.Delete(t.Context(), f.disk(t)); err != nil {
				t.Fatal(err)
			}
			expires := func(phase string) bool {
				t.Helper()
				f.until(t, phase)
				objects := f.invocations(t)
				if len(objects) != 1 {
					t.Fatalf("%d objects", len(objects))
				}
				_, ok, _ := unstructured.NestedInt64(objects[0].Object, "spec", "ttlSecondsAfterFinished")
				return ok
			}
			if expires("Failed") {
				t.Error("one that halts the resource expires")
			}
			if err := f.api.Delete(t.Context(), &f.invocations(t)[0]); err != nil {
				t.Fatal(err)
			}
			if !expires("Succeeded") {
				t.Error("one that has succeeded stays for ever")
			}
			if f.disk(t) != nil {
				t.Error("the resource is not gone")
			}
		})
	}
}

// TestTriggeredOnce has controllers end at any of their writes, before or after it is stored. Each
// change has each of its actions invoked once, and in its place.
func TestTriggeredOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		policy := rapid.SampledFrom([]any{"Halt", "Continue"}).Draw(rt, "on failure")
		f := newTriggered(t, backup(m{"onFailure": policy}, "BeforeCreate", "AfterCreate", "BeforeUpdate",
			"AfterUpdate", "BeforeDestroy", "AfterDestroy"))
		size := 1
		live := func() {
			if f.process.Dead {
				f.live(&crashtest.Process{})
			}
		}
		for range rapid.IntRange(5, 40).Draw(rt, "steps") {
			f.process.Left, f.process.Stored = rapid.IntRange(-1, 3).Draw(rt, "writes until it ends"),
				rapid.Bool().Draw(rt, "the last one is stored")
			f.ledger.fails = rapid.IntRange(0, 3).Draw(rt, "fails") == 0
			f.reconcile(t)
			live()
			switch rapid.IntRange(0, 3).Draw(rt, "what happens") {
			case 0:
				f.invoke(t, "Succeeded")
			case 1:
				f.invoke(t, "Running")
			case 2:
				if !f.ledger.begun && !f.unrecorded(t) { // else two operations are one change
					size++
					f.resize(t, fmt.Sprint(size))
				}
			}
			for _, u := range f.invocations(t) { // those that run end
				if phase, _, _ := unstructured.NestedString(u.Object, "status", "phase"); phase == "Running" && rapid.Bool().Draw(rt, "ends") {
					u.Object["status"].(m)["phase"] = "Succeeded"
					if err := f.api.Status().Update(t.Context(), &u); err != nil {
						rt.Fatal(err)
					}
					f.note("%s Succeeded", f.event(t, &u))
				}
			}
		}
		f.process, f.ledger.fails = &crashtest.Process{}, false
		f.live(f.process)
		for _, u := range f.invocations(t) {
			if phase, _, _ := unstructured.NestedString(u.Object, "status", "phase"); phase == "Running" {
				u.Object["status"].(m)["phase"] = "Succeeded"
				if err := f.api.Status().Update(t.Context(), &u); err != nil {
					rt.Fatal(err)
				}
				f.note("%s Succeeded", f.event(t, &u))
			}
		}
		f.until(t, "Succeeded")
		if err := f.api.Delete(t.Context(), f.disk(t)); err != nil {
			rt.Fatal(err)
		}
		f.until(t, "Succeeded")
		if f.disk(t) != nil {
			rt.Fatalf("it is not gone: %v", f.log)
		}
		checkTriggered(rt, f.log)
	})
}

// checkTriggered demands that each change is between its actions, and each invoked once.
func checkTriggered(t *rapid.T, log []string) {
	names := map[string]string{"Create": "Create", "Update": "Update", "Delete": "Destroy"}
	var changes []string
	for _, entry := range log {
		if !strings.HasPrefix(entry, "failed") {
			changes = append(changes, entry)
		}
	}
	pending := map[string]int{} // invocations before, whose change was taken back
	for i, entry := range changes {
		of, ok := names[entry]
		if !ok {
			continue
		}
		before, after := "backup Before"+of+" Succeeded", "backup After"+of+" Succeeded"
		if i == 0 || changes[i-1] != before {
			t.Fatalf("%d: %s is not preceded by its action: %v", i, entry, changes)
		}
		if i+1 == len(changes) || changes[i+1] != after {
			t.Fatalf("%d: %s is not followed by its action: %v", i, entry, changes)
		}
		pending[before]++
	}
	for i, entry := range changes {
		if strings.Contains(entry, " Before") && (i+1 == len(changes) || names[changes[i+1]] == "") {
			t.Fatalf("%d: %s was repeated: %v", i, entry, changes)
		}
	}
}

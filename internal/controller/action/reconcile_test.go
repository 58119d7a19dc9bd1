package action_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	xpevent "github.com/crossplane/crossplane-runtime/v2/pkg/event"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller/action"
	"github.com/landbridge-io/landbridge/internal/controller/halt"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/controller/unmanaged"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/policy"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

const planted = "planted-argument"

// backup returns an action cloud_backup.
func backup(t testing.TB) *model.Resource {
	t.Helper()
	p, err := model.NewProvider("cloud", &schema.Provider{
		Config: &schema.Block{}, Actions: map[string]*schema.Block{"cloud_backup": {Attributes: map[string]*schema.Attribute{
			"source": {Type: cty.String, Optional: true},
			"key":    {Type: cty.String, Optional: true, WriteOnly: true},
		}}},
	}, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	return p.Actions["cloud_backup"]
}

// cloud is an executor that invokes actions, and a ProviderConfigs that leases it.
type cloud struct {
	terraform.Executor
	mu sync.Mutex
	// invoked are the arguments of the invocations so far.
	invoked []cty.Value
	// outcome is that of the next invocations, with messages. An invocation ends when hangs, if it
	// is not nil, is closed, or when it is interrupted, and is Failed then.
	outcome  terraform.ActionOutcome
	messages []string
	hangs    chan struct{}
	// begun is closed, if it is not nil, when the provider is asked.
	begun chan struct{}
	// plans and ends are the diagnostics of the calls, refuse those of Acquire.
	plans, ends, refuse diagnostic.Diagnostics
}

func (c *cloud) ValidateAction(context.Context, string, cty.Value) diagnostic.Diagnostics { return nil }

func (c *cloud) PlanAction(context.Context, string, cty.Value) diagnostic.Diagnostics { return c.plans }

func (c *cloud) InvokeAction(
	ctx context.Context, _ string, config cty.Value, progress func(string),
) (terraform.ActionOutcome, diagnostic.Diagnostics) {
	if c.outcome == terraform.ActionNotInvoked {
		return c.outcome, c.ends
	}
	c.mu.Lock()
	c.invoked = append(c.invoked, config)
	c.mu.Unlock()
	if c.begun != nil {
		close(c.begun)
	}
	for _, m := range c.messages {
		progress(m)
	}
	if c.hangs != nil {
		select {
		case <-c.hangs:
		case <-provider.Interrupted(ctx).Done():
			return terraform.ActionFailed, diagnostic.Errorf("Interrupted", "The backup was cancelled.")
		}
	}
	return c.outcome, c.ends
}

func (c *cloud) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.invoked)
}

func (c *cloud) Resolve(context.Context, *xpv2.ProviderConfigReference, string) providerconfig.Handle[terraform.Executor] {
	if c.refuse.HasErrors() {
		return providerconfig.Refuse[terraform.Executor]("configuration", c.refuse)
	}
	return providerconfig.Handle[terraform.Executor]{
		Name: "configuration", Acquire: func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
			return c, func() {}, nil
		},
	}
}

func (c *cloud) Names(*xpv2.ProviderConfigReference, map[string]*xpv2.ProviderConfigReference, string) []string {
	return []string{"configuration"}
}

// neighbours are other kinds: none is served.
type neighbours struct{ graph references.Graph }

func (n *neighbours) References() *references.Graph           { return &n.graph }
func (n *neighbours) Served(kschema.GroupKind) (string, bool) { return "", false }
func (n *neighbours) Lacks(kschema.GroupKind, string) error   { return nil }
func (n *neighbours) Wake(store.Key)                          {}

// recorder has the events.
type recorder struct {
	mu     sync.Mutex
	events []string
}

func (r *recorder) Event(_ runtime.Object, e xpevent.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, string(e.Type)+" "+string(e.Reason)+" "+e.Message)
}
func (r *recorder) WithAnnotations(...string) xpevent.Recorder { return r }

func (r *recorder) has(text string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Contains(strings.Join(r.events, "\n"), text)
}

type noQueue struct{}

func (noQueue) Add(reconcile.Request) {}
func (noQueue) Len() int              { return 0 }

// fixture is a reconciler with one object, team/x.
type fixture struct {
	testing.TB
	cloud    *cloud
	recorder *recorder
	kind     *action.Kind
	clock    *clocktesting.FakePassiveClock
	client   client.WithWatch
	r        *action.Reconciler
	// failing, if it is set, is called before each write of a status.
	failing func(u client.Object) error
	paused  string
	policy  []*policy.Policy
}

func newFixture(t testing.TB, spec map[string]any) *fixture {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	m := backup(t)
	f := &fixture{
		TB: t, cloud: &cloud{outcome: terraform.ActionSucceeded}, recorder: &recorder{},
		clock: clocktesting.NewFakePassiveClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)),
	}
	f.kind = &action.Kind{
		Kind: unmanaged.Kind{
			Model: m, ProviderConfigs: f.cloud, Neighbours: &neighbours{}, Clock: f.clock,
			Options: managed.Options{
				Workers: 1, Timeout: time.Minute, Poll: time.Minute, MinBackoff: time.Millisecond,
				MaxBackoff: time.Second, Recorder: f.recorder, Logger: logr.Discard(),
				Paused:   func(halt.Subject) string { return f.paused },
				Policies: func(context.Context) ([]*policy.Policy, error) { return f.policy, nil },
			},
		},
		PlanKey: []byte("key"), Providers: []string{"cloud"},
	}
	if spec["forProvider"] == nil {
		spec["forProvider"] = map[string]any{"source": "db", "keySecretRef": map[string]any{"name": "key", "key": "key"}}
	}
	u := &unstructured.Unstructured{Object: map[string]any{
		"spec": spec, "status": map[string]any{"observedGeneration": int64(-1)},
		"metadata": map[string]any{"namespace": "team", "name": "x", "uid": "1", "generation": int64(1)},
	}}
	u.SetGroupVersionKind(m.GroupVersionKind())
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "key"}, Data: map[string][]byte{"key": []byte(planted)}}
	f.client = fake.NewClientBuilder().WithScheme(scheme).WithStatusSubresource(u).WithObjects(secret, u).
		WithInterceptorFuncs(interceptor.Funcs{
			SubResourceUpdate: func(
				ctx context.Context, c client.Client, sub string, o client.Object,
				opts ...client.SubResourceUpdateOption,
			) error {
				if f.failing != nil {
					if err := f.failing(o); err != nil {
						return err
					}
				}
				return c.SubResource(sub).Update(ctx, o, opts...)
			},
		}).Build()
	f.restart()
	return f
}

// restart replaces the process: nothing is remembered.
func (f *fixture) restart() {
	f.kind.Runs = &action.Runs{Timeout: time.Hour, Grace: time.Minute, PerConfiguration: 4}
	f.r = action.NewReconciler(f.kind, f.client, f.client)
	f.r.Use(noQueue{})
}

func (f *fixture) try() (reconcile.Result, error) {
	return f.r.Reconcile(f.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "team", Name: "x"}})
}

func (f *fixture) reconcile() reconcile.Result {
	f.Helper()
	out, err := f.try()
	if err != nil {
		f.Fatal(err)
	}
	return out
}

// settled waits until no attempt runs, and reconciles.
func (f *fixture) settled() {
	f.Helper()
	f.kind.Runs.Await()
	f.reconcile()
}

func (f *fixture) object() *unstructured.Unstructured {
	f.Helper()
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(f.kind.Model.GroupVersionKind())
	if err := f.client.Get(f.Context(), client.ObjectKey{Namespace: "team", Name: "x"}, u); err != nil {
		f.Fatal(err)
	}
	return u
}

func (f *fixture) text(path ...string) string {
	s, _, _ := unstructured.NestedString(f.object().Object, path...)
	return s
}

// change changes the object as a user does.
func (f *fixture) change(change func(u *unstructured.Unstructured)) {
	f.Helper()
	u := f.object()
	change(u)
	if err := f.client.Update(f.Context(), u); err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) specify(value any, field string) {
	f.change(func(u *unstructured.Unstructured) {
		_ = unstructured.SetNestedField(u.Object, value, "spec", field)
		u.SetGeneration(u.GetGeneration() + 1)
	})
}

func (f *fixture) remove() {
	f.Helper()
	if err := f.client.Delete(f.Context(), f.object()); err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) exists() bool {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(f.kind.Model.GroupVersionKind())
	return f.client.Get(f.Context(), client.ObjectKey{Namespace: "team", Name: "x"}, u) == nil
}

// state is what is checked of an object.
type state struct {
	Phase    string
	Attempts int64
	// Conditions are those that are True, and Reason is that of Synced.
	Conditions []string
	Reason     string
	Invoked    int
}

func (f *fixture) state() state {
	f.Helper()
	u := f.object()
	r := managed.CustomResource{Unstructured: *u}
	out := state{Phase: f.text("status", "phase"), Reason: string(r.GetCondition(xpv2.TypeSynced).Reason), Invoked: f.cloud.count()}
	out.Attempts, _, _ = unstructured.NestedInt64(u.Object, "status", "attempts")
	for _, t := range []xpv2.ConditionType{
		"Synced", "Ready", "Reconciling", "Stalled", "Complete", "Failed", "Suspended", "Approved", "Deferred",
	} {
		if r.GetCondition(t).Status == corev1.ConditionTrue {
			out.Conditions = append(out.Conditions, string(t))
		}
	}
	return out
}

func (f *fixture) want(want state) {
	f.Helper()
	if diff := cmp.Diff(want, f.state()); diff != "" {
		f.Errorf("(-want +got):\n%s", diff)
	}
}

func TestInvocations(t *testing.T) {
	t.Parallel()
	onFailure := map[string]any{"retryPolicy": "OnFailure", "maxAttempts": int64(2)}
	failing := diagnostic.Errorf("Backup failed", "The disk of %s is full.", planted)
	for name, test := range map[string]struct {
		spec map[string]any
		do   func(*fixture)
		want state
	}{
		"succeeds": {nil, func(f *fixture) { f.reconcile(); f.settled(); f.reconcile() },
			state{"Succeeded", 1, []string{"Synced", "Ready", "Complete"}, "ReconcileSuccess", 1}},
		"fails": {nil, func(f *fixture) {
			f.cloud.outcome, f.cloud.ends = terraform.ActionFailed, failing
			f.reconcile()
			f.settled()
			f.clock.SetTime(f.clock.Now().Add(time.Hour))
			f.reconcile()
		}, state{"Failed", 1, []string{"Stalled", "Failed"}, "InvocationFailed", 1}},
		"is unknown": {onFailure, func(f *fixture) {
			f.cloud.outcome, f.cloud.ends = terraform.ActionOutcomeUnknown, failing
			f.reconcile()
			f.settled()
			f.clock.SetTime(f.clock.Now().Add(time.Hour))
			f.reconcile()
		}, state{"Unknown", 1, []string{"Stalled", "Failed"}, "InvocationOutcomeUnknown", 1}},
		"fails and is to be repeated": {onFailure, func(f *fixture) {
			f.cloud.outcome = terraform.ActionFailed
			f.reconcile()
			f.settled()
		}, state{"Failed", 1, []string{"Reconciling"}, "InvocationFailed", 1}},
		"is repeated": {onFailure, func(f *fixture) {
			f.cloud.outcome = terraform.ActionFailed
			f.reconcile()
			f.settled()
			f.cloud.outcome = terraform.ActionSucceeded
			f.clock.SetTime(f.clock.Now().Add(time.Minute))
			f.reconcile()
			f.settled()
		}, state{"Succeeded", 2, []string{"Synced", "Ready", "Complete"}, "ReconcileSuccess", 2}},
		"fails too often": {onFailure, func(f *fixture) {
			f.cloud.outcome = terraform.ActionFailed
			for range 4 {
				f.reconcile()
				f.settled()
				f.clock.SetTime(f.clock.Now().Add(time.Hour))
			}
		}, state{"Failed", 2, []string{"Stalled", "Failed"}, "InvocationFailed", 2}},
		"is suspended": {map[string]any{"suspend": true}, func(f *fixture) { f.reconcile() },
			state{"Pending", 0, []string{"Synced", "Suspended"}, "ReconcileSuccess", 0}},
		"goes on": {map[string]any{"suspend": true}, func(f *fixture) { f.reconcile(); f.specify(false, "suspend"); f.reconcile(); f.settled() },
			state{"Succeeded", 1, []string{"Synced", "Ready", "Complete"}, "ReconcileSuccess", 1}},
		"is paused": {nil, func(f *fixture) {
			f.change(func(u *unstructured.Unstructured) {
				u.SetAnnotations(map[string]string{"crossplane.io/paused": "true"})
			})
			f.reconcile()
		}, state{"", 0, nil, "ReconcilePaused", 0}},
		"a copy": {nil, func(f *fixture) {
			f.change(func(u *unstructured.Unstructured) {
				u.SetAnnotations(map[string]string{v1alpha1.AnnotationInvoked: "0"})
			})
			f.reconcile()
		}, state{"Pending", 0, []string{"Stalled"}, "InvokedBefore", 0}},
		"a copy that is to be invoked": {nil, func(f *fixture) {
			f.change(func(u *unstructured.Unstructured) {
				u.SetAnnotations(map[string]string{v1alpha1.AnnotationInvoked: "0"})
			})
			f.reconcile()
			f.change(func(u *unstructured.Unstructured) { u.SetAnnotations(nil) })
			f.reconcile()
			f.settled()
			if f.object().GetAnnotations()[v1alpha1.AnnotationInvoked] != "1" {
				f.Error("a copy of it would be invoked")
			}
		}, state{"Succeeded", 1, []string{"Synced", "Ready", "Complete"}, "ReconcileSuccess", 1}},
		"all operations are paused": {nil, func(f *fixture) { f.paused = "All operations have been paused"; f.reconcile() },
			state{"Pending", 0, []string{"Reconciling"}, "OperationsPaused", 0}},
		"the provider is not usable": {
			nil, func(f *fixture) {
				f.cloud.refuse = diagnostic.Errorf("No endpoint", "There is none.")
				f.reconcile()
			},
			state{"Pending", 0, []string{"Reconciling"}, "ProviderConfigError", 0},
		},
		"cannot be planned": {nil, func(f *fixture) { f.cloud.plans = failing; f.reconcile() },
			state{"Pending", 0, []string{"Reconciling"}, "CannotInvoke", 0}},
		"is not asked": {nil, func(f *fixture) {
			f.cloud.outcome, f.cloud.ends = terraform.ActionNotInvoked, failing
			f.reconcile()
			f.settled() // not at once
		}, state{"Pending", 0, []string{"Reconciling"}, "CannotInvoke", 0}},
		"is not asked at first": {nil, func(f *fixture) {
			f.cloud.outcome, f.cloud.ends = terraform.ActionNotInvoked, failing
			f.reconcile()
			f.settled()
			f.cloud.outcome, f.cloud.ends = terraform.ActionSucceeded, nil
			f.clock.SetTime(f.clock.Now().Add(time.Minute))
			f.reconcile()
			f.settled()
		}, state{"Succeeded", 1, []string{"Synced", "Ready", "Complete"}, "ReconcileSuccess", 1}},
		"runs": {nil, func(f *fixture) { f.hangs() },
			state{"Running", 1, []string{"Synced", "Reconciling"}, "ReconcileSuccess", 1}},
		"the process ends while it runs": {onFailure, func(f *fixture) {
			f.hangs()
			f.restart()
			f.reconcile()
			f.clock.SetTime(f.clock.Now().Add(time.Hour))
			f.reconcile()
		}, state{"Unknown", 1, []string{"Stalled", "Failed"}, "InvocationOutcomeUnknown", 1}},
		"the record cannot be stored": {nil, func(f *fixture) {
			f.failing = func(client.Object) error { return errors.New("no answer") }
			if _, err := f.try(); err == nil {
				f.Error("it went on")
			}
		}, state{"", 0, nil, "", 0}},
		"the store does not confirm the record": {nil, func(f *fixture) {
			f.failing = func(u client.Object) error {
				f.failing = nil
				if err := f.client.Status().Update(f.Context(), u.DeepCopyObject().(client.Object)); err != nil {
					return err
				}
				return errors.New("no answer")
			}
			_, _ = f.try()
			f.reconcile()
			f.settled()
		}, state{"Succeeded", 1, []string{"Synced", "Ready", "Complete"}, "ReconcileSuccess", 1}},
		"a change comes before the record": {nil, func(f *fixture) {
			f.failing = func(u client.Object) error {
				f.failing = nil
				return kerrors.NewConflict(kschema.GroupResource{}, "x", nil)
			}
			f.reconcile()
		}, state{"", 0, nil, "", 0}},
		"the cache is behind while it runs": {nil, func(f *fixture) {
			before := f.object()
			f.hangs()
			f.r = action.NewReconciler(f.kind, behind{f.client, before}, f.client)
			f.r.Use(noQueue{})
			for range 3 {
				f.reconcile()
			}
		}, state{"Running", 1, []string{"Synced", "Reconciling"}, "ReconcileSuccess", 1}},
		"the outcome is stored later": {nil, func(f *fixture) {
			n := 0
			f.failing = func(client.Object) error {
				if n++; n == 2 || n == 3 {
					return errors.New("no answer")
				}
				return nil
			}
			f.reconcile()
			f.settled()
		}, state{"Succeeded", 1, []string{"Synced", "Ready", "Complete"}, "ReconcileSuccess", 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := map[string]any{}
			for field, value := range test.spec {
				spec[field] = value
			}
			f := newFixture(t, spec)
			test.do(f)
			f.want(test.want)
			f.unseen()
			if f.cloud.hangs != nil {
				close(f.cloud.hangs)
				f.kind.Runs.Await()
			}
		})
	}
}

// behind is a cache that has an earlier version of the object.
type behind struct {
	client.Client
	object *unstructured.Unstructured
}

func (b behind) Get(ctx context.Context, key client.ObjectKey, into client.Object, o ...client.GetOption) error {
	if u, ok := into.(*unstructured.Unstructured); ok {
		*u = *b.object.DeepCopy()
		return nil
	}
	return b.Client.Get(ctx, key, into, o...)
}

// hangs begins an invocation that does not end, and waits until the provider is asked.
func (f *fixture) hangs() {
	f.Helper()
	f.cloud.hangs, f.cloud.begun = make(chan struct{}), make(chan struct{})
	f.reconcile()
	<-f.cloud.begun
}

// unseen checks that nothing shows what is secret.
func (f *fixture) unseen() {
	f.Helper()
	if raw, _ := f.object().MarshalJSON(); strings.Contains(string(raw), planted) || f.recorder.has(planted) {
		f.Errorf("the secret is shown: %s\n%s", raw, f.recorder.events)
	}
}

func TestArgumentsAndProgress(t *testing.T) {
	t.Parallel()
	f := newFixture(t, map[string]any{})
	f.cloud.messages = []string{"half of it", "with " + planted}
	for range 30 {
		f.cloud.messages = append(f.cloud.messages, "more")
	}
	f.reconcile()
	f.settled()
	if diff := cmp.Diff(map[string]string{"source": "db", "key": planted}, map[string]string{
		"source": f.cloud.invoked[0].GetAttr("source").AsString(), "key": f.cloud.invoked[0].GetAttr("key").AsString(),
	}); diff != "" {
		t.Error(diff)
	}
	if shown, _, _ := unstructured.NestedSlice(f.object().Object, "status", "progress"); len(shown) != 20 {
		t.Errorf("%d messages are shown", len(shown))
	}
	f.unseen()
}

func TestApproval(t *testing.T) {
	t.Parallel()
	f := newFixture(t, map[string]any{"approvalPolicy": "Always", "retryPolicy": "OnFailure"})
	f.cloud.outcome = terraform.ActionFailed
	f.reconcile()
	f.want(state{"AwaitingApproval", 0, []string{"Reconciling"}, "AwaitingApproval", 0})
	approve := func(hash string) {
		f.change(func(u *unstructured.Unstructured) {
			u.SetAnnotations(map[string]string{v1alpha1.AnnotationApprove: hash, v1alpha1.AnnotationApprovedBy: "ann"})
		})
	}
	approve("other")
	f.reconcile()
	f.want(state{"AwaitingApproval", 0, []string{"Reconciling"}, "PlanChanged", 0})
	hash := f.text("status", "plan", "hash")
	approve(hash)
	f.reconcile()
	f.settled()
	f.want(state{"Failed", 1, []string{"Reconciling", "Approved"}, "InvocationFailed", 1})
	if by := f.text("status", "lastApproval", "by"); by != "ann" {
		t.Errorf("approved by %q", by)
	}
	f.clock.SetTime(f.clock.Now().Add(time.Minute))
	f.reconcile() // each attempt needs an approval of its own
	f.want(state{"AwaitingApproval", 1, []string{"Reconciling"}, "AwaitingApproval", 1})
	if again := f.text("status", "plan", "hash"); again == hash {
		t.Error("the next attempt has the plan that was approved")
	}
	f.unseen()
}

func TestPolicies(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		action    v1alpha1.PlanPolicyAction
		condition string
		want      state
	}{
		"denies": {
			v1alpha1.PlanPolicyDeny,
			`plan.action == "Invoke" && plan.changes.exists(c, c.path == "source" && c.after == "db")`, state{
				"Pending", 0, []string{"Stalled"}, "DeniedByPolicy", 0,
			},
		},
		"asks": {
			v1alpha1.PlanPolicyRequireApproval, `resource.type == "cloud_backup"`, state{
				"AwaitingApproval", 0, []string{"Reconciling"}, "AwaitingApproval", 0,
			},
		},
		"warns": {
			v1alpha1.PlanPolicyWarn, `!plan.destroys`,
			state{"Succeeded", 1, []string{"Synced", "Ready", "Complete"}, "ReconcileSuccess", 1},
		},
		"is other": {
			v1alpha1.PlanPolicyDeny, `plan.creates`,
			state{"Succeeded", 1, []string{"Synced", "Ready", "Complete"}, "ReconcileSuccess", 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, map[string]any{})
			f.policy = []*policy.Policy{
				policy.Compile(&v1alpha1.PlanPolicy{
					ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: v1alpha1.PlanPolicySpec{
						Condition: test.condition, Action: test.action,
					},
				}),
			}
			f.reconcile()
			f.settled()
			f.want(test.want)
			f.unseen()
		})
	}
}

func TestDeletion(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		do   func(*fixture)
		told string
		// invoked is how often it was invoked.
		invoked int
	}{
		"before it begins": {func(f *fixture) { f.remove(); f.try() }, "", 0},
		"after it ended":   {func(f *fixture) { f.reconcile(); f.settled(); f.remove(); f.reconcile() }, "InvokedAction", 1},
		"while it runs": {func(f *fixture) {
			f.hangs()
			f.remove()
			f.reconcile()
			if !f.exists() {
				f.Error("it is gone while it runs")
			}
			f.settled()
		}, "Warning ActionFailed Interrupted: The backup was cancelled.", 1},
		"after the process ended": {func(f *fixture) {
			f.hangs()
			f.restart()
			f.remove()
			f.reconcile()
			close(f.cloud.hangs)
		}, "Warning ActionOutcomeUnknown", 1},
		"when its time is over": {func(f *fixture) {
			f.specify(int64(60), "ttlSecondsAfterFinished")
			f.reconcile()
			f.settled()
			f.clock.SetTime(f.clock.Now().Add(time.Minute))
			f.reconcile()
			f.reconcile()
		}, "InvokedAction", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, map[string]any{})
			test.do(f)
			if f.exists() {
				t.Errorf("it is not gone: %v", f.object().Object)
			}
			if !f.recorder.has(test.told) || f.cloud.count() != test.invoked {
				t.Errorf("it was invoked %d times: %s", f.cloud.count(), f.recorder.events)
			}
		})
	}
}

// queue counts what is queued.
type queue struct{ added int }

func (q *queue) Add(reconcile.Request) { q.added++ }
func (q *queue) Len() int              { return 0 }

// What waits because of policies or pauses is looked at when these change; what has succeeded is
// not.
func TestWakePending(t *testing.T) {
	t.Parallel()
	f, q := newFixture(t, map[string]any{}), &queue{}
	f.paused = "All operations have been paused"
	f.reconcile()
	f.r.Use(q)
	f.kind.WakePending(t.Context())
	if q.added != 1 {
		t.Errorf("%d objects are queued while one waits", q.added)
	}
	f.r.Use(noQueue{})
	f.paused = ""
	f.reconcile()
	f.settled()
	f.want(state{"Succeeded", 1, []string{"Synced", "Ready", "Complete"}, "ReconcileSuccess", 1})
	f.r.Use(q)
	f.kind.WakePending(t.Context())
	if q.added != 1 {
		t.Errorf("%d objects are queued after it has succeeded", q.added)
	}
}

package managed_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/controller/shard"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// resting is a scheduler with one resource, which rests if it is permitted to.
type resting struct {
	scheduler.Interface
	whole *scheduler.Observation
	rests bool
	err   error
	calls []string
	// busy is set when the next look finds more to do, and meanwhile is called during looks.
	busy      bool
	meanwhile func()
}

func (s *resting) Look(context.Context, scheduler.Look) error {
	switch {
	case s.err != nil:
		s.rests = false
		return s.err
	case s.busy:
		s.rests, s.busy = false, false
		s.calls = append(s.calls, "not at rest")
		return scheduler.ErrNotAtRest
	}
	s.calls = append(s.calls, "looked at by its name")
	return nil
}

func (s *resting) Observe(_ context.Context, r scheduler.Request) (*scheduler.Observation, error) {
	switch {
	case s.err != nil:
		s.rests = false
		return nil, s.err
	case r.Resting && s.rests:
		s.calls = append(s.calls, "looked at")
		if s.meanwhile != nil {
			s.meanwhile()
		}
		return scheduler.Rested, nil
	case s.rests:
		s.calls = append(s.calls, "woken")
		other := *s.whole
		s.whole, s.rests = &other, false
	default:
		s.calls = append(s.calls, "observed")
	}
	return s.whole, nil
}

func (s *resting) Rest(scheduler.Request) bool { s.rests = true; return true }

func (s *resting) Leave(context.Context, store.Key, bool) (bool, error) {
	s.calls = append(s.calls, "left")
	return true, nil
}

func (*resting) Deleted(types.UID) {}

func (s *resting) Recall(k store.Key, uid types.UID) instance.Instance {
	if k.Name != "x" || uid != "1" {
		return instance.Instance{}
	}
	return s.whole.Instance
}

func (s *resting) Remembered(scheduler.Request) (scheduler.Remembered, bool) {
	return scheduler.Remembered{Status: instance.Full}, true
}

func (*resting) Running() int { return 0 }

func (*resting) Mark(scheduler.Request) (scheduler.Mark, bool) { return scheduler.Mark{1}, true }

// atRest is a resource with a scheduler by which it rests.
type atRest struct {
	testing.TB
	k          *managed.Kind
	s          *resting
	c          client.Client
	r          *managed.Reconciler
	u          *unstructured.Unstructured
	reconciles int
}

// newAtRest returns a resource that rests, after a change of it and of its kind.
func newAtRest(t testing.TB, change func(*atRest)) *atRest {
	t.Helper()
	p, err := model.NewProvider("test", &schema.Provider{Config: &schema.Block{}, Resources: map[string]*schema.Resource{
		"test_thing": {Type: "test_thing", Block: &schema.Block{Attributes: map[string]*schema.Attribute{
			"id": {Type: cty.String, Computed: true}, "password": {Type: cty.String, Computed: true, Sensitive: true},
			"key": {Type: cty.String, Optional: true, Sensitive: true},
		}}},
	}}, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	h := &atRest{TB: t, k: &managed.Kind{Model: p.Resources["test_thing"]}}
	h.s = &resting{whole: &scheduler.Observation{
		Instance: instance.Instance{
			Status: instance.Full, State: object(map[string]string{"id": "x", "password": "hunter2", "key": ""}),
		}, Plan: &terraform.Plan{Action: terraform.NoOp},
	}}
	looksBy(h.k, h.s, &h.reconciles)
	h.u = resourceOf(h.k)
	if change != nil {
		change(h)
	}
	key := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "key"}, Data: map[string][]byte{"key": []byte("k")}}
	h.c = fake.NewClientBuilder().WithStatusSubresource(h.u).WithObjects(h.u, key).Build()
	h.r = managed.NewReconciler(h.k, h.c, h.c)
	h.r.Use(noQueue{})
	h.after("the first reconcile", "observed")
	return h
}

// after checks what the scheduler is asked in a reconcile.
func (h *atRest) after(what string, want ...string) {
	h.Helper()
	h.s.calls = nil
	if _, err := h.r.Reconcile(h.Context(), reconcile.Request{
		NamespacedName: types.NamespacedName{Namespace: "team", Name: "x"},
	}); err != nil && h.s.err == nil {
		h.Fatal(err)
	}
	h.reread()
	if diff := cmp.Diff(want, h.s.calls); diff != "" {
		h.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func (h *atRest) reread() {
	h.Helper()
	if err := h.c.Get(h.Context(), client.ObjectKeyFromObject(h.u), h.u); err != nil {
		h.Fatal(err)
	}
}

// label changes the labels of the resource. The controller has not received the event yet.
func (h *atRest) label(value string) {
	h.Helper()
	h.u.SetLabels(map[string]string{"a": value})
	if err := h.c.Update(h.Context(), h.u); err != nil {
		h.Fatal(err)
	}
}

// receive has the controller receive an event of the resource as it is.
func (h *atRest) receive() {
	h.r.Changed().Update(event.TypedUpdateEvent[*unstructured.Unstructured]{ObjectOld: h.u, ObjectNew: h.u})
}

// A resource with nothing to do rests until it is reconciled for another reason. Messages about it
// are redacted all the time.
func TestRestingResource(t *testing.T) {
	t.Parallel()
	h := newAtRest(t, nil)
	h.after("at rest", "looked at")
	h.after("at rest", "looked at by its name")
	h.label("b")
	h.receive()
	h.after("a change", "woken")
	h.reconciles = 0
	h.after("at rest", "looked at")
	h.after("at rest", "looked at by its name")
	if h.reconciles != 0 {
		t.Error("a resource at rest was reconciled")
	}
	h.s.busy = true
	h.after("another object", "not at rest", "observed")
	h.after("at rest", "looked at")
	h.after("at rest", "looked at by its name")
	h.s.err = &scheduler.Error{Reason: decision.ReasonReadFailed, Diagnostics: diagnostic.Errorf("No", "The password hunter2 is refused.")}
	h.after("a look that fails")
	status, err := json.Marshal(h.u.Object["status"])
	if err != nil || !strings.Contains(string(status), "is refused") || strings.Contains(string(status), "hunter2") {
		t.Errorf("status %s, %v", status, err)
	}
}

// A resource at rest is looked at by its name until an event of it is received.
func TestLooksByName(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		is   func(h *atRest)
		want string
	}{
		"nothing happens":                    {is: func(*atRest) {}, want: "looked at by its name"},
		"the same version is received again": {is: (*atRest).receive, want: "looked at by its name"},
		"another version is received": {want: "woken", is: func(h *atRest) {
			h.label("b")
			h.receive()
		}},
		"it is received as gone": {want: "looked at", is: func(h *atRest) {
			h.r.Changed().Delete(event.TypedDeleteEvent[*unstructured.Unstructured]{Object: h.u})
		}},
		"another one with its name is received": {want: "observed", is: func(h *atRest) {
			h.u.SetFinalizers(nil)
			if err := errors.Join(h.c.Update(h.Context(), h.u), h.c.Delete(h.Context(), h.u)); err != nil {
				h.Fatal(err)
			}
			h.u = resourceOf(h.k)
			h.u.SetUID("2")
			if err := h.c.Create(h.Context(), h.u); err != nil {
				h.Fatal(err)
			}
			h.s.rests = false
			h.receive()
		}},
		"its provider configuration is refused": {want: "", is: func(h *atRest) { h.k.ProviderConfigs = refusing{} }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newAtRest(t, nil)
			h.after("at rest", "looked at")
			h.after("at rest", "looked at by its name")
			tc.is(h)
			var want []string
			if tc.want != "" {
				want = append(want, tc.want)
			}
			h.after(name, want...)
		})
	}
}

// A resource that has moved to another shard is not looked at any more.
func TestMovedWhileAtRest(t *testing.T) {
	t.Parallel()
	var away bool
	h := newAtRest(t, sharded(&away))
	h.after("at rest", "looked at")
	h.after("at rest", "looked at by its name")
	away = true
	h.after("moved", "left")
}

// sharded divides the work. All of it belongs here, unless it is away.
func sharded(away *bool) func(*atRest) {
	return func(h *atRest) {
		h.k.ProviderConfigs, h.k.Neighbours = naming{unconfigured{}}, activated{alone{graph: &references.Graph{}}}
		h.k.Options.Shards = oneShard{away: away}
		h.u.Object["spec"].(m)["providerConfigRef"] = m{"kind": "ClusterProviderConfig", "name": "default"}
	}
}

// oneShard is a division of the work of which all belongs here, unless it is away.
type oneShard struct {
	here
	away *bool
}

func (s oneShard) Belong(shard.Use) managed.Belonging {
	if *s.away {
		return managed.Elsewhere
	}
	return managed.Here
}

func (oneShard) Company([]string, string) []string { return nil }

func (oneShard) Confirm(context.Context, ownership.Access, string) error { return nil }

func (oneShard) Stored(store.Key) bool { return true }

// activated has no resources of other kinds, and their objects are claimed.
type activated struct{ alone }

func (activated) Activated([]string, bool) bool { return true }

// refusing are ProviderConfigs that refuse everybody.
type refusing struct{}

func (refusing) Resolve(context.Context, *xpv2.ProviderConfigReference, string) providerconfig.Handle[terraform.Executor] {
	return providerconfig.Refuse[terraform.Executor]("default", diagnostic.Errorf("Not allowed", "Name another one."))
}

// A resource of which an event was received during a look is not looked at by its name before the
// next look.
func TestHeardDuringLook(t *testing.T) {
	t.Parallel()
	h := newAtRest(t, nil)
	h.s.meanwhile = func() {
		h.label("b")
		h.receive()
	}
	h.after("at rest", "looked at")
	h.s.meanwhile = nil
	h.after("a change during the look", "woken")
	h.after("at rest", "looked at")
	h.after("at rest", "looked at by its name")
}

// Looks at some resources need more than their names.
func TestLooksThatNeedMore(t *testing.T) {
	t.Parallel()
	annotated := func(key, value string) func(*atRest) {
		return func(h *atRest) { h.u.SetAnnotations(map[string]string{key: value}) }
	}
	for name, tc := range map[string]struct {
		change func(h *atRest)
		want   string
	}{
		"none":                  {change: nil, want: "looked at by its name"},
		"a poll interval":       {change: annotated("crossplane.io/poll-interval", "5m"), want: "looked at by its name"},
		"the object of another": {change: annotated(v1alpha1.AnnotationMoveFrom, "Thing/other"), want: "looked at"},
		"a Secret": {want: "looked at", change: func(h *atRest) {
			h.u.Object["spec"].(m)["forProvider"] = m{"keySecretRef": m{"name": "key", "key": "key"}}
		}},
		"the resources of a shard": {want: "looked at by its name", change: sharded(new(bool))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newAtRest(t, tc.change)
			h.after("at rest", "looked at")
			h.after("at rest", tc.want)
		})
	}
}

// A change is answered by what finds the resource unchanged: a look by its name, a look, or a
// reconcile.
func TestUnchangedIsAnswered(t *testing.T) {
	t.Parallel()
	h := newAtRest(t, nil)
	var unavailable error
	h.c = interceptor.NewClient(h.c.(client.WithWatch), interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, o ...client.GetOption) error {
			if unavailable != nil {
				return unavailable
			}
			return c.Get(ctx, key, obj, o...)
		},
	})
	h.r = managed.NewReconciler(h.k, h.c, h.c)
	turns := managed.TurnsOf(h.k)
	q := turns.NewQueue("", workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	t.Cleanup(q.ShutDown)
	h.r.Use(q)
	named := func(name string) reconcile.Request {
		return reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "team", Name: name}}
	}
	next := func() reconcile.Request {
		req, _ := q.Get()
		q.Done(req)
		return req
	}
	change := func() {
		turns.Handler().Update(t.Context(), event.TypedUpdateEvent[*unstructured.Unstructured]{ObjectOld: h.u, ObjectNew: h.u}, q)
		next()
	}
	h.s.rests = false
	for _, what := range []string{"observed", "looked at", "looked at by its name"} {
		change()
		h.after(what, what)
		// In the lane of changed resources, it would come before the second one.
		var got []string
		for _, name := range []string{"b", "c", "x"} {
			q.Add(named(name))
		}
		for q.Len() > 0 {
			got = append(got, next().Name)
		}
		if diff := cmp.Diff([]string{"b", "c", "x"}, got); diff != "" {
			t.Errorf("%s: the order (-want +got):\n%s", what, diff)
		}
		if age := h.k.OldestChange(); age != 0 {
			t.Errorf("%s: a change of %s ago is not answered", what, age)
		}
	}
	h.label("b")
	h.receive()
	change()
	unavailable = errors.New("the API server is not available")
	if _, err := h.r.Reconcile(t.Context(), named("x")); err == nil {
		t.Error("a reconcile without the API server has succeeded")
	}
	if h.k.OldestChange() == 0 {
		t.Error("a reconcile that has failed has answered the change")
	}
}

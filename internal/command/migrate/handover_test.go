package migrate_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/landbridge-io/landbridge/internal/command/importer"
	"github.com/landbridge-io/landbridge/internal/command/migrate"
	"github.com/landbridge-io/landbridge/internal/command/state"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/statetest"
	"github.com/landbridge-io/landbridge/internal/testing/upjettest"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/schema"
)

func TestMain(m *testing.M) {
	log.SetLogger(logr.Discard()) // of controller-runtime's clients
	os.Exit(m.Run())
}

var thing = &schema.Resource{Type: statetest.ResourceType, Block: &schema.Block{Attributes: map[string]*schema.Attribute{
	"id": {Type: cty.String, Computed: true}, "name": {Type: cty.String, Optional: true}, "password": {
		Type: cty.String, Optional: true, Sensitive: true,
	},
}}}

// served is an API server with the kinds of an Upjet provider, in both versions, and those of
// Landbridge.
type served struct {
	*state.Cluster
	server *playgroundtest.Server
}

var serve = sync.OnceValues(func() (*served, error) {
	server, c, err := statetest.Serve(context.Background(), thing, &schema.Block{})
	if err != nil {
		return nil, err
	}
	for _, namespaced := range []bool{false, true} {
		p := upjettest.Provider{
			Name: "one", Schema: &schema.Provider{Resources: map[string]*schema.Resource{thing.Type: thing}},
			Namespaced: namespaced,
		}
		for _, d := range p.Definitions(thing.Type) {
			if err := c.Create(context.Background(), d); err != nil {
				return nil, err
			}
		}
		probe := p.Object(thing.Type, "default", "probe", m{"id": "i"})
		err := waittest.Succeed(context.Background(), func(ctx context.Context) error {
			return c.Create(ctx, probe.DeepCopy(), client.DryRunAll)
		})
		if err != nil {
			return nil, fmt.Errorf("the old kind is not served: %w", err)
		}
	}
	return &served{c, server}, nil
})

// world is an old resource, and the controllers of both sides, which act after each request that
// changes something.
type world struct {
	*served
	t         *testing.T
	namespace string
	old, new  *unstructured.Unstructured
	step      migrate.Step
	without   bool // the controllers do nothing
}

func newWorld(t *testing.T, namespaced bool) *world {
	t.Helper()
	s, err := serve()
	if err != nil {
		t.Fatal(err)
	}
	w := &world{served: s, t: t, namespace: s.server.Namespace(t)}
	p := upjettest.Provider{
		Name: "one", Schema: &schema.Provider{Resources: map[string]*schema.Resource{thing.Type: thing}},
		Namespaced: namespaced,
	}
	w.old = p.Object(thing.Type, w.namespace, w.namespace+"-old", m{"id": "i-1", "name": "a"}, "name")
	status := w.old.Object["status"]
	ref := m{"name": "connection"}
	if !namespaced {
		ref["namespace"] = w.namespace
	}
	w.old.Object["spec"].(m)["writeConnectionSecretToRef"] = ref
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(w.Create(t.Context(), w.old))
	w.old.Object["status"] = status
	must(w.Status().Update(t.Context(), w.old))
	must(w.Create(t.Context(), p.Connection(thing.Type, w.old, w.namespace, "connection", nil)))
	must(w.Create(t.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: w.namespace}, Data: map[string][]byte{
			"k": []byte("v"), "other": []byte("o"),
		},
	}))
	t.Cleanup(func() {
		ctx := context.Background()
		_ = w.Delete(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: w.namespace}})
	})
	w.new = statetest.Object(w.namespace, w.old.GetName(), m{"name": "a", "passwordSecretRef": m{"name": w.namespace, "key": "k"}})
	w.new.Object["spec"].(m)["writeConnectionSecretToRef"] = m{"name": "connection"}
	stored := w.new.DeepCopy()
	stored.SetFinalizers([]string{statetest.Finalizer}) // as for what is stored
	w.step = migrate.Step{
		Old: migrate.Upjet{Unstructured: w.old.DeepCopy()},
		New: importer.Manifest{
			Resource: stored,
			Inputs: &corev1.Secret{
				ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "x-inputs"},
				Data:       map[string][]byte{"a": []byte("b")},
			},
		},
		Copies: map[string]migrate.Copy{w.namespace: {Namespace: "default", Keys: []string{"k"}}},
	}
	return w
}

// fault ends the connection at a request, as a crash or a broken network does.
type fault struct {
	at              int
	answered, reads bool
	each            func()

	mu   sync.Mutex
	seen int
}

var errCut = errors.New("the connection is cut")

func (f *fault) reached() bool { return f.at > 0 && f.seen >= f.at }

type cut struct {
	*fault
	next http.RoundTripper
}

func (c cut) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reached() {
		return nil, errCut
	}
	dry := strings.Contains(r.URL.RawQuery, "dryRun")
	if c.reads || r.Method != http.MethodGet && !dry {
		c.seen++
	}
	if c.reached() && !c.answered {
		return nil, errCut
	}
	answer, err := c.next.RoundTrip(r)
	if c.each != nil && r.Method != http.MethodGet && !dry {
		c.each()
	}
	if c.reached() && err == nil {
		answer.Body.Close()
		return nil, errCut
	}
	return answer, err
}

func (w *world) handOver(f *fault) *migrate.HandOver {
	w.t.Helper()
	f.each = w.act
	config := rest.CopyConfig(w.server.Config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return cut{f, next} })
	c, err := state.Open(config, statetest.System)
	if err != nil {
		w.t.Fatal(err)
	}
	return &migrate.HandOver{Client: c, System: statetest.System, Patience: 5 * time.Second}
}

func (w *world) get(u *unstructured.Unstructured) *unstructured.Unstructured {
	w.t.Helper()
	out := u.DeepCopy()
	err := w.Get(w.t.Context(), client.ObjectKeyFromObject(u), out)
	if kerrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

func paused(u *unstructured.Unstructured) bool { return u.GetAnnotations()[statetest.Paused] == "true" }

func policies(u *unstructured.Unstructured) []string {
	all, given, _ := unstructured.NestedStringSlice(u.Object, "spec", "managementPolicies")
	if !given {
		return []string{"*"}
	}
	return all
}

// destroys reports whether deleting a resource would destroy its object.
func destroys(u *unstructured.Unstructured) bool {
	deletion, _, _ := unstructured.NestedString(u.Object, "spec", "deletionPolicy")
	return deletion != "Orphan" && (slices.Contains(policies(u), "*") || slices.Contains(policies(u), "Delete"))
}

func conditions(u *unstructured.Unstructured, synced, reason string) {
	one := func(kind, status, reason string) any {
		return m{"type": kind, "status": status, "reason": reason, "lastTransitionTime": "2026-01-02T15:04:05Z"}
	}
	all := []any{one("Ready", "True", "Available"), one("Synced", synced, reason)}
	_ = unstructured.SetNestedSlice(u.Object, all, "status", "conditions")
}

// act is what the controllers do. It fails the test if both may manage the object, or if one
// destroys it.
func (w *world) act() {
	w.t.Helper()
	if w.without {
		return
	}
	ctx := w.t.Context()
	old, now := w.get(w.old), w.get(w.new)
	if old != nil && now != nil && !paused(old) && !paused(now) && !slices.Equal(policies(now), []string{"Observe"}) {
		w.t.Error("both resources manage the object")
	}
	if now == nil && old != nil && !paused(old) && old.GetAnnotations()["landbridge.io/handed-over"] != "" {
		w.t.Error("the old resource manages the object, and is marked")
	}
	if old != nil {
		if paused(old) {
			conditions(old, "False", "ReconcilePaused")
			if destroys(old) && old.GetAnnotations()["landbridge.io/handed-over"] != "" {
				w.t.Error("the old resource is held, and would destroy its object")
			}
		} else {
			conditions(old, "True", "ReconcileSuccess")
		}
		if err := w.Status().Update(ctx, old); err != nil {
			w.t.Error(err)
		}
	}
	if now == nil || paused(now) {
		return
	}
	if now.GetDeletionTimestamp() != nil {
		if destroys(now) {
			w.t.Error("the object is destroyed")
		}
		now.SetFinalizers(nil)
		if err := w.Update(ctx, now); err != nil {
			w.t.Error(err)
		}
		return
	}
	if len(now.GetFinalizers()) == 0 {
		now.SetFinalizers([]string{statetest.Finalizer})
		if err := w.Update(ctx, now); err != nil {
			w.t.Error(err)
		}
	}
	conditions(now, "True", "ReconcileSuccess")
	if err := w.Status().Update(ctx, now); err != nil {
		w.t.Error(err)
	}
}

// secret returns a Secret of the namespace; nil if there is none.
func (w *world) secret(name string) *corev1.Secret {
	w.t.Helper()
	s := &corev1.Secret{}
	err := w.Get(w.t.Context(), client.ObjectKey{Namespace: w.namespace, Name: name}, s)
	if kerrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// handed fails the test unless the object is handed over.
func (w *world) handed() {
	w.t.Helper()
	old, now := w.get(w.old), w.get(w.new)
	if now == nil || paused(now) {
		w.t.Fatal("the new resource does not manage the object")
	}
	if !paused(old) || destroys(old) {
		w.t.Errorf("the old resource: %v", old.Object)
	}
	if to, done, err := migrate.HandedOver(old); err != nil || !done || to != "Thing.one.landbridge.io "+w.namespace+"/"+w.old.GetName() {
		w.t.Errorf("handed over to %s, %t, %v", to, done, err)
	}
	if diff := cmp.Diff(w.new.Object["spec"].(m)["forProvider"], now.Object["spec"].(m)["forProvider"]); diff != "" {
		w.t.Error(diff)
	}
	if o := metav1.GetControllerOf(w.secret("connection")); o == nil || o.UID != now.GetUID() {
		w.t.Errorf("the connection Secret belongs to %+v", o)
	}
	if s := w.secret(w.namespace); s == nil || string(s.Data["k"]) != "v" || len(s.Data) != 1 {
		w.t.Errorf("the copied Secret: %+v", s)
	}
	if w.secret("x-inputs") == nil {
		w.t.Error("there are no inputs")
	}
}

// given fails the test unless everything is as it was.
func (w *world) given() {
	w.t.Helper()
	old := w.get(w.old)
	if w.get(w.new) != nil {
		w.t.Error("there is a new resource")
	}
	content := func(u *unstructured.Unstructured) any {
		return []any{u.Object["spec"], u.GetAnnotations(), u.GetLabels(), u.GetFinalizers()}
	}
	if diff := cmp.Diff(content(w.old), content(old)); diff != "" {
		w.t.Errorf("the old resource (-before +after):\n%s", diff)
	}
	if o := metav1.GetControllerOf(w.secret("connection")); o == nil || o.UID != old.GetUID() {
		w.t.Errorf("the connection Secret belongs to %+v", o)
	}
	if w.secret(w.namespace) != nil || w.secret("x-inputs") != nil {
		w.t.Error("Secrets are left")
	}
}

// replanned is the step with the old resource as it is, as the command would plan it anew.
func (w *world) replanned() migrate.Step {
	w.t.Helper()
	s := w.step
	s.Old = migrate.Upjet{Unstructured: w.get(w.old)}
	return s
}

// A hand-over and an undo that are cut at any request go on when they are repeated, and each can be
// followed by the other. At no time do both resources manage the object.
func TestHandOverCut(t *testing.T) {
	for name, namespaced := range map[string]bool{"cluster-scoped": false, "namespaced": true} {
		for _, f := range []*fault{{}, {answered: true}, {reads: true}} {
			if f.reads && namespaced {
				continue // as without
			}
			t.Run(fmt.Sprintf("%s, answered %t, reads %t", name, f.answered, f.reads), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, namespaced)
				for at := 1; ; at++ {
					c := &fault{at: at, answered: f.answered, reads: f.reads}
					err := w.handOver(c).Run(t.Context(), []migrate.Step{w.replanned()})
					if !c.reached() {
						if at < 6 || err != nil {
							t.Fatalf("ended after %d requests: %v", at, err)
						}
						break
					}
					if at%2 == 0 { // undone, or ended
						if err := w.handOver(&fault{}).Undo(t.Context(), []migrate.Upjet{w.replanned().Old}, false); err != nil {
							t.Fatalf("request %d: %v", at, err)
						}
						w.given()
						continue
					}
					if err := w.handOver(&fault{}).Run(t.Context(), []migrate.Step{w.replanned()}); err != nil {
						t.Fatalf("request %d: %v", at, err)
					}
					w.handed()
					if err := w.handOver(&fault{}).Undo(t.Context(), []migrate.Upjet{w.replanned().Old}, false); err != nil {
						t.Fatalf("request %d: %v", at, err)
					}
					w.given()
				}
				w.handed()
				for at := 1; ; at++ {
					c := &fault{at: at, answered: f.answered, reads: f.reads}
					err := w.handOver(c).Undo(t.Context(), []migrate.Upjet{w.replanned().Old}, false)
					if !c.reached() {
						if at < 5 || err != nil {
							t.Fatalf("ended after %d requests: %v", at, err)
						}
						break
					}
					if err := w.handOver(&fault{}).Undo(t.Context(), []migrate.Upjet{w.replanned().Old}, false); err != nil {
						t.Fatalf("request %d: %v", at, err)
					}
					w.given()
					if err := w.handOver(&fault{}).Run(t.Context(), []migrate.Step{w.replanned()}); err != nil {
						t.Fatalf("request %d: %v", at, err)
					}
					w.handed()
				}
				w.given()
			})
		}
	}
}

// A resource that users have paused is handed over, and the new one stays paused. An undo leaves
// the old one paused.
func TestHandOverPaused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, false)
	u := w.get(w.old)
	u.SetAnnotations(map[string]string{statetest.Paused: "true", "crossplane.io/external-name": "i-1"})
	if err := w.Update(t.Context(), u); err != nil {
		t.Fatal(err)
	}
	w.old = w.get(w.old)
	w.act()
	if err := w.handOver(&fault{}).Run(t.Context(), []migrate.Step{w.replanned()}); err != nil {
		t.Fatal(err)
	}
	if now := w.get(w.new); now == nil || !paused(now) {
		t.Errorf("the new resource: %v", now)
	}
	if err := w.handOver(&fault{}).Undo(t.Context(), []migrate.Upjet{w.replanned().Old}, false); err != nil {
		t.Fatal(err)
	}
	w.given()
}

// What prevents a hand-over is told before anything is changed.
func TestHandOverRefused(t *testing.T) {
	for name, test := range map[string]struct {
		change func(w *world)
		want   string
	}{
		"would change": {
			change: func(w *world) {
				w.step.New.Observes = "its first reconcile would update name"
				w.step.New.Changes = []translate.Change{{Path: "name", Before: "a", After: "b"}}
			},
			want: "its first reconcile would update name:\n    name: a → b",
		},
		"a composition": {
			change: func(w *world) {
				u := w.get(w.old)
				u.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "v1", Kind: "XBucket", Name: "x", UID: "u", Controller: new(true)}})
				if err := w.Update(w.t.Context(), u); err != nil {
					w.t.Fatal(err)
				}
			},
			want: "it belongs to XBucket x, whose controller would change it back",
		},
		"exists": {
			change: func(w *world) {
				if err := w.Create(w.t.Context(), w.new.DeepCopy()); err != nil {
					w.t.Fatal(err)
				}
			},
			want: "already, which is not of this hand-over. Rename it, or choose another namespace",
		},
		"no namespace": {
			change: func(w *world) { w.step.New.Resource.SetNamespace("nowhere") }, want: "there is no namespace nowhere",
		},
		"an unknown field": {
			change: func(w *world) { w.step.New.Resource.Object["spec"].(m)["forProvider"].(m)["colour"] = "red" },
			want:   `unknown field "spec.forProvider.colour"`,
		},
		"another Secret of that name": {
			change: func(w *world) {
				s := &corev1.Secret{
					ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: w.namespace},
					Data:       map[string][]byte{"k": []byte("else")},
				}
				if err := w.Create(w.t.Context(), s); err != nil {
					w.t.Fatal(err)
				}
			},
			want: "has another key k than that in namespace default. Make them equal, or give one of them another name",
		},
		"a malformed mark": {
			change: func(w *world) {
				u := w.get(w.old)
				u.SetAnnotations(map[string]string{"landbridge.io/handed-over": "yes"})
				if err := w.Update(w.t.Context(), u); err != nil {
					w.t.Fatal(err)
				}
			},
			want: "its annotation landbridge.io/handed-over is malformed. Restore it, or remove it if no new resource exists",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, false)
			test.change(w)
			before := w.get(w.old)
			c := &fault{}
			err := w.handOver(c).Run(t.Context(), []migrate.Step{w.step})
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "nothing was changed:") {
				t.Errorf("got %v", err)
			}
			if diff := cmp.Diff(before.Object, w.get(w.old).Object); diff != "" || c.seen > 0 {
				t.Errorf("%d requests\n%s", c.seen, diff)
			}
		})
	}
}

// A hand-over that cannot go on says why, and keeps the object with one of the two.
func TestHandOverStops(t *testing.T) {
	for name, test := range map[string]struct {
		run  func(w *world) error
		want string
	}{
		"the old provider does not notice": {
			run: func(w *world) error {
				w.without = true
				h := w.handOver(&fault{})
				h.Patience = time.Millisecond
				return h.Run(w.t.Context(), []migrate.Step{w.step})
			},
			want: "the old provider has not noticed that it is paused. If it does not run, give --old-stopped",
		},
		"an operation runs": {
			run: func(w *world) error {
				w.without = true
				u := w.get(w.old)
				all, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
				for _, c := range all {
					if c.(m)["type"] == "AsyncOperation" {
						c.(m)["reason"] = "Ongoing"
					}
				}
				_ = unstructured.SetNestedSlice(u.Object, all, "status", "conditions")
				if err := w.Status().Update(w.t.Context(), u); err != nil {
					w.t.Fatal(err)
				}
				h := w.handOver(&fault{})
				h.Patience, h.Stopped = time.Millisecond, true
				return h.Run(w.t.Context(), []migrate.Step{w.step})
			},
			want: "an operation of the old provider runs on its object. Repeat the command when it has ended",
		},
		"changed since the plan": {
			run: func(w *world) error {
				u := w.get(w.old)
				u.Object["spec"].(m)["forProvider"].(m)["name"] = "b"
				if err := w.Update(w.t.Context(), u); err != nil {
					w.t.Fatal(err)
				}
				return w.handOver(&fault{}).Run(w.t.Context(), []migrate.Step{w.step})
			},
			want: "it was changed while its object was looked at. Repeat the command",
		},
		"not ready": {
			run: func(w *world) error {
				w.without = true
				h := w.handOver(&fault{})
				h.Patience, h.Stopped = time.Millisecond, true
				return h.Run(w.t.Context(), []migrate.Step{w.step})
			},
			want: "is not ready: The controller has not looked at it yet. Repeat the command when that is mended, or give --undo",
		},
		"changed since the hand-over": {
			run: func(w *world) error {
				if err := w.handOver(&fault{}).Run(w.t.Context(), []migrate.Step{w.step}); err != nil {
					w.t.Fatal(err)
				}
				u := w.get(w.new)
				u.Object["spec"].(m)["forProvider"].(m)["name"] = "b"
				if err := w.Update(w.t.Context(), u); err != nil {
					w.t.Fatal(err)
				}
				old := []migrate.Upjet{w.replanned().Old}
				err := w.handOver(&fault{}).Undo(w.t.Context(), old, false)
				if forced := w.handOver(&fault{}).Undo(w.t.Context(), old, true); forced != nil {
					w.t.Error(forced)
				}
				w.given()
				return err
			},
			want: "was changed since. Make the same changes in the old resource, and give --force",
		},
		"without the label": {
			run: func(w *world) error {
				if err := w.handOver(&fault{}).Run(w.t.Context(), []migrate.Step{w.step}); err != nil {
					w.t.Fatal(err)
				}
				u := w.get(w.new)
				u.SetLabels(nil)
				if err := w.Update(w.t.Context(), u); err != nil {
					w.t.Fatal(err)
				}
				return w.handOver(&fault{}).Undo(w.t.Context(), []migrate.Upjet{w.replanned().Old}, false)
			},
			want: "any more. If it has the object of this resource, set the label; otherwise rename it",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, false)
			if err := test.run(w); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v", err)
			}
			w.act()
		})
	}
}

package move_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
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

	"github.com/landbridge-io/landbridge/internal/command/move"
	"github.com/landbridge-io/landbridge/internal/command/state"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/statetest"
	"github.com/landbridge-io/landbridge/schema"
)

type m = map[string]any

const (
	system = statetest.System
	held   = statetest.Finalizer
	paused = statetest.Paused
)

func TestMain(m *testing.M) {
	log.SetLogger(logr.Discard()) // of controller-runtime's clients
	os.Exit(m.Run())
}

// thing is the resource type of both clusters.
var thing = &schema.Resource{
	Type: statetest.ResourceType, Version: 2,
	Block: &schema.Block{Attributes: map[string]*schema.Attribute{
		"id": {Type: cty.String, Computed: true}, "name": {Type: cty.String, Optional: true},
		"password": {Type: cty.String, Optional: true, Sensitive: true},
	}},
}

// side is a cluster that serves the kind, without a controller.
type side struct {
	*state.Cluster
	server *playgroundtest.Server
}

// sides are the two clusters, which the tests share.
var sides = sync.OnceValues(func() ([2]*side, error) {
	var out [2]*side
	for i := range out {
		server, c, err := statetest.Serve(context.Background(), thing, &schema.Block{Attributes: map[string]*schema.Attribute{
			"token": {Type: cty.String, Optional: true, Sensitive: true},
		}})
		if err != nil {
			return out, err
		}
		out[i] = &side{c, server}
	}
	return out, nil
})

// world is the two clusters for one test, with a namespace of its own in both.
type world struct {
	t              *testing.T
	source, target *side
	namespace      string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	both, err := sides()
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, source: both[0], target: both[1], namespace: both[0].server.Namespace(t)}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.namespace}}
	if err := w.target.Create(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) key(name string) store.Key {
	return store.Key{Group: "one.landbridge.io", Kind: "Thing", Namespace: w.namespace, Name: name}
}

// record is what is stored of an object.
func record() store.Record {
	return store.Record{
		Instance: instance.Instance{
			State: cty.ObjectVal(map[string]cty.Value{
				"id": cty.StringVal("i-1"), "name": cty.StringVal("a <b>"), "password": cty.StringVal("secret"),
			}),
			Private: []byte{0, 1, 2}, Status: instance.Tainted,
			Deposed: []instance.Deposed{{Key: "01234567", Status: instance.Full, State: cty.ObjectVal(map[string]cty.Value{
				"id": cty.StringVal("i-0"), "name": cty.NullVal(cty.String), "password": cty.StringVal("old"),
			})}},
		},
		Handled: store.Tokens{Taint: "now"},
	}
}

// manages creates a resource in the source as a controller has left it. rec is stored for it; nil
// for nothing.
func (w *world) manages(name string, rec *store.Record, annotations map[string]string) *unstructured.Unstructured {
	w.t.Helper()
	u := statetest.Object(w.namespace, name, m{"name": "a <b>"})
	u.SetLabels(map[string]string{"team": "a"})
	all := map[string]string{"crossplane.io/external-name": "i-1", "landbridge.io/taint": "now"}
	for k, v := range annotations {
		all[k] = v
	}
	u.SetAnnotations(all)
	if rec != nil {
		u.SetFinalizers([]string{held})
	}
	if err := w.source.Create(w.t.Context(), u); err != nil {
		w.t.Fatal(err)
	}
	if rec != nil {
		r := *rec
		r.Owner = u.GetUID()
		if _, err := w.source.Stored.Save(w.t.Context(), w.key(name), thing, r); err != nil {
			w.t.Fatal(err)
		}
	}
	return u
}

// get reads a resource; nil if it does not exist.
func (w *world) get(s *side, name string) *unstructured.Unstructured {
	w.t.Helper()
	u := statetest.Object(w.namespace, name, nil)
	err := s.Get(w.t.Context(), client.ObjectKeyFromObject(u), u)
	if kerrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return u
}

// load reads a record without its version; nil if there is none.
func (w *world) load(s *side, name string) *store.Record {
	w.t.Helper()
	rec, err := (&store.Secrets{Client: s.Stored.Client}).Load(w.t.Context(), w.key(name), thing)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		w.t.Fatal(err)
	}
	rec.Version = ""
	return &rec
}

func encoded(t *testing.T, rec *store.Record) string {
	t.Helper()
	if rec == nil {
		return "nothing"
	}
	b, err := instance.Encode(rec.Instance, thing)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s %+v", b, rec.Handled)
}

// fault ends the mover's connection at a request, as a crash or a broken network does.
type fault struct {
	// partSize is that of the stores; 0 for the default.
	partSize int
	// at is the number of the request, from 1. answered is set if it is carried out before. Reads
	// count only if reads is set.
	at              int
	answered, reads bool
	// each is called before and after each request; nil for nothing.
	each func()

	mu   sync.Mutex
	seen int
}

var errCut = errors.New("the connection is cut")

func (f *fault) wrap(next http.RoundTripper) http.RoundTripper { return cut{f, next} }

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
	if c.reads || r.Method != http.MethodGet {
		c.seen++
	}
	if c.reached() && !c.answered {
		return nil, errCut
	}
	answer, err := c.next.RoundTrip(r)
	if c.each != nil && r.Method != http.MethodGet {
		c.each()
	}
	if c.reached() && err == nil {
		answer.Body.Close()
		return nil, errCut
	}
	return answer, err
}

// mover returns a mover whose requests go through a fault. There is no controller.
func (w *world) mover(f *fault) *move.Mover {
	w.t.Helper()
	open := func(s *side) *state.Cluster {
		config := rest.CopyConfig(s.server.Config)
		config.Wrap(f.wrap)
		c, err := state.Open(config, system)
		if err != nil {
			w.t.Fatal(err)
		}
		c.Stored.PartSize = f.partSize
		return c
	}
	return &move.Mover{Source: open(w.source), Target: open(w.target), Patience: 5 * time.Second, Stopped: true}
}

func (w *world) move(args ...string) error {
	return w.mover(&fault{}).Move(w.t.Context(), w.namespace, args)
}

func (w *world) mustMove(args ...string) {
	w.t.Helper()
	if err := w.move(args...); err != nil {
		w.t.Fatal(err)
	}
}

// writers fails the test if controllers of both clusters may write, or if the object is nowhere
// stored.
func (w *world) writers(name string, stored bool) {
	w.t.Helper()
	s, kept := w.get(w.source, name), w.load(w.source, name)
	locked := kept != nil && kept.Instance.Operation != nil && kept.Instance.Operation.Kind == instance.Move
	c, copied := w.get(w.target, name), w.load(w.target, name)
	here := s != nil && !locked
	there := c != nil && c.GetAnnotations()[paused] != "true"
	if here && there {
		w.t.Errorf("%s: both clusters may write", name)
	}
	if stored && kept == nil && copied == nil {
		w.t.Errorf("%s: its object is not stored any more", name)
	}
	if s == nil && c == nil {
		w.t.Errorf("%s: the resource is gone", name)
	}
}

// moved fails the test unless the target has what the source had, and the source has nothing.
func (w *world) moved(before *unstructured.Unstructured, rec *store.Record) {
	w.t.Helper()
	name := before.GetName()
	if u := w.get(w.source, name); u != nil {
		w.t.Errorf("the source has the resource: %v", u.Object)
	}
	left := "nothing"
	if rec == nil {
		left = encoded(w.t, &store.Record{}) // so that a waiting create does not store the first one
	}
	if diff := cmp.Diff(left, encoded(w.t, w.load(w.source, name))); diff != "" {
		w.t.Errorf("what the source has stored (-want +got):\n%s", diff)
	}
	u := w.get(w.target, name)
	if u == nil {
		w.t.Fatal("the target does not have the resource")
	}
	if diff := cmp.Diff(content(before), content(u)); diff != "" {
		w.t.Errorf("the resource (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(encoded(w.t, rec), encoded(w.t, w.load(w.target, name))); diff != "" {
		w.t.Errorf("what is stored (-before +after):\n%s", diff)
	}
}

// noSecrets fails the test if a cluster has Secrets of a resource.
func (w *world) noSecrets(s *side, name string) {
	w.t.Helper()
	list, err := s.Stored.Client.List(w.t.Context(), metav1.ListOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, secret := range list.Items {
		if strings.HasPrefix(secret.Name, store.SecretName(w.key(name))) {
			w.t.Errorf("there is the Secret %s", secret.Name)
		}
	}
}

// stayed fails the test unless the source is as before, and the target has nothing.
func (w *world) stayed(before *unstructured.Unstructured, rec *store.Record) {
	w.t.Helper()
	name := before.GetName()
	if u := w.get(w.target, name); u != nil {
		w.t.Errorf("the target has the resource: %v", u.Object)
	}
	if r := w.load(w.target, name); r != nil {
		w.t.Errorf("the target has a stored instance: %s", encoded(w.t, r))
	}
	u := w.get(w.source, name)
	if u == nil {
		w.t.Fatal("the source does not have the resource")
	}
	if diff := cmp.Diff(content(before), content(u)); diff != "" {
		w.t.Errorf("the resource (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(encoded(w.t, rec), encoded(w.t, w.load(w.source, name))); diff != "" {
		w.t.Errorf("what is stored (-before +after):\n%s", diff)
	}
}

func content(u *unstructured.Unstructured) m {
	return m{"spec": u.Object["spec"], "labels": u.GetLabels(), "annotations": u.GetAnnotations(), "finalizers": u.GetFinalizers()}
}

// scenario is a resource that is moved.
type scenario struct {
	stored      *store.Record
	annotations map[string]string
	partSize    int
}

func scenarios() map[string]scenario {
	rec := record()
	return map[string]scenario{
		"stored":         {stored: &rec},
		"in parts":       {stored: &rec, partSize: 200},
		"paused before":  {stored: &rec, annotations: map[string]string{paused: "true"}},
		"nothing stored": {},
	}
}

// A move that is interrupted at any request ends when it is repeated, and at no time two
// controllers may write.
func TestMoveIsResumable(t *testing.T) {
	tests := scenarios()
	tests["no object"] = scenario{stored: &store.Record{}}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			cuts, step := 0, 1
			if testing.Short() {
				step = 3
			}
			kinds := []*fault{{answered: true}, {reads: true}} // reads and other requests are not answered
			if name != "stored" {
				kinds = []*fault{{}} // every other request is answered
			}
			for _, kind := range kinds {
				for at := 1; ; at += step {
					answered := kind.answered || name != "stored" && at%2 == 0
					name := fmt.Sprintf("thing-%t-%t-%d", answered, kind.reads, at)
					before := w.manages(name, test.stored, test.annotations)
					f := &fault{
						at: at, answered: answered, reads: kind.reads, partSize: test.partSize,
						each: func() { w.writers(name, test.stored != nil) },
					}
					err := w.mover(f).Move(t.Context(), w.namespace, []string{"thing/" + name})
					if err != nil && !f.reached() {
						t.Fatalf("cut at %d: %v", at, err)
					}
					w.writers(name, test.stored != nil)
					again := &fault{partSize: test.partSize, each: func() { w.writers(name, test.stored != nil) }}
					if err := w.mover(again).Move(t.Context(), w.namespace, []string{"thing"}); err != nil {
						t.Fatalf("cut at %d and repeated: %v", at, err)
					}
					w.moved(before, test.stored)
					if test.stored != nil { // else an empty one is left
						w.noSecrets(w.source, name)
					}
					if t.Failed() {
						t.Fatalf("cut at request %d, answered %t, reads %t", at, answered, kind.reads)
					}
					if !f.reached() {
						break
					}
					cuts++
				}
			}
			if cuts < 7*len(kinds)/step {
				t.Errorf("only %d requests were cut", cuts)
			}
		})
	}
}

// A move that was interrupted can be undone until the resource is released, also if the undoing is
// interrupted.
func TestUndo(t *testing.T) {
	for name, test := range scenarios() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			undone, ended := 0, 0
			for at := 1; ; at++ {
				name := fmt.Sprintf("thing-%d", at)
				before := w.manages(name, test.stored, test.annotations)
				f := &fault{at: at, answered: true, partSize: test.partSize}
				_ = w.mover(f).Move(t.Context(), w.namespace, []string{"thing/" + name})
				if !f.reached() {
					break
				}
				// Each undoing is interrupted a little later, until one is not.
				err := errCut
				for later := 1; err != nil; later++ {
					u := &fault{at: later, answered: later%2 == 0, partSize: test.partSize, each: func() { w.writers(name, test.stored != nil) }}
					if err = w.mover(u).Undo(t.Context(), w.namespace, []string{"thing/" + name}); err != nil && !u.reached() {
						break
					}
				}
				switch {
				case err == nil:
					w.stayed(before, test.stored)
					w.noSecrets(w.target, name)
					undone++
				case strings.Contains(err.Error(), "cannot be undone any more"):
					w.mustMove("thing/" + name)
					w.moved(before, test.stored)
					ended++
				default:
					t.Logf("cut at request %d: %v", at, err) // it had ended already
					w.moved(before, test.stored)
				}
				if t.Failed() {
					t.Fatalf("cut at request %d: %v", at, err)
				}
			}
			if undone < 4 || ended < 2 {
				t.Errorf("%d moves were undone, %d had to end", undone, ended)
			}
		})
	}
}

// A running operation is waited for, and its outcome is moved.
func TestMoveWaitsForOperation(t *testing.T) {
	w := newWorld(t)
	rec := record()
	rec.Instance.Operation = &instance.Operation{ID: "op-1", Kind: instance.Update, StartedAt: time.Now().UTC()}
	before := w.manages("a", &rec, nil)

	impatient := w.mover(&fault{})
	impatient.Patience = time.Millisecond
	err := impatient.Move(t.Context(), w.namespace, []string{"thing/a"})
	if err == nil || !strings.Contains(err.Error(), "its Update (operation op-1) has not ended") {
		t.Errorf("error %v", err)
	}
	w.stayed(before, &rec)

	done := rec
	done.Instance.Operation, done.Instance.Status = nil, instance.Full
	patient := w.mover(&fault{})
	var steps []string
	patient.Tell = func(_, step string) {
		steps = append(steps, step)
		if strings.HasPrefix(step, "waiting for its Update") {
			now, err := w.source.Load(t.Context(), w.key("a"))
			if err != nil {
				t.Fatal(err)
			}
			concluded := done
			concluded.Version, concluded.Owner = now.Version, now.Owner
			if _, err := w.source.Stored.Save(t.Context(), w.key("a"), thing, concluded); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := patient.Move(t.Context(), w.namespace, []string{"thing/a"}); err != nil {
		t.Fatal(err)
	}
	w.moved(before, &done)
	if len(steps) != 5 {
		t.Errorf("steps: %q", steps)
	}
}

// A resource is not moved while actions of spec.actions are left to be invoked: its status is not
// copied, so the target would invoke some of them again, and others never.
func TestMoveWaitsForActions(t *testing.T) {
	w := newWorld(t)
	rec := record()
	before := w.manages("a", &rec, nil)
	progress := func(stage string) {
		u := w.get(w.source, "a")
		u.Object["status"] = m{"actions": m{"id": "r-1", "change": "Update", "stage": stage}}
		if err := w.source.Status().Update(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
	progress("After")
	impatient := w.mover(&fault{})
	impatient.Patience = time.Millisecond
	err := impatient.Move(t.Context(), w.namespace, []string{"thing/a"})
	if err == nil || !strings.Contains(err.Error(), "its actions (spec.actions) have not ended") {
		t.Errorf("error %v", err)
	}
	w.stayed(before, &rec)

	patient := w.mover(&fault{})
	told := 0
	patient.Tell = func(_, step string) {
		if strings.HasPrefix(step, "waiting for its actions") {
			told++
			progress("Complete")
		}
	}
	if err := patient.Move(t.Context(), w.namespace, []string{"thing/a"}); err != nil {
		t.Fatal(err)
	}
	w.moved(before, &rec)
	if told != 1 {
		t.Errorf("told %d times what it waits for", told)
	}
}

// Actions that begin while the controller of the source has not yet noticed the pause are not left
// behind.
func TestMoveRefusesLateActions(t *testing.T) {
	w := newWorld(t)
	rec := record()
	before := w.manages("a", &rec, nil)
	mover := w.mover(&fault{})
	mover.Stopped = false
	mover.Tell = func(_, step string) {
		if step == "paused in the source" {
			u := w.get(w.source, "a")
			u.Object["status"] = m{
				"actions": m{"id": "r-1", "change": "Update", "stage": "Before"},
				"conditions": []any{m{
					"type": "Synced", "status": "False", "reason": "ReconcilePaused", "lastTransitionTime": "2026-01-02T15:04:05Z",
				}},
			}
			if err := w.source.Status().Update(t.Context(), u); err != nil {
				t.Fatal(err)
			}
		}
	}
	err := mover.Move(t.Context(), w.namespace, []string{"thing/a"})
	if err == nil || !strings.Contains(err.Error(), "--undo") {
		t.Errorf("error %v", err)
	}
	if w.get(w.target, "a") != nil || w.load(w.target, "a") != nil {
		t.Error("something was copied")
	}
	if err := mover.Undo(t.Context(), w.namespace, []string{"thing/a"}); err != nil {
		t.Fatal(err)
	}
	w.stayed(before, &rec)
}

// Nothing is copied before the controller of the source has noticed that the resource is paused.
func TestMoveWaitsForController(t *testing.T) {
	w := newWorld(t)
	rec := record()
	before := w.manages("a", &rec, nil)
	mover := w.mover(&fault{})
	mover.Stopped, mover.Patience = false, time.Millisecond
	err := mover.Move(t.Context(), w.namespace, []string{"thing/a"})
	if err == nil || !strings.Contains(err.Error(),
		"the controller of the source has not noticed that it is paused. If none runs there, give --source-stopped") {
		t.Errorf("error %v", err)
	}
	if w.get(w.target, "a") != nil || w.load(w.target, "a") != nil {
		t.Error("something was copied")
	}
	u := w.get(w.source, "a")
	u.Object["status"] = m{"conditions": []any{m{
		"type": "Synced", "status": "False", "reason": "ReconcilePaused", "lastTransitionTime": "2026-01-02T15:04:05Z",
	}}}
	if err := w.source.Status().Update(t.Context(), u); err != nil {
		t.Fatal(err)
	}
	if err := mover.Move(t.Context(), w.namespace, []string{"thing/a"}); err != nil {
		t.Fatal(err)
	}
	w.moved(before, &rec)
}

// What was changed in the source after it was copied is moved too.
func TestMoveCopiesLateChanges(t *testing.T) {
	w := newWorld(t)
	rec := record()
	before := w.manages("a", &rec, nil)
	mover := w.mover(&fault{})
	mover.Tell = func(_, step string) {
		if step != "copied to the target" || before.GetLabels()["late"] != "" {
			return
		}
		u := w.get(w.source, "a")
		u.SetLabels(map[string]string{"team": "a", "late": "yes"})
		if err := unstructured.SetNestedField(u.Object, "changed", "spec", "forProvider", "name"); err != nil {
			t.Fatal(err)
		}
		if err := w.source.Update(t.Context(), u); err != nil {
			t.Fatal(err)
		}
		before.Object["spec"] = u.Object["spec"]
		before.SetLabels(u.GetLabels())
	}
	if err := mover.Move(t.Context(), w.namespace, []string{"thing/a"}); err != nil {
		t.Fatal(err)
	}
	w.moved(before, &rec)
}

// A resource that is made again in the source when the move has ended there is another one.
func TestMoveLeavesLaterResource(t *testing.T) {
	w := newWorld(t)
	rec := record()
	w.manages("a", &rec, nil)
	f := &fault{}
	f.each = func() {
		if w.load(w.source, "a") == nil {
			f.at = f.seen
		}
	}
	if err := w.mover(f).Move(t.Context(), w.namespace, []string{"thing/a"}); err == nil {
		t.Fatal("the move was not interrupted in time")
	}
	other := store.Record{Instance: instance.Instance{Status: instance.Full, State: cty.ObjectVal(map[string]cty.Value{
		"id": cty.StringVal("i-2"), "name": cty.StringVal("other"), "password": cty.NullVal(cty.String),
	})}}
	later := w.manages("a", &other, nil)
	w.mustMove("thing/a")
	u := w.get(w.target, "a")
	if u == nil || u.GetAnnotations()[paused] != "" || encoded(t, w.load(w.target, "a")) != encoded(t, &rec) {
		t.Errorf("the target has %v", u)
	}
	if u := w.get(w.source, "a"); u == nil || u.GetUID() != later.GetUID() || u.GetAnnotations()[paused] != "" {
		t.Errorf("the source has %v", u)
	}
	if got := encoded(t, w.load(w.source, "a")); got != encoded(t, &other) {
		t.Errorf("the source has stored %s", got)
	}
	// Now it would be moved onto a resource of the target's own.
	err := w.move("thing/a")
	if err == nil || !strings.Contains(err.Error(), "the target has such a resource already") {
		t.Errorf("error %v", err)
	}
}

// Everything that the target lacks is reported before anything is changed.
func TestMoveChecksTarget(t *testing.T) {
	w := newWorld(t)
	rec := record()
	secret := func(s *side, namespace, name, key string) {
		t.Helper()
		o := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, StringData: map[string]string{key: "x"}}
		if err := s.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	configuration := func(s *side, secretName string) {
		t.Helper()
		u := statetest.Object(w.namespace, "own", nil)
		u.SetKind("ProviderConfig")
		u.Object["spec"] = m{"tokenSecretRef": m{"name": secretName, "key": "token"}}
		if err := s.Create(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
	make := func(name string, change func(*unstructured.Unstructured)) {
		t.Helper()
		u := w.manages(name, &rec, nil)
		change(u)
		if err := w.source.Update(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
	make("configured", func(u *unstructured.Unstructured) {
		u.Object["spec"].(m)["providerConfigRef"] = m{"kind": "ProviderConfig", "name": "own"}
	})
	make("secret", func(u *unstructured.Unstructured) {
		u.Object["spec"].(m)["forProvider"] = m{"passwordSecretRef": m{"name": "inputs", "key": "password"}}
	})
	make("composed", func(u *unstructured.Unstructured) {
		u.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "example.org/v1", Kind: "XThing", Name: "x", UID: "1", Controller: new(true)}})
	})
	make("there", func(*unstructured.Unstructured) {})
	if err := w.target.Create(t.Context(), statetest.Object(w.namespace, "there", m{})); err != nil {
		t.Fatal(err)
	}
	make("fine", func(*unstructured.Unstructured) {})
	secret(w.source, w.namespace, "inputs", "password")
	secret(w.source, w.namespace, "credentials", "token")
	configuration(w.source, "credentials")

	title := "thing.one.landbridge.io " + w.namespace + "/"
	want := "nothing was changed:\n" +
		title + "composed: it belongs to XThing x, whose controller would create it again; move that\n" +
		title + "configured: the target has no ProviderConfig " + w.namespace + "/own\n" +
		title + "secret: the target has no key password in Secret " + w.namespace + "/inputs\n" +
		title + "there: the target has such a resource already"
	err := w.move("thing")
	if err == nil || err.Error() != want {
		t.Errorf("error (-want +got):\n%s", cmp.Diff(want, fmt.Sprint(err)))
	}
	for _, name := range []string{"configured", "secret", "composed", "there", "fine"} {
		if u := w.get(w.source, name); u.GetAnnotations()[paused] != "" || w.load(w.source, name).Instance.Operation != nil {
			t.Errorf("%s was changed", name)
		}
	}

	configuration(w.target, "elsewhere")
	err = w.move("thing/configured")
	if want := "the target has no key token in Secret " + w.namespace + "/elsewhere"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
	secret(w.target, w.namespace, "elsewhere", "token")
	secret(w.target, w.namespace, "inputs", "password")
	w.mustMove("thing/configured", "thing/secret", "thing/fine")
	for _, name := range []string{"configured", "secret", "fine"} {
		if w.get(w.source, name) != nil || w.get(w.target, name) == nil {
			t.Errorf("%s was not moved", name)
		}
	}
}

func TestMoveRefuses(t *testing.T) {
	w := newWorld(t)
	same := w.mover(&fault{})
	same.Target = same.Source
	if err := same.Move(t.Context(), w.namespace, nil); err == nil || !strings.Contains(err.Error(), "are the same cluster") {
		t.Errorf("within one cluster: %v", err)
	}
	if err := w.move("thing/none"); err == nil ||
		!strings.Contains(err.Error(), "there is no thing.one.landbridge.io "+w.namespace+"/none in the source") {
		t.Errorf("a resource that does not exist: %v", err)
	}
	rec := record()
	before := w.manages("kept", &rec, nil)
	if _, err := w.target.Stored.Save(t.Context(), w.key("kept"), thing, store.Record{Owner: "another"}); err != nil {
		t.Fatal(err)
	}
	if err := w.move("thing/kept"); err == nil ||
		!strings.Contains(err.Error(), "the target has a stored instance of another resource of that name") {
		t.Errorf("a stored instance in the target: %v", err)
	}
	if u := w.get(w.source, "kept"); !cmp.Equal(content(before), content(u)) {
		t.Errorf("the source was changed: %v", u)
	}
}

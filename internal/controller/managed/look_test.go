package managed_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	xpevent "github.com/crossplane/crossplane-runtime/v2/pkg/event"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// observing is a scheduler that answers with an observation, and counts.
type observing struct {
	scheduler.Interface
	answer   *scheduler.Observation
	err      error
	observed int
}

func (s *observing) Observe(context.Context, scheduler.Request) (*scheduler.Observation, error) {
	s.observed++
	return s.answer, s.err
}

func (s *observing) Remembered(scheduler.Request) (scheduler.Remembered, bool) {
	return scheduler.Remembered{Status: instance.Full}, true
}

func (*observing) Running() int { return 0 }

func (*observing) Mark(scheduler.Request) (scheduler.Mark, bool) { return scheduler.Mark{1}, true }

func (*observing) Rest(scheduler.Request) bool { return false }

func (*observing) Apply(context.Context, scheduler.Request) error { return nil }

// A resource is reconciled only if its observation, or the resource itself, has changed. It is
// observed once in any case.
func TestUnchangedResourceIsOnlyObserved(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change     func(t *testing.T, s *observing, c client.Client, u *unstructured.Unstructured)
		reconciles int
	}{
		"unchanged": {change: func(*testing.T, *observing, client.Client, *unstructured.Unstructured) {}},
		"another observation": {reconciles: 1, change: func(_ *testing.T, s *observing, _ client.Client, _ *unstructured.Unstructured) {
			other := *s.answer
			s.answer = &other
		}},
		"an object that cannot be read": {reconciles: 1, change: func(_ *testing.T, s *observing, _ client.Client, _ *unstructured.Unstructured) {
			s.answer, s.err = nil, errors.New("no answer")
		}},
		"another spec": {reconciles: 1, change: func(t *testing.T, _ *observing, c client.Client, u *unstructured.Unstructured) {
			u.SetLabels(map[string]string{"a": "b"})
			if err := c.Update(t.Context(), u); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reconciles := 0
			k := kind(t)
			s := &observing{answer: &scheduler.Observation{
				Instance: instance.Instance{Status: instance.Full, State: object(map[string]string{"id": "x"})},
				Plan:     &terraform.Plan{Action: terraform.NoOp},
			}}
			looksBy(k, s, &reconciles)
			u := resourceOf(k)
			c := fake.NewClientBuilder().WithStatusSubresource(u).WithObjects(u).Build()
			r := managed.NewReconciler(k, c, c)
			r.Use(noQueue{})
			reconciled := func() {
				if _, err := r.Reconcile(t.Context(), reconcile.Request{
					NamespacedName: types.NamespacedName{Namespace: "team", Name: "x"},
				}); err != nil {
					t.Fatal(err)
				}
			}
			reconciled()
			reconciled()
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(u), u); err != nil {
				t.Fatal(err)
			}
			test.change(t, s, c, u)
			s.observed, reconciles = 0, 0
			reconciled()
			if diff := cmp.Diff([2]int{1, test.reconciles}, [2]int{s.observed, reconciles}); diff != "" {
				t.Errorf("observed and reconciled (-want +got):\n%s\n%v", diff, u.Object)
			}
		})
	}
}

// A resource that an earlier process has left at rest is not reconciled when it is looked at first,
// and is with the next look, whose plan is this process's own. Each look leaves its mark, as does a
// reconcile that finds the resource steady.
func TestResumedResourceIsOnlyObserved(t *testing.T) {
	t.Parallel()
	up := &scheduler.Observation{
		Instance: instance.Instance{Status: instance.Full, State: object(map[string]string{"id": "x"})},
		Plan:     &terraform.Plan{Action: terraform.NoOp},
	}
	resumed := *up
	resumed.Resumed = true
	for name, tc := range map[string]struct {
		marked     bool
		answers    []*scheduler.Observation
		reconciles []int
		marks      []int
		// published is set if there is a connection Secret.
		published bool
	}{
		"resumed": {
			marked: true, answers: []*scheduler.Observation{&resumed, up, up}, reconciles: []int{0, 1, 0},
			marks: []int{1, 1, 1},
		},
		"not resumed":        {marked: true, answers: []*scheduler.Observation{up, up}, reconciles: []int{1, 0}, marks: []int{1, 1}},
		"marks are not read": {answers: []*scheduler.Observation{&resumed, up}, reconciles: []int{1, 1}, marks: []int{1, 1}},
		"with a connection Secret": {
			// The first look writes the status.
			marked: true, published: true, answers: []*scheduler.Observation{&resumed, up, up, up},
			reconciles: []int{1, 1, 1, 1}, marks: []int{0, 0, 1, 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reconciles := 0
			k := kind(t)
			s := &observing{}
			looksBy(k, s, &reconciles)
			if tc.marked {
				k.Options.Marked = func(scheduler.Mark) bool { return true }
			}
			u := resourceOf(k)
			// Its last reconcile has succeeded.
			u.Object["status"] = m{
				"conditions": []any{m{
					"type": "Synced", "status": "True", "reason": "ReconcileSuccess",
					"lastTransitionTime": "2026-01-01T00:00:00Z",
				}},
			}
			if tc.published {
				u.Object["spec"].(m)["writeConnectionSecretToRef"] = m{"name": "details"}
			}
			c := fake.NewClientBuilder().WithStatusSubresource(u).WithObjects(u).Build()
			r := managed.NewReconciler(k, c, c)
			r.Use(noQueue{})
			for i, answer := range tc.answers {
				s.answer, reconciles = answer, 0
				if _, err := r.Reconcile(t.Context(), reconcile.Request{
					NamespacedName: types.NamespacedName{Namespace: "team", Name: "x"},
				}); err != nil {
					t.Fatal(err)
				}
				marks := 0
				k.Marks(func(scheduler.Mark) { marks++ })
				if reconciles != tc.reconciles[i] || marks != tc.marks[i] {
					t.Errorf("look %d: %d reconciles and %d marks, want %d and %d", i+1, reconciles, marks, tc.reconciles[i], tc.marks[i])
				}
			}
		})
	}
}

// looksBy has a kind observe by a scheduler, and counts how often the loop is
// run.
func looksBy(k *managed.Kind, s scheduler.Interface, reconciles *int) {
	k.Scheduler, k.ProviderConfigs, k.Neighbours = s, unconfigured{}, alone{graph: &references.Graph{}}
	k.Options = managed.Options{
		Poll: time.Minute, Workers: 1, Timeout: 5 * time.Second, Recorder: xpevent.NewNopRecorder(),
		Logger: funcr.New(func(_, args string) {
			if strings.Contains(args, `"Reconciling"`) {
				*reconciles++
			}
		}, funcr.Options{Verbosity: 1}),
	}
}

// resourceOf returns the resource team/x of a kind.
func resourceOf(k *managed.Kind) *unstructured.Unstructured {
	gvk := k.Model.GroupVersionKind()
	u := &unstructured.Unstructured{
		Object: m{
			"apiVersion": gvk.GroupVersion().String(), "kind": gvk.Kind, "spec": m{"managementPolicies": []any{"*"}},
		},
	}
	u.SetName("x")
	u.SetNamespace("team")
	u.SetUID("1")
	u.SetFinalizers([]string{xpmanaged.FinalizerName})
	u.SetCreationTimestamp(metav1.Now())
	return u
}

// noQueue is a work queue that is always empty.
type noQueue struct{}

func (noQueue) Add(reconcile.Request) {}

func (noQueue) Len() int { return 0 }

// alone has no resources of other kinds.
type alone struct {
	managed.Neighbours
	graph            *references.Graph
	unclaimedModules bool
}

func (a alone) References() *references.Graph { return a.graph }

func (a alone) Claimed() <-chan struct{} { return a.ModulesClaimed() }

func (a alone) ModulesClaimed() <-chan struct{} {
	out := make(chan struct{})
	if !a.unclaimedModules {
		close(out)
	}
	return out
}

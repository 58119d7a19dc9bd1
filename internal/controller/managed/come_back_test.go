package managed_test

import (
	"testing"
	"time"

	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/turns"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// drowsy is an observing scheduler that counts what it puts to rest.
type drowsy struct {
	observing
	rested int
}

func (s *drowsy) Rest(scheduler.Request) bool {
	s.rested++
	return true
}

// waitingQueue is a work queue with many more resources, as long as it is set.
type waitingQueue struct {
	turns.Queue
	many *bool
}

func (q waitingQueue) Len() int {
	if *q.many {
		return 1000
	}
	return 0
}

// While many others wait, a resource that is ready rests without its annotations, and is not
// observed again until there may be other work for it. Its annotations are written when the others
// are done.
func TestAnnotationsWait(t *testing.T) {
	t.Parallel()
	k, reconciles, many := kind(t), 0, true
	s := &drowsy{observing: observing{answer: &scheduler.Observation{
		Instance: instance.Instance{Status: instance.Full, State: object(map[string]string{"id": "x"})},
		Plan:     &terraform.Plan{Action: terraform.NoOp},
	}}}
	looksBy(k, s, &reconciles)
	u := resourceOf(k)
	u.SetFinalizers([]string{v1alpha1.FinalizerCreated})
	c := fake.NewClientBuilder().WithStatusSubresource(u).WithObjects(u).Build()
	r := managed.NewReconciler(k, c, c)
	q := managed.TurnsOf(k).NewQueue("", workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	defer q.ShutDown()
	r.Use(waitingQueue{Queue: q, many: &many})
	req := reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "team", Name: "x"}}
	// next takes the resource out of the queue.
	next := func() {
		t.Helper()
		q.Add(req)
		got, _ := q.Get()
		q.Done(got)
	}
	managed.TurnsOf(k).Handler().Create(t.Context(), event.TypedCreateEvent[*unstructured.Unstructured]{Object: u}, q)
	next()
	type outcome struct {
		Observed, Rested int
		Within           time.Duration
		Settled          bool
	}
	look := func() outcome {
		t.Helper()
		s.observed, s.rested = 0, 0
		result, err := r.Reconcile(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(u), u); err != nil {
			t.Fatal(err)
		}
		settled := len(u.GetFinalizers()) == 1 && u.GetFinalizers()[0] == xpmanaged.FinalizerName
		next()
		return outcome{s.observed, s.rested, result.RequeueAfter, settled}
	}
	ready, waits := outcome{Observed: 1, Rested: 1, Within: 15 * time.Second}, outcome{Within: 15 * time.Second}
	for _, step := range []struct {
		name   string
		before func()
		want   outcome
	}{
		{"it is ready", func() {}, ready},
		{"others wait", func() {}, waits},
		{"others still wait", func() {}, waits},
		{"it is woken", func() {
			k.Wake(store.Key{Group: k.Model.Group, Kind: k.Model.Kind, Namespace: "team", Name: "x"})
			next()
		}, ready},
		{"others wait again", func() {}, waits},
		{"others are done", func() { many = false }, outcome{Observed: 1, Rested: 1, Within: time.Minute, Settled: true}},
	} {
		step.before()
		got := look()
		if step.want.Within == time.Minute && got.Within > 50*time.Second {
			got.Within = time.Minute // polls are spread
		}
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
	}
}

package turns

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/internal/crd"
)

// Handler queues resources by the kind of their events.
func (t *Turns) Handler() handler.TypedEventHandler[*unstructured.Unstructured, reconcile.Request] {
	type requests = workqueue.TypedRateLimitingInterface[reconcile.Request]
	request := func(u *unstructured.Unstructured) reconcile.Request {
		return reconcile.Request{NamespacedName: types.NamespacedName{Namespace: u.GetNamespace(), Name: u.GetName()}}
	}
	return handler.TypedFuncs[*unstructured.Unstructured, reconcile.Request]{
		CreateFunc: func(_ context.Context, e event.TypedCreateEvent[*unstructured.Unstructured], q requests) {
			if crd.Unobserved(e.Object) {
				t.add(request(e.Object), created, q)
				return
			}
			t.change(request(e.Object), t.hear)
			q.Add(request(e.Object))
		},
		UpdateFunc: func(_ context.Context, e event.TypedUpdateEvent[*unstructured.Unstructured], q requests) {
			t.add(request(e.ObjectNew), changed, q)
		},
		DeleteFunc: func(_ context.Context, e event.TypedDeleteEvent[*unstructured.Unstructured], q requests) {
			t.change(request(e.Object), gone)
			q.Add(request(e.Object))
		},
	}
}

// add queues a resource that is new or was changed.
func (t *Turns) add(req reconcile.Request, of lane, q Queue) {
	t.enter(req, of)
	q.Add(req)
}

// enter puts a resource that is new or was changed, whose request is queued next, into a lane.
func (t *Turns) enter(req reconcile.Request, of lane) {
	t.change(req, func(now turn) turn {
		now = t.hear(now)
		now.lane, now.next, now.waits = of, of, time.Time{}
		return now
	})
}

// hear notes that a resource is new or has changed.
func (t *Turns) hear(now turn) turn {
	if now.heard.IsZero() {
		now.heard = t.now()
	}
	return now
}

// gone forgets a resource but for the lane in which it is queued next.
func gone(now turn) turn { return turn{next: now.next} }

package managed

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// lanes is the order of a kind's queue. Changed resources alternate with all others, which are new
// or reconciled periodically, so that neither waits for many of the other.
type lanes struct {
	changes, others workqueue.Queue[reconcile.Request]
	unanswered      *unanswered
	// turn is set when the last one was from others.
	turn bool

	mu sync.Mutex
	// changed are the resources that were changed since they were first seen.
	changed map[reconcile.Request]struct{}
	// marked are the requests that have to be queued in changes.
	marked map[reconcile.Request]struct{}
}

func newLanes(u *unanswered) *lanes {
	return &lanes{
		changes: workqueue.DefaultQueue[reconcile.Request](), others: workqueue.DefaultQueue[reconcile.Request](),
		unanswered: u, changed: map[reconcile.Request]struct{}{}, marked: map[reconcile.Request]struct{}{},
	}
}

// queue returns a work queue with this order.
func (l *lanes) queue(name string, limiter workqueue.TypedRateLimiter[reconcile.Request]) workqueue.TypedRateLimitingInterface[reconcile.Request] {
	return workqueue.NewTypedRateLimitingQueueWithConfig(limiter, workqueue.TypedRateLimitingQueueConfig[reconcile.Request]{
		Name: name,
		DelayingQueue: workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[reconcile.Request]{
			Name:  name,
			Queue: workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[reconcile.Request]{Name: name, Queue: l, Clock: rareTicks{}}),
		}),
	})
}

// rareTicks is the clock of a queue. A queue updates metrics of its unfinished work at each tick, twice a second by default,
// which costs a controller of many kinds more than anything else that it does when idle.
type rareTicks struct{ clock.RealClock }

// NewTicker implements clock.WithTicker.
func (c rareTicks) NewTicker(d time.Duration) clock.Ticker { return c.RealClock.NewTicker(10 * d) }

// change marks a request, which is queued next, as a change.
func (l *lanes) change(req reconcile.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changed[req], l.marked[req] = struct{}{}, struct{}{}
}

// goOn marks a request, which is queued next, as the continuation of a change if there was one.
func (l *lanes) goOn(req reconcile.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.changed[req]; ok {
		l.marked[req] = struct{}{}
	}
}

// gone forgets a deleted resource.
func (l *lanes) gone(req reconcile.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.changed, req)
}

func (l *lanes) unmark(req reconcile.Request) (was bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, was = l.marked[req]
	delete(l.marked, req)
	return was
}

// Touch implements workqueue.Queue. A queued request keeps its place.
func (l *lanes) Touch(req reconcile.Request) { l.unmark(req) }

// Push implements workqueue.Queue.
func (l *lanes) Push(req reconcile.Request) {
	if l.unmark(req) {
		l.changes.Push(req)
	} else {
		l.others.Push(req)
	}
}

// Len implements workqueue.Queue.
func (l *lanes) Len() int { return l.changes.Len() + l.others.Len() }

// Pop implements workqueue.Queue.
func (l *lanes) Pop() reconcile.Request {
	l.turn = l.others.Len() > 0 && (!l.turn || l.changes.Len() == 0)
	if l.turn {
		return l.others.Pop()
	}
	return l.changes.Pop()
}

// handler queues resources by the kind of their events.
func (l *lanes) handler() handler.TypedEventHandler[*unstructured.Unstructured, reconcile.Request] {
	type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]
	request := func(u *unstructured.Unstructured) reconcile.Request {
		return reconcile.Request{NamespacedName: types.NamespacedName{Namespace: u.GetNamespace(), Name: u.GetName()}}
	}
	return handler.TypedFuncs[*unstructured.Unstructured, reconcile.Request]{
		CreateFunc: func(_ context.Context, e event.TypedCreateEvent[*unstructured.Unstructured], q queue) {
			l.unanswered.heard(request(e.Object))
			q.Add(request(e.Object))
		},
		UpdateFunc: func(_ context.Context, e event.TypedUpdateEvent[*unstructured.Unstructured], q queue) {
			l.unanswered.heard(request(e.ObjectNew))
			l.change(request(e.ObjectNew))
			q.Add(request(e.ObjectNew))
		},
		DeleteFunc: func(_ context.Context, e event.TypedDeleteEvent[*unstructured.Unstructured], q queue) {
			l.unanswered.gone(request(e.Object))
			l.gone(request(e.Object))
			q.Add(request(e.Object))
		},
	}
}

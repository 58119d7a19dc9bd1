package managed

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/internal/controller/queue"
	"github.com/landbridge-io/landbridge/internal/crd"
)

// lane is why resources are reconciled.
type lane int

const (
	// periodic: they are looked at, as at each poll and after a start.
	periodic lane = iota
	// created: nothing was ever observed of them.
	created
	// changed: they were changed since they were first seen.
	changed
	// begun: they were new or changed, and what was begun for them goes on, as when an operation has ended. Otherwise thousands of
	// new resources would all be begun before one of them is ready.
	begun
	// unhurried: only non-urgent work is left of them.
	unhurried
	laneCount
)

// urgency is higher for lanes whose resources somebody waits for, and highest for those of which work is left undone.
func (l lane) urgency() int {
	switch l {
	case begun:
		return 2
	case created, changed:
		return 1
	default:
		return 0
	}
}

// lanes is the order of a kind's queue. Resources of the lanes alternate, so that none waits for many of another.
type lanes struct {
	// queues have the requests of each lane, and queued the lane of each request. Those that are in queues only were put into
	// another lane since.
	queues     [laneCount]workqueue.Queue[reconcile.Request]
	queued     map[reconcile.Request]lane
	unanswered *unanswered
	// last is the lane of the last one.
	last lane
	// unhurried is the number of queued requests in the lane.
	unhurried atomic.Int64

	mu sync.Mutex
	// of are the lanes of the resources that were changed, or are new, until they are found unchanged.
	of map[reconcile.Request]lane
	// marked are the lanes of the requests that are queued next.
	marked map[reconcile.Request]lane
	// waiting are the resources with non-urgent work, and when it was found. It is urgent when it was waiting for long.
	waiting map[reconcile.Request]time.Time
}

// longestWait is how long non-urgent work waits for other resources.
const longestWait = time.Minute

func newLanes(u *unanswered) *lanes {
	l := &lanes{
		unanswered: u, last: laneCount - 1, queued: map[reconcile.Request]lane{},
		of: map[reconcile.Request]lane{}, marked: map[reconcile.Request]lane{}, waiting: map[reconcile.Request]time.Time{},
	}
	for i := range l.queues {
		l.queues[i] = workqueue.DefaultQueue[reconcile.Request]()
	}
	return l
}

// queue returns a work queue with this order.
func (l *lanes) queue(name string, limiter workqueue.TypedRateLimiter[reconcile.Request]) workqueue.TypedRateLimitingInterface[reconcile.Request] {
	return queue.Ordered(name, limiter, l)
}

// mark puts a request, which is queued next, into a lane.
func (l *lanes) mark(req reconcile.Request, of lane) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.of[req], l.marked[req] = of, of
	delete(l.waiting, req)
}

// wait notes that only non-urgent work is left of a request that has a lane, unless it was queued again meanwhile.
func (l *lanes) wait(req reconcile.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, ok := l.of[req]
	_, again := l.marked[req]
	if ok && !again && l.waiting[req].IsZero() {
		l.waiting[req] = time.Now()
	}
}

// waits reports whether only non-urgent work is left of a request, and has not waited for long.
func (l *lanes) waits(req reconcile.Request) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	since, ok := l.waiting[req]
	return ok && time.Since(since) < longestWait
}

// wake puts a request, which is queued next, into the lane of what was begun, if it has a lane. There may be other work for it than
// that which waits.
func (l *lanes) wake(req reconcile.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.waiting, req)
	if _, ok := l.of[req]; ok {
		l.marked[req] = begun
	}
}

// laneOf returns the lane of a resource.
func (l *lanes) laneOf(req reconcile.Request) lane {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.of[req]
}

// goOn puts a request, which is queued next, into the lane of what it continues.
func (l *lanes) goOn(req reconcile.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	of, ok := l.of[req]
	if _, waits := l.waiting[req]; waits {
		of = unhurried
	}
	if ok {
		l.marked[req] = of
	}
}

// done forgets the lane of a resource that was found unchanged, or is gone.
func (l *lanes) done(req reconcile.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.of, req)
	delete(l.waiting, req)
	l.of, l.waiting = emptied(l.of), emptied(l.waiting)
}

// emptied returns a map, or a new one if it has no elements: a map keeps the memory of those that were deleted.
func emptied[K comparable, V any](m map[K]V) map[K]V {
	if len(m) == 0 {
		return map[K]V{}
	}
	return m
}

// unmark returns the lane in which a request is queued.
func (l *lanes) unmark(req reconcile.Request) lane {
	l.mu.Lock()
	defer l.mu.Unlock()
	of := l.marked[req]
	delete(l.marked, req)
	l.marked = emptied(l.marked)
	return of
}

// Touch implements workqueue.Queue. A queued request keeps its place, unless it is more urgent now.
func (l *lanes) Touch(req reconcile.Request) {
	if of := l.unmark(req); of.urgency() > l.queued[req].urgency() {
		l.leave(req)
		l.push(req, of)
	}
}

// Push implements workqueue.Queue.
func (l *lanes) Push(req reconcile.Request) { l.push(req, l.unmark(req)) }

func (l *lanes) push(req reconcile.Request, of lane) {
	l.queues[of].Push(req)
	l.queued[req] = of
	if of == unhurried {
		l.unhurried.Add(1)
	}
}

// leave takes a request out of its lane.
func (l *lanes) leave(req reconcile.Request) {
	if l.queued[req] == unhurried {
		l.unhurried.Add(-1)
	}
	delete(l.queued, req)
	l.queued = emptied(l.queued)
}

// Len implements workqueue.Queue.
func (l *lanes) Len() int { return len(l.queued) }

// Pop implements workqueue.Queue.
func (l *lanes) Pop() reconcile.Request {
	for {
		l.last = (l.last + 1) % laneCount
		for q := l.queues[l.last]; q.Len() > 0; {
			req := q.Pop()
			if of, ok := l.queued[req]; ok && of == l.last {
				l.leave(req)
				return req
			}
		}
	}
}

// add queues a resource that is new or was changed.
func (l *lanes) add(req reconcile.Request, of lane, q Queue) {
	l.unanswered.heard(req)
	l.mark(req, of)
	q.Add(req)
}

// handler queues resources by the kind of their events.
func (l *lanes) handler() handler.TypedEventHandler[*unstructured.Unstructured, reconcile.Request] {
	type requests = workqueue.TypedRateLimitingInterface[reconcile.Request]
	request := func(u *unstructured.Unstructured) reconcile.Request {
		return reconcile.Request{NamespacedName: types.NamespacedName{Namespace: u.GetNamespace(), Name: u.GetName()}}
	}
	return handler.TypedFuncs[*unstructured.Unstructured, reconcile.Request]{
		CreateFunc: func(_ context.Context, e event.TypedCreateEvent[*unstructured.Unstructured], q requests) {
			if crd.Unobserved(e.Object) {
				l.add(request(e.Object), created, q)
				return
			}
			l.unanswered.heard(request(e.Object))
			q.Add(request(e.Object))
		},
		UpdateFunc: func(_ context.Context, e event.TypedUpdateEvent[*unstructured.Unstructured], q requests) {
			l.add(request(e.ObjectNew), changed, q)
		},
		DeleteFunc: func(_ context.Context, e event.TypedDeleteEvent[*unstructured.Unstructured], q requests) {
			l.unanswered.gone(request(e.Object))
			l.done(request(e.Object))
			q.Add(request(e.Object))
		},
	}
}

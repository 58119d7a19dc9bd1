package turns

import (
	"sync/atomic"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/internal/controller/queue"
)

// lane is why resources are reconciled.
type lane uint8

const (
	// periodic: they are looked at, as at each poll and after a start. It is the lane of a resource
	// of which nothing else is known.
	periodic lane = iota
	// created: nothing was ever observed of them.
	created
	// changed: they were changed since they were first seen.
	changed
	// begun: they were new or changed, and what was begun for them goes on, as when an operation
	// has ended. Otherwise thousands of new resources would all be begun before one of them is
	// ready.
	begun
	// unhurried: only non-urgent work is left of them.
	unhurried
	laneCount
)

// urgency is higher for lanes of what users wait for, and highest for the lane of what was begun.
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

// lanes is the order of a kind's queue. Resources of the lanes alternate, so that none waits for
// many of another. The work queue has it locked.
type lanes struct {
	turns *Turns
	// queues have the requests of each lane, and queued the lane of each request. Those that are in
	// queues only were put into another lane since.
	queues [laneCount]workqueue.Queue[reconcile.Request]
	queued map[reconcile.Request]lane
	// last is the lane of the last one.
	last lane
	// unhurried is the number of queued requests in the lane.
	unhurried atomic.Int64
}

func newLanes(t *Turns) *lanes {
	l := &lanes{turns: t, last: laneCount - 1, queued: map[reconcile.Request]lane{}}
	for i := range l.queues {
		l.queues[i] = workqueue.DefaultQueue[reconcile.Request]()
	}
	return l
}

// NewQueue returns a work queue whose order is that of the turns.
func (t *Turns) NewQueue(
	name string, limiter workqueue.TypedRateLimiter[reconcile.Request],
) workqueue.TypedRateLimitingInterface[reconcile.Request] {
	return queue.Ordered(name, limiter, t.lanes)
}

// lane returns the lane in which a request is queued now.
func (t *Turns) lane(req reconcile.Request) (of lane) {
	t.change(req, func(now turn) turn {
		of, now.next = now.next, periodic
		return now
	})
	return of
}

// Touch implements workqueue.Queue. A queued request keeps its place, unless it is more urgent now.
func (l *lanes) Touch(req reconcile.Request) {
	if of := l.turns.lane(req); of.urgency() > l.queued[req].urgency() {
		l.leave(req)
		l.push(req, of)
	}
}

// Push implements workqueue.Queue.
func (l *lanes) Push(req reconcile.Request) { l.push(req, l.turns.lane(req)) }

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
	if len(l.queued) == 0 {
		l.queued = map[reconcile.Request]lane{} // a map keeps the memory of what was deleted
	}
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

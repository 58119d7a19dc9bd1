package queue

import (
	"time"

	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
)

// New returns a work queue in the order of requests, for controller.Options.NewQueue.
func New[T comparable](name string, limiter workqueue.TypedRateLimiter[T]) workqueue.TypedRateLimitingInterface[T] {
	return Ordered(name, limiter, workqueue.DefaultQueue[T]())
}

// Ordered returns a work queue in another order.
func Ordered[T comparable](
	name string, limiter workqueue.TypedRateLimiter[T], order workqueue.Queue[T],
) workqueue.TypedRateLimitingInterface[T] {
	return workqueue.NewTypedRateLimitingQueueWithConfig(limiter, workqueue.TypedRateLimitingQueueConfig[T]{
		Name: name,
		DelayingQueue: workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[T]{
			Name:  name,
			Queue: workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[T]{Name: name, Queue: order, Clock: rareTicks{}}),
		}),
	})
}

// rareTicks is the clock of a queue. A queue updates metrics of its unfinished work at each tick,
// twice a second by default, which costs a controller of many kinds more than anything else that it
// does when idle.
type rareTicks struct{ clock.RealClock }

// NewTicker implements clock.WithTicker.
func (c rareTicks) NewTicker(d time.Duration) clock.Ticker { return c.RealClock.NewTicker(10 * d) }

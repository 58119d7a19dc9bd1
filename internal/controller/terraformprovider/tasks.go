package terraformprovider

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/internal/controller/kinds"
)

// tasks run beside the reconciles what uses the network. A caller does not wait for a task: it is
// reconciled again when the task has ended, and once more when a task that has failed may be tried
// again, so that a slow registry does not block others.
type tasks[T any] struct {
	lifetime context.Context
	end      context.CancelFunc
	again    func(reconcile.Request)
	backoff  workqueue.TypedRateLimiter[types.UID]
	running  sync.WaitGroup

	mu  sync.Mutex
	all map[types.UID]*task[T]
}

// task is one of tasks.
type task[T any] struct {
	what   string
	cancel context.CancelFunc
	ended  time.Time
	// value is that of the last success.
	value T
	err   error
	// again is when a task that has ended is begun again. Zero: never.
	again time.Time
	// retry wakes the caller of a task that has failed, at that time.
	retry *time.Timer
}

func newTasks[T any](lifetime context.Context, again func(reconcile.Request)) *tasks[T] {
	lifetime, end := context.WithCancel(lifetime)
	return &tasks[T]{lifetime: lifetime, end: end, again: again, backoff: kinds.Backoff[types.UID](), all: map[types.UID]*task[T]{}}
}

// take returns the task with this key for what, if it has ended. Otherwise it returns nil, and
// begins the task unless it is running. A task that has ended is kept until it is forgotten, what
// changes, or, unless every is 0, for that long; one that has failed, until it is time to try
// again.
func (s *tasks[T]) take(
	key types.UID, what string, every time.Duration, req reconcile.Request, do func(context.Context) (T, error),
) *task[T] {
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx, cancel := context.WithCancel(s.lifetime)
	x := &task[T]{what: what, cancel: cancel}
	if was := s.all[key]; was != nil && was.what == what {
		switch {
		case was.ended.IsZero():
			cancel()
			return nil
		case was.again.IsZero(), time.Now().Before(was.again):
			cancel()
			return was
		}
		x.value = was.value
	}
	s.drop(key)
	s.all[key] = x
	s.running.Go(func() {
		defer cancel()
		value, err := do(ctx)
		s.mu.Lock()
		x.err, x.ended = err, time.Now()
		current := s.all[key] == x
		switch {
		case current && err != nil:
			wait := s.backoff.When(key)
			x.again = x.ended.Add(wait)
			x.retry = time.AfterFunc(wait, func() { s.again(req) })
		case current:
			x.value = value
			s.backoff.Forget(key)
			if every > 0 {
				x.again = x.ended.Add(every)
			}
		}
		s.mu.Unlock()
		if current {
			s.again(req)
		}
	})
	return nil
}

// value returns the value of the last success of a task for what.
func (s *tasks[T]) value(key types.UID, what string) (value T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x := s.all[key]; x != nil && x.what == what {
		value = x.value
	}
	return value
}

// forget cancels a task that is not needed any more.
func (s *tasks[T]) forget(key types.UID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(key)
	s.backoff.Forget(key)
}

// drop cancels a task. The mutex must be held.
func (s *tasks[T]) drop(key types.UID) {
	if x := s.all[key]; x != nil {
		x.cancel()
		if x.retry != nil {
			x.retry.Stop()
		}
		delete(s.all, key)
	}
}

// Start implements manager.Runnable. It returns when all tasks have ended.
func (s *tasks[T]) Start(ctx context.Context) error {
	<-ctx.Done()
	s.end()
	s.running.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	for key := range s.all {
		s.drop(key)
	}
	return nil
}

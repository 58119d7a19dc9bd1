package terraformprovider

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/schema"
)

const (
	// startsAtOnce is how many providers start at once: that takes processor time and memory.
	startsAtOnce = 4
	// startTurn is how long a start may keep others waiting. One that takes longer goes on beside
	// them: most likely it hangs, and takes nothing but time.
	startTurn = 2 * time.Second
)

// starts starts providers to read their schemas. Whoever wants one asks again when it is told to,
// so that a provider that hangs keeps nobody waiting.
type starts struct {
	// lifetime is that of all starts; end ends it.
	lifetime context.Context
	end      context.CancelFunc
	// again has whoever asked for a start ask again.
	again func(reconcile.Request)

	turns   *semaphore.Weighted
	backoff workqueue.TypedRateLimiter[types.UID]
	running sync.WaitGroup

	mu      sync.Mutex
	pending map[types.UID]*start
}

// start is that of one provider.
type start struct {
	what     startOf
	launcher provider.Launcher
	cancel   context.CancelFunc
	ended    bool
	schema   *schema.Provider
	diags    diagnostic.Diagnostics
}

// startOf is what makes another start necessary.
type startOf struct{ key, logLevel string }

func newStarts(lifetime context.Context, again func(reconcile.Request)) *starts {
	lifetime, end := context.WithCancel(lifetime)
	return &starts{
		lifetime: lifetime, end: end, again: again, turns: semaphore.NewWeighted(startsAtOnce), pending: map[types.UID]*start{},
		backoff: workqueue.NewTypedItemExponentialFailureRateLimiter[types.UID](minBackoff, maxBackoff),
	}
}

// take returns the start that has ended since it was asked for last; nil begins one, unless it is
// under way.
func (s *starts) take(uid types.UID, req reconcile.Request, what startOf, launcher provider.Launcher) *start {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x := s.pending[uid]; x != nil && x.what == what {
		if !x.ended {
			return nil
		}
		delete(s.pending, uid)
		return x
	}
	s.drop(uid)
	ctx, cancel := context.WithCancel(s.lifetime)
	x := &start{what: what, launcher: launcher, cancel: cancel}
	s.pending[uid] = x
	s.running.Go(func() {
		defer cancel()
		read, diags := s.read(ctx, launcher)
		s.mu.Lock()
		x.ended, x.schema, x.diags = true, read, diags
		current := s.pending[uid] == x
		s.mu.Unlock()
		if current {
			s.again(req)
		}
	})
	return nil
}

func (s *starts) read(ctx context.Context, launcher provider.Launcher) (*schema.Provider, diagnostic.Diagnostics) {
	if err := s.turns.Acquire(ctx, 1); err != nil {
		return nil, diagnostic.Errorf("The provider does not start", "%s.", err)
	}
	release := sync.OnceFunc(func() { s.turns.Release(1) })
	defer release()
	defer time.AfterFunc(startTurn, release).Stop()
	return readSchema(ctx, launcher)
}

// forget ends the start of a provider that is gone.
func (s *starts) forget(uid types.UID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(uid)
	s.drop(formerOf(uid))
	s.backoff.Forget(uid)
}

// drop ends a start that nobody wants any more. The mutex is held.
func (s *starts) drop(uid types.UID) {
	if x := s.pending[uid]; x != nil {
		x.cancel()
		delete(s.pending, uid)
	}
}

// Start implements manager.Runnable: the manager ends when all starts have ended.
func (s *starts) Start(ctx context.Context) error {
	<-ctx.Done()
	s.end()
	s.running.Wait()
	return nil
}

package terraformprovider

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/schema"
)

const (
	// startsAtOnce bounds how many providers start at once, since each takes processor time and memory.
	startsAtOnce = 4
	// startTurn is how long a start may block others. One that takes longer goes on beside them: most likely it
	// hangs and uses no resources.
	startTurn = 2 * time.Second
)

// starts starts providers to read their schemas. A caller does not wait for a start: it is reconciled again when
// the start has ended, so that a provider that hangs blocks nobody.
type starts struct {
	// lifetime is the context of all starts; end cancels it.
	lifetime context.Context
	end      context.CancelFunc
	// again reconciles a request for a start again.
	again func(reconcile.Request)

	turns   *semaphore.Weighted
	backoff workqueue.TypedRateLimiter[types.UID]
	running sync.WaitGroup

	mu      sync.Mutex
	pending map[types.UID]*start
}

// start is the start of one provider.
type start struct {
	what     startOf
	launcher provider.Launcher
	cancel   context.CancelFunc
	ended    bool
	schema   *schema.Provider
	diags    diagnostic.Diagnostics
}

// startOf identifies a start: another one is needed when it changes.
type startOf struct{ key, logLevel string }

func newStarts(lifetime context.Context, again func(reconcile.Request)) *starts {
	lifetime, end := context.WithCancel(lifetime)
	return &starts{
		lifetime: lifetime, end: end, again: again, turns: semaphore.NewWeighted(startsAtOnce), pending: map[types.UID]*start{},
		backoff: kinds.Backoff[types.UID](),
	}
}

// take returns the start if it has ended. Otherwise it returns nil, and begins the start unless it is running.
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
	return kinds.ReadSchema(ctx, launcher)
}

// forget cancels the starts of a provider that are not needed any more.
func (s *starts) forget(uid types.UID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(uid)
	s.drop(formerOf(uid))
	s.backoff.Forget(uid)
}

// drop cancels a start. The mutex must be held.
func (s *starts) drop(uid types.UID) {
	if x := s.pending[uid]; x != nil {
		x.cancel()
		delete(s.pending, uid)
	}
}

// Start implements manager.Runnable. It returns when all starts have ended.
func (s *starts) Start(ctx context.Context) error {
	<-ctx.Done()
	s.end()
	s.running.Wait()
	return nil
}

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
	// startsAtOnce bounds how many providers start at once, since each takes processor time and
	// memory.
	startsAtOnce = 4
	// startTurn is how long a start may block others. One that takes longer goes on beside them:
	// most likely it hangs and uses no resources.
	startTurn = 2 * time.Second
)

// starts starts providers to read their schemas, so that a provider that hangs does not block
// others.
type starts struct {
	*tasks[start]
	readSchema func(context.Context, provider.Launcher) (*schema.Provider, diagnostic.Diagnostics)
	turns      *semaphore.Weighted
	// failed delays the next start of a provider after one that failed.
	failed workqueue.TypedRateLimiter[types.UID]
}

// start is what was read of one provider.
type start struct {
	launcher provider.Launcher
	schema   *schema.Provider
	diags    diagnostic.Diagnostics
}

func newStarts(rt *kinds.Runtime, again func(reconcile.Request)) *starts {
	return &starts{
		tasks: newTasks[start](rt.Lifetime, again), readSchema: rt.ReadSchema,
		turns: semaphore.NewWeighted(startsAtOnce), failed: kinds.Backoff[types.UID](),
	}
}

// take returns the start if it has ended, and forgets it. Otherwise it returns nil, and begins the
// start unless it is running. Another one is needed when the launcher's key or the log level
// changes.
func (s *starts) take(key types.UID, req reconcile.Request, launcher provider.Launcher, logLevel string) *start {
	x := s.tasks.take(key, launcher.Key()+" "+logLevel, 0, req, func(ctx context.Context) (start, error) {
		read, diags := s.read(ctx, launcher)
		return start{launcher, read, diags}, nil
	})
	if x == nil {
		return nil
	}
	s.tasks.forget(key)
	return &x.value
}

func (s *starts) read(ctx context.Context, launcher provider.Launcher) (*schema.Provider, diagnostic.Diagnostics) {
	if err := s.turns.Acquire(ctx, 1); err != nil {
		return nil, diagnostic.Errorf("The provider does not start", "%s.", err)
	}
	release := sync.OnceFunc(func() { s.turns.Release(1) })
	defer release()
	defer time.AfterFunc(startTurn, release).Stop()
	return s.readSchema(ctx, launcher)
}

// forget cancels the starts of a provider that are not needed any more.
func (s *starts) forget(uid types.UID) {
	s.tasks.forget(uid)
	s.tasks.forget(formerOf(uid))
	s.failed.Forget(uid)
}

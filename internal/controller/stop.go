package controller

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/go-logr/logr"

	"github.com/landbridge-io/landbridge/internal/controller/action"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/scheduler"
)

// stopper stops the controllers in order. It is a part of the manager, which releases the lease
// afterwards: no other process starts to work while operations of this one are running.
type stopper struct {
	// reconcilers stops the controllers that the manager does not run itself.
	reconcilers context.CancelFunc
	operations  *scheduler.Scheduler
	runs        *action.Runs
	providers   *pool.Pool
	grace       time.Duration
	log         logr.Logger

	once sync.Once
	err  error
}

// Start implements manager.Runnable.
func (s *stopper) Start(ctx context.Context) error {
	<-ctx.Done()
	s.stop(ctx)
	return nil
}

// NeedLeaderElection implements manager.LeaderElectionRunnable. Without the lease there is nothing
// to stop.
func (s *stopper) NeedLeaderElection() bool { return true }

// stop stops the controllers once, and returns what failed.
func (s *stopper) stop(ctx context.Context) error {
	s.once.Do(func() {
		s.reconcilers()
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.grace)
		defer cancel()
		if n := s.operations.Running(); n > 0 {
			s.log.Info("Waiting for operations to end", "operations", n, "gracePeriod", s.grace.String())
		}
		// Closing the pool tells providers to stop, so that calls end early but with an answer, and
		// waits for them. The scheduler records the answers.
		closed := make(chan error, 1)
		go func() { closed <- s.providers.Close(grace) }()
		s.err = errors.Join(s.operations.Stop(grace), s.runs.Stop(grace), <-closed)
	})
	return s.err
}

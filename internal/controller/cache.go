package controller

import (
	"context"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/landbridge-io/landbridge/internal/provider/install"
)

const (
	// cacheSettles is how long after the start of the controllers all providers that are in use
	// were found once.
	cacheSettles = time.Hour
	cacheCleans  = 24 * time.Hour
)

// cacheCleaner removes what no provider has used for a time from the cache of providers.
type cacheCleaner struct {
	installer *install.Installer
	keep      time.Duration
	log       logr.Logger
}

// NeedLeaderElection implements manager.LeaderElectionRunnable. Only the leader finds providers.
func (c *cacheCleaner) NeedLeaderElection() bool { return true }

// Start implements manager.Runnable. A failure is only logged.
func (c *cacheCleaner) Start(ctx context.Context) error {
	if c.keep <= 0 {
		return nil
	}
	select {
	case <-ctx.Done():
		return nil
	case <-time.After(cacheSettles):
	}
	wait.UntilWithContext(ctx, c.clean, cacheCleans)
	return nil
}

func (c *cacheCleaner) clean(context.Context) {
	removed, err := c.installer.Clean(c.keep)
	if err != nil {
		c.log.Error(err, "Cannot remove all unused providers from the cache")
	}
	if len(removed) > 0 {
		c.log.Info("Removed unused providers from the cache", "files", removed)
	}
}

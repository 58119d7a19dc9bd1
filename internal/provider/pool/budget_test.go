package pool_test

import (
	"context"
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

// A server is not started while those in use leave no memory for it, and idle ones make room.
func TestMemoryOfAll(t *testing.T) {
	t.Parallel()
	// As much as one process uses.
	alone := newPool(t, pool.Options{})
	key, other := given(t)
	lease := acquire(t, alone, key)
	used := lease.Server().(provider.UsageReporter).Usage().ResidentBytes
	lease.Release()
	if used == 0 {
		t.Fatal("the memory of a process is not known")
	}

	p := newPool(t, pool.Options{MaxMemory: used})
	if got := p.MaxMemory(); got != used {
		t.Errorf("got %d", got)
	}
	lease = acquire(t, p, key)
	_, f := p.TryAcquire(t.Context(), other)
	if f == nil || f.Reason != pool.NoRoom || !strings.Contains(f.Error(), "MiB together") {
		t.Fatalf("got %v", f)
	}
	lease.Release()
	waittest.Eventually(t, "the other configuration has a server", func(context.Context) bool {
		l, _ := p.TryAcquire(t.Context(), other)
		if l != nil {
			l.Release()
		}
		return l != nil
	})
	waittest.Eventually(t, "the idle one has ended", func(context.Context) bool { return p.Stats().Servers == 1 })
	if s := p.Stats(); s.Evictions != 1 {
		t.Errorf("got %+v", s)
	}
}

package controller

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/shard"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// worker is what the controllers of one shard know of the division of work. It implements managed.Shards.
type worker struct {
	number    int
	placement *placement
	stored    func(store.Key) bool
	claiming  atomic.Int64
	// probes has the checks of the shard served, until the function is called that it returns.
	probes func([]check) (end func())
}

var _ managed.Shards = (*worker)(nil)

// leader is the shard whose holder does what is not of one shard.
const leader = 0

// Belong implements managed.Shards.
func (w *worker) Belong(names []string) managed.Belonging {
	table := w.placement.now()
	decides, placed, together := leader, 0, true
	for _, name := range names {
		p, ok := table.Of(name)
		if !ok {
			continue
		}
		if placed == 0 {
			decides = p.Shard
		}
		placed, together = placed+1, together && p.Shard == decides
	}
	switch {
	case decides != w.number:
		return managed.Elsewhere
	case placed < len(names) || !together:
		return managed.Unplaced
	}
	return managed.Here
}

// Place implements managed.Shards.
func (w *worker) Place(ctx context.Context, together []ownership.Access) error {
	return w.placement.change(ctx, func(t shard.Table) shard.Table {
		var given []shard.Configuration
		for _, a := range together {
			given = append(given, configurationOf(t, a))
		}
		return t.Join(w.placement.n, given...)
	})
}

// configurationOf returns what placement knows of a configuration. If its account is not known now, it is as before.
func configurationOf(t shard.Table, a ownership.Access) shard.Configuration {
	out := shard.Configuration{Name: a.Configuration, Account: accountOf(a.Account)}
	if a.Account == (ownership.Account{}) {
		out.Account = t.Configurations[a.Configuration].Account
	}
	return out
}

func accountOf(a ownership.Account) shard.Account {
	return shard.Account{Declared: a.Declared, Content: a.Content}
}

// Confirm implements managed.Shards. If an account has changed, that is stored before the configuration is used: it may be the
// account of a configuration in another shard.
func (w *worker) Confirm(ctx context.Context, a ownership.Access) error {
	holds := func(t shard.Table) bool {
		return t.Holds(w.number, a.Configuration, configurationOf(t, a).Account)
	}
	if holds(w.placement.now()) {
		return nil
	}
	err := w.placement.change(ctx, func(t shard.Table) shard.Table {
		if p, ok := t.Of(a.Configuration); !ok || p.Shard != w.number {
			return t
		}
		return t.Assign(w.placement.n, configurationOf(t, a))
	})
	if err == nil && !holds(w.placement.now()) {
		err = errors.New("the provider configuration moves to the replica with others of the same account")
	}
	return err
}

// Company implements managed.Shards.
func (w *worker) Company(names []string) []string {
	table := w.placement.now()
	out := slices.Clone(names)
	for name, p := range table.Configurations {
		if p.Shard == w.number && !slices.Contains(out, name) && slices.ContainsFunc(names, func(of string) bool {
			q := table.Configurations[of]
			return p.Content != "" && p.Content == q.Content || p.Declared != "" && p.Declared == q.Declared
		}) {
			out = append(out, name)
		}
	}
	return out
}

// Stored implements managed.Shards.
func (w *worker) Stored(k store.Key) bool { return w.stored(k) }

// Claiming implements managed.Shards.
func (w *worker) Claiming() (done func()) {
	w.claiming.Add(1)
	return func() { w.claiming.Add(-1) }
}

// Settled implements managed.Shards.
func (w *worker) Settled() bool { return w.claiming.Load() == 0 }

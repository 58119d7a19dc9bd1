package sharding

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

// Worker is what the controllers of one shard know of the division of work. It implements managed.Shards.
type Worker struct {
	// Number is that of the shard.
	Number    int
	Placement *Placement
	// Records reports whether the record of a resource belongs to the shard.
	Records func(store.Key) bool

	claiming atomic.Int64
}

var _ managed.Shards = (*Worker)(nil)

// Leader is the shard whose holder does what is not of one shard.
const Leader = 0

// Belong implements managed.Shards.
func (w *Worker) Belong(names []string) managed.Belonging {
	table := w.Placement.Now()
	decides, placed, together := Leader, 0, true
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
	case decides != w.Number:
		return managed.Elsewhere
	case placed < len(names) || !together:
		return managed.Unplaced
	}
	return managed.Here
}

// Place implements managed.Shards.
func (w *Worker) Place(ctx context.Context, together []ownership.Access) error {
	return w.Placement.change(ctx, func(t shard.Table) shard.Table {
		var given []shard.Configuration
		for _, a := range together {
			given = append(given, configurationOf(t, a))
		}
		return t.Join(w.Placement.Shards, given...)
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
func (w *Worker) Confirm(ctx context.Context, a ownership.Access) error {
	holds := func(t shard.Table) bool {
		return t.Holds(w.Number, a.Configuration, configurationOf(t, a).Account)
	}
	if holds(w.Placement.Now()) {
		return nil
	}
	err := w.Placement.change(ctx, func(t shard.Table) shard.Table {
		if p, ok := t.Of(a.Configuration); !ok || p.Shard != w.Number {
			return t
		}
		return t.Assign(w.Placement.Shards, configurationOf(t, a))
	})
	if err == nil && !holds(w.Placement.Now()) {
		err = errors.New("the provider configuration moves to the replica with others of the same account")
	}
	return err
}

// Company implements managed.Shards.
func (w *Worker) Company(names []string) []string {
	table := w.Placement.Now()
	out := slices.Clone(names)
	for name, p := range table.Configurations {
		if p.Shard == w.Number && !slices.Contains(out, name) && slices.ContainsFunc(names, func(of string) bool {
			q := table.Configurations[of]
			return p.Content != "" && p.Content == q.Content || p.Declared != "" && p.Declared == q.Declared
		}) {
			out = append(out, name)
		}
	}
	return out
}

// Stored implements managed.Shards.
func (w *Worker) Stored(k store.Key) bool { return w.Records(k) }

// Claiming implements managed.Shards.
func (w *Worker) Claiming() (done func()) {
	w.claiming.Add(1)
	return func() { w.claiming.Add(-1) }
}

// Settled implements managed.Shards.
func (w *Worker) Settled() bool { return w.claiming.Load() == 0 }

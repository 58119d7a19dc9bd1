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

// Worker is what the controllers of one shard know of the division of work. It implements
// managed.Shards.
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
func (w *Worker) Belong(use shard.Use) managed.Belonging {
	switch number, placed := w.Placement.Now().Belongs(use); {
	case number != w.Number:
		return managed.Elsewhere
	case !placed:
		return managed.Unplaced
	}
	return managed.Here
}

// Has implements managed.Shards.
func (w *Worker) Has(configuration, resourceType string) bool {
	number, ok := w.Placement.Now().Where(configuration, resourceType)
	return ok && number == w.Number
}

// Place implements managed.Shards.
func (w *Worker) Place(ctx context.Context, together []ownership.Access, types []string) error {
	return w.Placement.change(ctx, func(t shard.Table) shard.Table {
		var given []shard.Configuration
		for _, a := range together {
			c := configurationOf(t, a)
			c.Types = types
			given = append(given, c)
		}
		return t.Join(w.Placement.Shards, given...)
	})
}

// Divide implements managed.Shards.
func (w *Worker) Divide(ctx context.Context, configuration string, split bool) error {
	if p, ok := w.Placement.Now().Of(configuration); !ok || p.Split == split {
		return nil
	}
	return w.Placement.change(ctx, func(t shard.Table) shard.Table { return t.Divide(w.Placement.Shards, configuration, split) })
}

// configurationOf returns what placement knows of a configuration. If its account is not known now,
// it is as before.
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

// Confirm implements managed.Shards. If an account has changed, that is stored before the
// configuration is used: it may be the account of a configuration in another shard.
func (w *Worker) Confirm(ctx context.Context, a ownership.Access, resourceType string) error {
	holds := func(t shard.Table) bool {
		return t.Holds(w.Number, a.Configuration, resourceType, configurationOf(t, a).Account)
	}
	if holds(w.Placement.Now()) {
		return nil
	}
	err := w.Placement.change(ctx, func(t shard.Table) shard.Table {
		if number, ok := t.Where(a.Configuration, resourceType); !ok || number != w.Number {
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
func (w *Worker) Company(names []string, resourceType string) []string {
	table := w.Placement.Now()
	out := slices.Clone(names)
	for name, p := range table.Configurations {
		if number, ok := table.Where(name, resourceType); ok && number == w.Number && !slices.Contains(out, name) &&
			slices.ContainsFunc(names, func(of string) bool {
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

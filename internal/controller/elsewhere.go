package controller

import (
	"context"

	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/schema"
)

// elsewhere implements scheduler.Elsewhere.
type elsewhere struct {
	// records are those of all shards, of which nothing is remembered, and own is this one.
	records *store.Secrets
	own     store.Shard
	manages func(context.Context, store.Key) (bool, error)
}

var _ scheduler.Elsewhere = elsewhere{}

func (e elsewhere) Naming(ctx context.Context, n store.Named, some func([]store.Key)) error {
	return e.records.NamingElsewhere(ctx, e.own, n, some)
}

func (e elsewhere) Manages(ctx context.Context, k store.Key) (bool, error) { return e.manages(ctx, k) }

func (e elsewhere) Load(ctx context.Context, k store.Key, r *schema.Resource) (store.Record, error) {
	defer e.records.Forget(k)
	return e.records.Load(ctx, k, r)
}

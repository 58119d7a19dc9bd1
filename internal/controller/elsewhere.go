package controller

import (
	"context"

	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/schema"
)

// elsewhere implements scheduler.Elsewhere.
type elsewhere struct {
	// own are the records of the shard, and all those of any shard: nothing of them is remembered.
	own, all *store.Secrets
	manages  func(context.Context, store.Key) (bool, error)
}

var _ scheduler.Elsewhere = elsewhere{}

func (e elsewhere) Naming(ctx context.Context, objects []string, several bool) ([]store.Key, error) {
	return e.own.NamingElsewhere(ctx, objects, several)
}

func (e elsewhere) Manages(ctx context.Context, k store.Key) (bool, error) { return e.manages(ctx, k) }

func (e elsewhere) Load(ctx context.Context, k store.Key, r *schema.Resource) (store.Record, error) {
	defer e.all.Forget(k)
	return e.all.Load(ctx, k, r)
}

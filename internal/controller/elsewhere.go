package controller

import (
	"context"

	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/schema"
)

// elsewhere implements scheduler.Elsewhere.
type elsewhere struct {
	served
	// records are those of all shards, of which nothing is remembered, and own is this one.
	records *store.Secrets
	own     store.Shard
}

var _ scheduler.Elsewhere = elsewhere{}

// served are the kinds that controllers run for, in every shard.
type served interface {
	Having(resourceType string) []runtimeschema.GroupKind
	ObjectsOf(k store.Key) (*schema.Resource, scheduler.Consists)
	Manages(ctx context.Context, k store.Key) (bool, error)
}

func (e elsewhere) Naming(ctx context.Context, n store.Named, some func([]store.Key)) error {
	return e.records.NamingElsewhere(ctx, e.own, n, some)
}

func (e elsewhere) Load(ctx context.Context, k store.Key, r *schema.Resource) (store.Record, error) {
	defer e.records.Forget(k)
	return e.records.Load(ctx, k, r)
}

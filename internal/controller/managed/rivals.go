package managed

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

const (
	// manyRivals is the number of records from which a write waits until all of the kind are
	// loaded.
	manyRivals = 8
	// manySought is the number of writes for which rivals are sought after a start. Each costs the
	// API server some milliseconds for thousands of records; with more changes, nothing is gained
	// over loading all.
	manySought = 64
)

// mayWrite returns when the remote objects are claimed of all resources of the kind, or of those
// that may have one of this resource, and of all modules. A module waits for all kinds.
func (e *external) mayWrite(ctx context.Context) error {
	others := e.kind.Neighbours.ModulesClaimed
	if e.kind.HasObjectsOfAnyType() {
		others = e.kind.Neighbours.Claimed
	}
	if !(e.kind.isClaimed() || e.rivalsClaimed(ctx) || awaited(ctx, e.kind.claimed)) || !awaited(ctx, others()) {
		return errors.New("the objects that other resources manage are not known yet")
	}
	return nil
}

// rivalsClaimed claims the objects of the resources whose records may name an object of this one,
// and reports whether all are claimed.
func (e *external) rivalsClaimed(ctx context.Context) bool {
	k := e.kind
	if k.Options.Naming == nil {
		return false
	}
	of, ok := k.Scheduler.Sought(e.request)
	switch {
	case !ok:
		return false
	case len(of.Objects) == 0:
		return true
	case k.sought.Add(1) > manySought:
		return false
	}
	keys, few, err := k.Options.Naming(ctx, k.Model.GroupVersionKind().GroupKind(), of, manyRivals)
	for _, key := range keys {
		if err == nil && few && key != e.request.Key {
			err = e.claimRival(ctx, key)
		}
	}
	if err != nil {
		k.Options.Logger.V(1).Info("Cannot determine which resources may have an object, waiting for all", "resource",
			e.request.Key, "reason", err.Error())
	}
	return err == nil && few
}

// claimRival claims the objects of another resource of the kind, if that exists.
func (e *external) claimRival(ctx context.Context, key store.Key) error {
	u, err := e.kind.get(ctx, e.kind.live, types.NamespacedName{Namespace: key.Namespace, Name: key.Name})
	if err != nil {
		return client.IgnoreNotFound(err)
	}
	return e.claim(ctx, u)
}

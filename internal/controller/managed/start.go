package managed

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/landbridge-io/landbridge/internal/controller/informer"
	"github.com/landbridge-io/landbridge/internal/controller/turns"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// Start runs the controller of the kind until ctx ends. It calls queued when resources can be
// woken, and returns when the existing resources are in the cache. The kind's CRD must be served.
func (k *Kind) Start(ctx context.Context, m manager.Manager, queued func()) error {
	r := NewReconciler(k, m.GetClient(), m.GetAPIReader())
	k.lifetime = ctx
	k.turns.Begin()
	k.tracked.start()
	gvk := k.Model.GroupVersionKind()
	ctl, err := Controller{Name: "managed", Kind: gvk, Reconciler: r, Turns: k.turns, Options: k.Options}.Start(ctx, m, queued)
	if err != nil {
		return err
	}
	obj := &unstructured.Unstructured{}
	obj.SetGroupVersionKind(gvk)
	early := informer.Early{Found: k.turns.Found}
	if k.Options.Since != nil {
		early.Since = k.Options.Since()
	}
	err = informer.Start(ctx, m.GetCache(), obj, early, k.Options.Logger)
	k.turns.CacheFilled()
	resources := source.Kind(informer.Only(m.GetCache()), obj, k.turns.Handler(), r.Changed())
	if err == nil {
		err = ctl.Watch(resources)
	}
	if err != nil {
		return fmt.Errorf("cannot watch %s: %w", gvk.Kind, err)
	}
	go r.claimAll(ctx, resources.WaitForSync)
	return nil
}

// claimAll claims the remote objects of all resources of the kind from the stored instances, as
// soon as listed returns: then the controller has received all of them, and knows their references.
// No remote object is changed before: a resource that is reconciled first must not change an object
// that belongs to a later one. Instances stay loaded.
func (r *Reconciler) claimAll(ctx context.Context, listed func(context.Context) error) {
	k := r.kind
	err := listed(ctx)
	if ctx.Err() != nil {
		return // the kind is stopped
	}
	if err != nil {
		k.Options.Logger.Error(err, "Cannot determine which objects resources manage. They are not changed until "+
			"the controller is restarted", "kind", k.Model.Kind)
		return
	}
	waiting := map[store.Key]bool{}
	for _, name := range k.tracked.unclaimed() {
		waiting[k.keyOf(name)] = true
	}
	close(k.listed)
	if k.Options.Shards != nil {
		maps.DeleteFunc(waiting, func(key store.Key, _ bool) bool {
			u, err := k.get(ctx, k.reader, types.NamespacedName{Namespace: key.Namespace, Name: key.Name})
			return err == nil && !k.ClaimsHere(u)
		})
	}
	postponed := time.AfterFunc(turns.Postponement, k.turns.RecordsListed)
	defer postponed.Stop()
	r.claimListed(ctx, waiting)
	k.turns.RecordsListed()
	var group errgroup.Group
	group.SetLimit(max(1, k.Options.Workers))
	for key := range waiting {
		group.Go(func() error {
			backoff := wait.Backoff{Duration: 100 * time.Millisecond, Factor: 2, Steps: 10, Cap: 10 * time.Second}
			return backoff.DelayFunc().Until(ctx, true, false, func(ctx context.Context) (bool, error) {
				err := r.claimCached(ctx, key)
				if err != nil {
					k.Options.Logger.Error(err, "Cannot determine which object a resource manages, trying again", "resource", key)
				}
				return err == nil, nil
			})
		})
	}
	if group.Wait() == nil {
		r.Claimed()
	}
}

// manyRecords is the number of records from which they are listed: one request for a hundred of
// them costs less than one request for each.
const manyRecords = 32

// claimListed claims the objects of resources whose records are found by listing those of the kind.
// Those that are left in waiting have to be loaded one by one.
func (r *Reconciler) claimListed(ctx context.Context, waiting map[store.Key]bool) {
	k := r.kind
	if len(waiting) < manyRecords || k.Options.EachStored == nil {
		return
	}
	err := k.Options.EachStored(ctx, k.Model.GroupVersionKind().GroupKind(), func(keys []store.Key) {
		failed := make([]bool, len(keys))
		var group errgroup.Group
		group.SetLimit(runtime.GOMAXPROCS(0))
		for i, key := range keys {
			if waiting[key] {
				group.Go(func() error {
					failed[i] = r.claimCached(ctx, key) != nil
					return nil
				})
			}
		}
		_ = group.Wait() // failures are counted in failed
		for i, key := range keys {
			if !failed[i] {
				delete(waiting, key)
			}
		}
	})
	if err != nil && ctx.Err() == nil {
		k.Options.Logger.Error(err, "Cannot list the stored instances of a kind, loading them one by one", "kind", k.Model.Kind)
	}
}

// claimCached claims the remote objects of a resource as the cache has it now.
func (r *Reconciler) claimCached(ctx context.Context, key store.Key) error {
	u, err := r.kind.get(ctx, r.kind.reader, types.NamespacedName{Namespace: key.Namespace, Name: key.Name})
	if kerrors.IsNotFound(err) || err == nil && !r.kind.ClaimsHere(u) {
		return nil
	}
	if err != nil {
		return err
	}
	return r.Claim(ctx, u)
}

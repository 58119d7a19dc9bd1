package managed

import (
	"context"
	"errors"
	"unique"

	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/controller/shard"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Most looks find a resource at rest, of which nothing has changed. Such a look needs little of the
// custom resource, which is kept beside its version until another version is received or written.
// So it is not unpacked, and no request is made of it.

// noteRest notes what looks at a resource need that was found at rest at a version, unless they
// need more than rested. It records nothing if an event has arrived since the resource was read,
// which may be one of the resource.
func (k *Kind) noteRest(r *CustomResource, version string, events uint64) {
	of := subjectOf(r)
	known := k.tracked.get(of).configuration
	_, moves := moveSource(&r.Unstructured, k.key(&r.Unstructured))
	if known == nil || len(known.secrets) > 0 || moves || k.HasObjectsOfAnyType() {
		return
	}
	needs := rested{interval: ownInterval(r)}
	if ref := r.GetProviderConfigReference(); ref != nil {
		needs.configuration, needs.configured = *ref, true
	}
	handle := unique.Make(needs)
	k.tracked.update(of, func(x tracked) tracked {
		if x.status.is(scheduler.Rested, version) && k.tracked.events.Load() == events {
			x.status.rested = handle
		}
		return x
	})
}

// stillAtRest looks at a resource at rest, and reports whether it still is. An error is left for
// the reconcile.
func (k *Kind) stillAtRest(ctx context.Context, of subject, s writtenStatus, a *attempt) bool {
	needs := s.rested.Value()
	ref := needs.reference()
	ctx, cancel := context.WithTimeout(ctx, k.Options.Timeout)
	defer cancel()
	handle := k.ProviderConfigs.Resolve(ctx, ref, of.name.Namespace)
	if handle.Diagnostics.HasErrors() {
		return false
	}
	at := scheduler.Look{Key: k.keyOf(of.name), UID: of.uid, Type: terraform.ResourceType{Schema: k.Model.Schema}, Handles: k.handles}
	through(&at.Access, handle)
	if k.Options.Shards != nil {
		use := shard.Use{Configurations: k.namesOf(ref, nil, of.name.Namespace), Types: []string{k.objectType()}}
		if k.mayUse(ctx, use, at.Access).HasErrors() {
			return false
		}
	}
	err := k.Scheduler.Look(ctx, at)
	switch {
	case err == nil:
		k.tracked.over(of.name)
		return true
	case !errors.Is(err, scheduler.ErrNotAtRest):
		if known := k.tracked.get(of).configuration; known != nil {
			a.look = &look{of: of, version: s.version, configHash: known.hash, err: err}
		}
	}
	return false
}

// disturb has a resource at rest read with the next look.
func (k *Kind) disturb(key store.Key) {
	k.tracked.changed(types.NamespacedName{Namespace: key.Namespace, Name: key.Name}, "")
}

// rest notes that a resource whose status is of a version is at rest, and remembers no more of it
// than that. It is called with resources that were found unchanged.
func (k *Kind) rest(of subject, version string, r scheduler.Request) {
	if r.Resting || version == "" || !k.Scheduler.Rest(r) {
		return
	}
	k.tracked.update(of, func(x tracked) tracked {
		if x.status.version == version {
			x.status.observation = scheduler.Rested
		}
		return x
	})
}

// restReconciled reports whether a resource that was just reconciled is steady. If so, and if its
// status was made from the observation, it is at rest.
func (k *Kind) restReconciled(a *attempt) (steady bool) {
	r := a.resource
	if r == nil || r.requested || !r.observation.Steady() {
		return false
	}
	if a.request != nil && r.read != nil && k.tracked.same(r, r.observation) && !published(r) {
		of, written := subjectOf(r), *a.request
		written.Version = r.read.GetResourceVersion() // the one that a later process finds
		k.mark(of, written.Version, r.observation, k.tracked.get(of).status, written)
		k.rest(of, written.Version, written)
		k.tracked.shrink(of)
	}
	return true
}

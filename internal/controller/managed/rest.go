package managed

import (
	"unique"

	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/trigger"
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

// disturb has a resource at rest read with the next look.
func (k *Kind) disturb(key store.Key) {
	k.tracked.changed(types.NamespacedName{Namespace: key.Namespace, Name: key.Name}, "")
}

// rest notes that a resource, as it is at a version, was found unchanged by an observation, and is
// therefore at rest if the scheduler lets it. Of the resource nothing more is remembered then than
// that.
func (k *Kind) rest(of subject, version string, o *scheduler.Observation, r scheduler.Request) {
	before := k.tracked.get(of).status
	k.mark(of, version, o, before, r)
	if !r.Resting && before.version != "" && k.Scheduler.Rest(r) {
		k.tracked.update(of, func(x tracked) tracked {
			if x.status.version == before.version {
				x.status.observation = scheduler.Rested
			}
			return x
		})
	}
	k.tracked.shrink(of)
}

// restReconciled reports whether a resource that was just reconciled is steady. If so, and if its
// status was made from the observation, it is at rest.
func (r *Reconciler) restReconciled(mg *CustomResource) (steady bool) {
	if mg.requested || !mg.observation.Steady() || trigger.Open(&mg.Unstructured) {
		return false
	}
	if mg.request != nil && r.kind.tracked.same(mg, mg.observation) && !published(mg) {
		written := *mg.request
		written.Version = mg.read.GetResourceVersion() // the one that a later process finds
		r.kind.rest(subjectOf(mg), written.Version, mg.observation, written)
	}
	return true
}

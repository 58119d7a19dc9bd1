package managed

import (
	"time"
	"unique"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/scheduler"
)

// writtenStatus is from which observation, and at which resource version, the status of a resource
// was made. While both are unchanged, the status is not computed again.
type writtenStatus struct {
	observation *scheduler.Observation
	version     string
	// mark is that of the resource, if it was found unchanged since.
	mark scheduler.Mark
	// rested is set if a look at the resource, which is at rest, needs nothing else of it.
	rested unique.Handle[rested]
}

// is reports whether the status was made from an observation, and is that of a version of the
// resource.
func (s writtenStatus) is(o *scheduler.Observation, version string) bool {
	return s.observation == o && s.version == version
}

// same reports whether the status of the resource, as read, was made from the observation.
func (t *resources) same(r *CustomResource, o *scheduler.Observation) bool {
	return r.read != nil && t.get(subjectOf(r)).status.is(o, r.read.GetResourceVersion())
}

// note is called when the status is written or unchanged.
func (t *resources) note(r *CustomResource) {
	if r.observation == nil {
		return
	}
	now := writtenStatus{observation: r.observation, version: r.read.GetResourceVersion()}
	t.update(subjectOf(r), func(x tracked) tracked {
		if !x.status.is(now.observation, now.version) { // else it stays with its mark
			x.status = now
		}
		return x
	})
}

// last returns the observation that the status was made from; an empty one if that is not known.
func (t *resources) last(of subject) *scheduler.Observation {
	if o := t.get(of).status.observation; o != nil {
		return o
	}
	return &scheduler.Observation{}
}

// leaveRest notes an observation of a resource that was at rest: messages are redacted by the
// values of its object.
func (t *resources) leaveRest(of subject, o *scheduler.Observation) {
	if o == scheduler.Rested {
		return
	}
	t.update(of, func(x tracked) tracked {
		if x.status.observation == scheduler.Rested {
			x.status = writtenStatus{observation: o}
		}
		return x
	})
}

// rested is what a look at a resource at rest needs of the custom resource. It is the same value
// for many resources.
type rested struct {
	// configuration is that of spec.providerConfigRef; configured is false if there is none.
	configuration xpv2.ProviderConfigReference
	configured    bool
	// interval is that of the annotation of the poll interval; 0 if there is none.
	interval time.Duration
}

// reference returns spec.providerConfigRef; nil if there is none.
func (t rested) reference() *xpv2.ProviderConfigReference {
	if !t.configured {
		return nil
	}
	return &t.configuration
}

// atRest returns the resource with a name, if a look needs no more of it than its status of rested;
// ok is false otherwise.
func (t *resources) atRest(name types.NamespacedName) (of subject, s writtenStatus, ok bool) {
	of, x := t.named(name)
	return of, x.status, x.status.rested != unique.Handle[rested]{}
}

// changed is called with each version of a resource that is received or written, and with none if
// the resource is gone.
func (t *resources) changed(name types.NamespacedName, version string) {
	t.events.Add(1)
	t.revise(name, func(x tracked) tracked {
		if x.status.version != version {
			x.status.rested = unique.Handle[rested]{}
		}
		return x
	})
}

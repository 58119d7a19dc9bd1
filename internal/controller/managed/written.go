package managed

import (
	"unique"

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

// awake notes an observation of a resource that was at rest: messages are redacted by the values of
// its object.
func (t *resources) awake(of subject, o *scheduler.Observation) {
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

// known returns the observation by whose values messages about a resource are redacted.
func (k *Kind) known(r *CustomResource) *scheduler.Observation {
	o := k.tracked.last(subjectOf(r))
	if o == scheduler.Rested {
		o = &scheduler.Observation{Instance: k.Scheduler.Recall(k.key(&r.Unstructured), r.GetUID())}
	}
	return o
}

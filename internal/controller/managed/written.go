package managed

import (
	"sync/atomic"
	"unique"

	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/scheduler"
)

// written records from which observation, and at which resource version, the status of each
// resource was made. While both are unchanged, the status is not computed again.
type written struct {
	memo memo[writtenStatus]
	// events is the number of events of resources.
	events atomic.Uint64
}

type writtenStatus struct {
	observation *scheduler.Observation
	version     string
	// mark is that of the resource, if it was found unchanged since.
	mark scheduler.Mark
	// rested is set if a look at the resource, which is at rest, needs nothing else of it.
	rested unique.Handle[rested]
}

// is reports whether the status was made from an observation, and is that of a version of the resource.
func (s writtenStatus) is(o *scheduler.Observation, version string) bool {
	return s.observation == o && s.version == version
}

func newWritten() *written { return &written{} }

// same reports whether the status of the resource, as read, was made from the observation.
func (w *written) same(r *CustomResource, o *scheduler.Observation) bool {
	return r.read != nil && w.memo.get(subjectOf(r)).is(o, r.read.GetResourceVersion())
}

// note is called when the status is written or unchanged.
func (w *written) note(r *CustomResource) {
	if r.observation == nil {
		return
	}
	now := writtenStatus{observation: r.observation, version: r.read.GetResourceVersion()}
	w.memo.update(subjectOf(r), func(before writtenStatus) writtenStatus {
		if before.is(now.observation, now.version) {
			return before // with its mark
		}
		return now
	})
}

// last returns the observation that the status was made from; an empty one if that is not known.
func (w *written) last(of subject) *scheduler.Observation {
	if o := w.memo.get(of).observation; o != nil {
		return o
	}
	return &scheduler.Observation{}
}

// awake notes an observation of a resource that was at rest: messages are redacted by the values of its object.
func (w *written) awake(of subject, o *scheduler.Observation) {
	if o == scheduler.Rested {
		return
	}
	w.memo.update(of, func(before writtenStatus) writtenStatus {
		if before.observation == scheduler.Rested {
			return writtenStatus{observation: o}
		}
		return before
	})
}

// known returns the observation by whose values messages about a resource are redacted.
func (k *Kind) known(r *CustomResource) *scheduler.Observation {
	o := k.written.last(subjectOf(r))
	if o == scheduler.Rested {
		o = &scheduler.Observation{Instance: k.Scheduler.Recall(k.key(&r.Unstructured), r.GetUID())}
	}
	return o
}

func (w *written) forget(name types.NamespacedName) { w.memo.forget(name) }

package managed

import (
	"github.com/landbridge-io/landbridge/internal/scheduler"
)

// mark notes that a resource, as it is at a version, was found unchanged. before is what is known
// of its status.
func (k *Kind) mark(of subject, version string, o *scheduler.Observation, before writtenStatus, request scheduler.Request) {
	if before.mark != (scheduler.Mark{}) {
		return
	}
	m, ok := k.Scheduler.Mark(request)
	if ok || o.Resumed {
		k.tracked.update(of, func(x tracked) tracked {
			x.status = writtenStatus{observation: o, version: version, mark: m}
			return x
		})
	}
}

// markReconciled notes that a resource whose reconciles always go on is unchanged since its status
// was written.
func (e *external) markReconciled(r *CustomResource, o *scheduler.Observation) {
	before, version := e.kind.tracked.get(subjectOf(r)).status, r.GetResourceVersion()
	same := before.is(o, version) || before.observation == nil && o.Resumed
	if same && published(r) && reconciled(r) && o.Steady() {
		e.kind.mark(subjectOf(r), version, o, before, e.request)
	}
}

// Marks calls a function with the marks of the resources that were found unchanged since their
// status was written.
func (k *Kind) Marks(yield func(scheduler.Mark)) {
	k.tracked.each(func(x tracked) {
		if x.status.mark != (scheduler.Mark{}) {
			yield(x.status.mark)
		}
	})
}

package scheduler

import (
	"context"
	"reflect"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/keyed"
)

// changeOf identifies a change by all that its plan is made from. It is keyed, since the arguments
// may be secret.
func (s *Scheduler) changeOf(r *Request, in instance.Instance) string {
	h := keyed.New(s.o.PlanKey)
	h.Text("change", string(r.UID), r.Type.Schema.Type, r.Release)
	h.Configurations(r.Configurations)
	h.Value(r.Configuration().Value)
	h.Instance(in)
	return h.String()
}

// plannedPrivate returns the private bytes of the same change's plan, which waits for approval; nil
// without one.
func (s *Scheduler) plannedPrivate(r *Request, in instance.Instance) []byte {
	if in.Waiting == nil || in.Waiting.Change != s.changeOf(r, in) {
		return nil
	}
	return in.Waiting.Private
}

// noteWaiting stores what has to be kept of a plan that waits for approval. A value that the
// provider has generated is then the same when the plan is made again, also by another process.
func (s *Scheduler) noteWaiting(ctx context.Context, e *entry, r *Request, o *Observation) error {
	in := e.record.Instance
	var waiting *instance.Waiting
	if o.Plan != nil && len(o.Plan.Again) > 0 && o.NeedsApproval(r.Policies) {
		waiting = &instance.Waiting{Change: s.changeOf(r, in), Private: o.Plan.Again}
	}
	if reflect.DeepEqual(in.Waiting, waiting) {
		return nil
	}
	in.Waiting = waiting
	return s.save(ctx, e, *r, in)
}

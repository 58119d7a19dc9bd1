package terraform

import (
	"context"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
)

// Journaled is an Executor whose Apply makes more than one change. What it has begun and what was
// answered is recorded while it goes on, so that an interruption leaves nothing in doubt that is known.
type Journaled interface {
	Executor
	// ApplyJournaled is Apply. record stores all that is to be known of the operation, in the place of
	// what it stored before; before each change, and after its answer. A change of which it could not be
	// stored that it is about to begin is not begun. When OutcomeUnknown is true of the diagnostics, the
	// last record is to be kept, and Recover to be called with it.
	ApplyJournaled(ctx context.Context, p Plan, record func(journal []byte) error) (instance.Instance, diagnostic.Diagnostics)
	// Recover is what became of an operation that was interrupted. in is the instance as it was before.
	// confirmed says that the user has made sure that what nothing tells of does not exist. With errors
	// that is not known, and nothing is to be stored.
	Recover(ctx context.Context, r ResourceType, in instance.Instance, op *instance.Operation, confirmed bool) (instance.Instance, diagnostic.Diagnostics)
}

// Contained is what a plan does to one of the resources that the object consists of.
type Contained struct {
	// Address is Terraform's within the object, such as aws_subnet.private[0].
	Address string
	Action  Action
	Reason  Reason
}

// Destroys are the addresses of those of the contained resources that the plan destroys, or replaces.
func (p Plan) Destroys() []string {
	var out []string
	for _, c := range p.Contained {
		if c.Action == Delete || c.Action.IsReplace() {
			out = append(out, c.Address)
		}
	}
	return out
}

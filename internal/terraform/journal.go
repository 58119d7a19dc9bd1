package terraform

import (
	"context"
	"time"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
)

// Journaled is an Executor whose Apply makes more than one change. It records the changes that have
// begun and their answers while it runs, so that they are known after an interruption.
type Journaled interface {
	Executor
	// ApplyJournaled is Apply. It calls record before each change and after its answer, with the whole
	// journal, which replaces the earlier one. If the record before a change fails, the change does not
	// begin. If OutcomeUnknown is true of the diagnostics, keep the last record and call Recover with it.
	ApplyJournaled(ctx context.Context, p Plan, record func(journal []byte) error) (instance.Instance, diagnostic.Diagnostics)
	// Recover returns the instance after an operation that was interrupted. in is the instance from before
	// it. confirmed is set when the user has confirmed that objects of unknown outcome do not exist. Objects that
	// are not found may appear until the operation's deadline. With errors the outcome is unknown, and nothing
	// must be stored.
	Recover(ctx context.Context, r ResourceType, in instance.Instance, op *instance.Operation, confirmed bool, now time.Time) (instance.Instance, diagnostic.Diagnostics)
}

// Contained is the planned change of one of the resources that the object consists of.
type Contained struct {
	// Address is the Terraform address within the object, such as aws_subnet.private[0].
	Address string
	Action  Action
	Reason  Reason
}

// Destroys returns the addresses of the contained resources that the plan destroys or replaces.
func (p Plan) Destroys() []string {
	var out []string
	for _, c := range p.Contained {
		if c.Action == Delete || c.Action.IsReplace() {
			out = append(out, c.Address)
		}
	}
	return out
}

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
	// ApplyJournaled is Apply. It calls record before each change and after its answer, with the
	// whole journal, which replaces the earlier one. If the record before a change fails, the
	// change does not begin. If OutcomeUnknown is true of the diagnostics, keep the last record and
	// call Recover with it.
	ApplyJournaled(ctx context.Context, p Plan, record func(journal []byte) error) (instance.Instance, diagnostic.Diagnostics)
	// Recover returns the instance after an operation that was interrupted. in is the instance from
	// before it. confirmed is set when the user has confirmed that objects of unknown outcome do
	// not exist. Objects that are not found may appear until the operation's deadline. With errors
	// the outcome is unknown, and nothing must be stored.
	Recover(
		ctx context.Context, r ResourceType, in instance.Instance, op *instance.Operation,
		confirmed bool, now time.Time,
	) (instance.Instance, diagnostic.Diagnostics)
	// Changed returns the addresses of the contained resources that were created or updated without
	// an error, as a journal shows.
	Changed(journal []byte) []string
	// Left returns what Contained.Prior is for the contained resources of an instance, by address.
	Left(in instance.Instance) map[string]map[string]string
}

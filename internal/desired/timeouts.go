package desired

import (
	"time"

	"github.com/landbridge-io/landbridge/internal/instance"
)

// Timeouts bound operations, without the time that they wait for their turn. 0 means that the
// duration is not specified.
type Timeouts struct{ Create, Update, Delete time.Duration }

// Of returns the timeout of operations of a kind.
func (t Timeouts) Of(kind instance.OperationKind) time.Duration {
	switch kind {
	case instance.Create:
		return t.Create
	case instance.Update:
		return t.Update
	default:
		return t.Delete
	}
}

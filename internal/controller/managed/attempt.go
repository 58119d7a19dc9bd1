package managed

import (
	"context"
	"time"

	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/scheduler"
)

// attempt carries the results of one reconcile to the reconciler around managed.Reconciler, which
// itself can only requeue at once or after the poll interval.
type attempt struct {
	resource *CustomResource
	// visit records the outcome of acquiring a provider.
	visit providerconfig.Visit
	// retryAt is when a failed operation may be retried, or a provider becomes available.
	retryAt time.Time
	// comeBack is set when non-urgent work is left.
	comeBack bool
	// look is an observation that was made already.
	look *look
	// events is the number of events that were heard before the resource was read.
	events uint64
	// request is that of the last observation.
	request *scheduler.Request
}

type attemptKey struct{}

func attemptFrom(ctx context.Context) *attempt {
	a, _ := ctx.Value(attemptKey{}).(*attempt)
	return a
}

// look is an observation of a resource that was made before managed.Reconciler is asked to
// reconcile the resource.
type look struct {
	of          subject
	version     string
	configHash  string
	observation *scheduler.Observation
	err         error
}

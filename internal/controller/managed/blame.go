package managed

import (
	"time"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/scheduler"
)

// soon is what is not worth a time of day, which would make another message of each try.
const soon = 15 * time.Second

// blame finds out whether a look failed because of what its whole provider configuration suffers
// from. Then that says when to come back, for all its resources, and the message gets the
// returned sentence. What passes within seconds is not told at all.
func (a *attempt) blame(r *CustomResource, troubles *troubles, se *scheduler.Error) string {
	f := a.visit.Refused()
	switch {
	case f != nil:
	case se.Reason == scheduler.ReasonReadFailed, se.Reason == scheduler.ReasonImportFailed, se.Reason == scheduler.ReasonInvalidConfiguration:
		if f = a.visit.Trouble(); f != nil && f.Reason != pool.Throttled {
			// Of what the call was told, and of what is told from now on, one is enough.
			a.retryAt = f.RetryAt
			return ""
		}
	}
	if f == nil || f.RetryAt.IsZero() {
		return ""
	}
	a.retryAt = f.RetryAt
	r.reason = v1alpha1.ReasonProviderUnavailable
	if f.Reason == pool.Throttled {
		r.reason = v1alpha1.ReasonProviderThrottled
	}
	if a.visit.Refused() == nil {
		return "" // it was the first to notice, and has more to say
	}
	r.holdStatus = f.Passing
	r.told = r.told || f.Passing || troubles.old(r.GetUID()) // not again whenever it was tried in vain
	switch {
	case f.Reason == pool.Throttled:
		return ""
	case f.RetryAfter() < soon:
		return "\nIt is tried again within seconds."
	default:
		return "\nIt is tried again at " + f.RetryAt.UTC().Format(time.RFC3339) + "."
	}
}

package managed

import (
	"time"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
)

// Delays below soon are reported as "within seconds": a time would make each attempt's message
// differ.
const soon = 15 * time.Second

// ofConfiguration checks whether an observation failed because of its provider configuration. If
// so, the provider configuration decides when all its resources are reconciled again, and the
// returned sentence is added to the message. Problems that pass within seconds are not reported.
// told is set if there was an event for the failure.
func (r *CustomResource) ofConfiguration(told bool, se *scheduler.Error) string {
	f := r.visit.Refused()
	switch {
	case f != nil:
	case se.Reason == decision.ReasonReadFailed, se.Reason == decision.ReasonImportFailed, se.Reason == decision.ReasonInvalidConfiguration:
		if f = r.visit.Trouble(); f != nil && f.Reason != pool.Throttled {
			// The error of the call is enough; later attempts report the configuration's.
			r.lookAt = f.RetryAt
			if f.OfResource {
				r.reason = v1alpha1.ReasonProviderCrashes
				return "\n" + f.Diagnostics[0].Detail + "\n" + crd.NextAttempt(f.RetryAt)
			}
			return ""
		}
	}
	if f == nil || f.RetryAt.IsZero() {
		return ""
	}
	r.lookAt = f.RetryAt
	r.reason = providerconfig.ReasonOf(f)
	if r.visit.Refused() == nil {
		return "" // this call found the problem: its error has more details
	}
	r.holdStatus = f.Passing
	r.told = r.told || f.Passing || told // not again for each failed attempt
	switch {
	case f.Reason == pool.Throttled:
		return ""
	case f.RetryAfter() < soon:
		return "\nThe next attempt is within seconds."
	default:
		return "\n" + crd.NextAttempt(f.RetryAt)
	}
}

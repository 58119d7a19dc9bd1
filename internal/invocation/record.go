package invocation

import (
	"time"

	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Phase is how far an invocation is.
type Phase string

// The phases. The last three are final, except that a failed invocation may be repeated.
const (
	Pending          Phase = "Pending"
	AwaitingApproval Phase = "AwaitingApproval"
	Running          Phase = "Running"
	Succeeded        Phase = "Succeeded"
	Failed           Phase = "Failed"
	Unknown          Phase = "Unknown"
)

// Final reports whether nothing more is invoked without a retry.
func (p Phase) Final() bool { return p == Succeeded || p == Failed || p == Unknown }

// Record is what is stored of an invocation. The zero value is that of a new object.
type Record struct {
	Phase Phase `json:"phase,omitempty"`
	// Attempts is how many times the action was requested of the provider, or may have been.
	Attempts int `json:"attempts,omitempty"`
	// Started is when the last attempt began.
	Started time.Time `json:"started,omitzero"`
	// Ended is when the last attempt ended, or was found interrupted.
	Ended time.Time `json:"ended,omitzero"`
}

// begin returns the record of an attempt that is about to be requested.
func (r Record) begin(now time.Time) Record {
	return Record{Phase: Running, Attempts: r.Attempts + 1, Started: now}
}

// End returns the record after the attempt that it says is running.
func (r Record) End(outcome terraform.ActionOutcome, now time.Time) Record {
	out := r
	out.Ended = now
	switch outcome {
	case terraform.ActionSucceeded:
		out.Phase = Succeeded
	case terraform.ActionFailed:
		out.Phase = Failed
	case terraform.ActionNotInvoked:
		out = Record{Phase: Pending, Attempts: r.Attempts - 1}
	default:
		out.Phase = Unknown
	}
	return out
}

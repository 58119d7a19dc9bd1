package scheduler

import (
	"time"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
)

// failure delays the next attempt of an operation.
type failure struct {
	count    int
	hash     string // of the configuration that failed
	policies desired.Policies
	approve  string // the approval that was given
	reapply  string // the last request to set arguments again
	retryAt  time.Time
	reason   Reason
	diags    diagnostic.Diagnostics
}

// of reports whether the same was asked for when the operation failed.
func (f *failure) of(r Request) bool {
	return f.hash == r.ConfigHash && f.policies == r.Policies && f.approve == r.Asked.Approve && f.reapply == r.Asked.Reapply
}

// backoff returns the error of a failed operation while it is too early to try again. A changed
// configuration, policy or approval is tried at once.
func (s *Scheduler) backoff(f *failure, r Request) error {
	if f == nil || !f.of(r) || !s.o.Clock.Now().Before(f.retryAt) {
		return nil
	}
	return &Error{Reason: f.reason, Diagnostics: f.diags, RetryAt: f.retryAt}
}

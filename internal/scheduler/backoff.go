package scheduler

import (
	"time"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
)

// failure delays the next attempt of an operation.
type failure struct {
	count   int
	hash    string // of the configuration that failed
	retryAt time.Time
	reason  Reason
	diags   diagnostic.Diagnostics
}

// backoff returns the error of a failed operation while it is too early to try again. A changed
// configuration is tried at once.
func (s *Scheduler) backoff(f *failure, r Request) error {
	if f.hash != r.ConfigHash || !s.o.Clock.Now().Before(f.retryAt) {
		return nil
	}
	return &Error{Reason: f.reason, Diagnostics: f.diags, RetryAt: f.retryAt}
}

package scheduler

import (
	"time"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
)

// failure is what keeps operations from being tried again too early.
type failure struct {
	count   int
	hash    string // of the configuration that failed
	retryAt time.Time
	reason  Reason
	diags   diagnostic.Diagnostics
}

// backoff is the error of a failed operation as long as it is too early to try again. A
// changed configuration is tried at once.
func (s *Scheduler) backoff(f *failure, r Request) error {
	if f.hash != r.ConfigHash || !s.o.Clock.Now().Before(f.retryAt) {
		return nil
	}
	return &Error{Reason: f.reason, Diagnostics: f.diags, RetryAt: f.retryAt}
}

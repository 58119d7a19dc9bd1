package scheduler

import "github.com/landbridge-io/landbridge/internal/diagnostic"

// Operations may be paused by an administrator, all or some. What runs then is finished and
// recorded, and objects are looked at as before. This is asked when an operation is about to begin,
// and again right before its intent is written, since it may have waited for its turn.

// stopped returns why no operation of a request may begin; empty if one may.
func (r *Request) stopped() string {
	if r.Stopped == nil {
		return ""
	}
	return r.Stopped()
}

// errStopped is the error for a request while operations are paused. The resource is woken when
// that changes.
func (e *entry) errStopped(why string) *Error {
	e.denied.Store(true)
	return failed(ReasonOperationsPaused, diagnostic.Errorf("Operations paused", "%s", why))
}

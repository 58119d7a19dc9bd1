package scheduler

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

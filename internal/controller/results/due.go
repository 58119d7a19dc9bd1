package results

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	// defaultInterval is that of spec.refreshInterval, and minInterval the shortest.
	defaultInterval = 10 * time.Minute
	minInterval     = time.Second
)

// Interval returns spec.refreshInterval: how often a data source is read; 0 for once.
func Interval(u *unstructured.Unstructured) time.Duration {
	text, _, _ := unstructured.NestedString(u.Object, "spec", "refreshInterval")
	d, err := time.ParseDuration(text)
	switch {
	case text == "" || err != nil:
		return defaultInterval
	case d == 0:
		return 0
	}
	return max(d, minInterval)
}

// read is a read that succeeded.
type read struct {
	// hash is that of the arguments, at the time, and next when it is to be repeated.
	hash string
	at   time.Time
	next time.Time
}

// occasion is what decides whether a data source is read now.
type occasion struct {
	// ready is set if the status has a result, which is of the arguments with the hash.
	ready bool
	hash  string
	// now is the hash of the arguments now.
	now string
	// requested is set if a read is requested.
	requested bool
	interval  time.Duration
	// last is the last read in this process.
	last read
	at   time.Time
}

// due reports whether a data source is read now. If not, it returns when it is; 0 if nothing but a
// change or a request makes it due.
func (o occasion) due() (now bool, after time.Duration) {
	switch {
	case !o.ready, o.hash != o.now, o.requested:
		return true, 0
	case o.interval == 0:
		return false, 0
	case o.last.hash != o.now:
		return true, 0 // this process has not read it: it is not known when the last read was
	}
	// A change of the interval applies to the next read.
	next := o.last.next
	if soonest := o.last.at.Add(o.interval + o.interval/10); next.After(soonest) {
		next = soonest
	}
	if after = next.Sub(o.at); after > 0 {
		return false, after
	}
	return true, 0
}

package managed

import (
	"math/rand/v2"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// minPoll is the shortest poll interval.
const minPoll = time.Second

// maxGroup is the longest time whose looks are made together.
const maxGroup = time.Second

// poll returns the time until an unchanged resource is looked at again: the interval, with a jitter
// of a tenth, up to the end of a group of looks. A controller and a provider that are woken for
// each resource by itself take twice the processor time.
func (k *Kind) poll(o metav1.Object) time.Duration { return k.pollAt(ownInterval(o)) }

// pollAt is poll for a resource with an own interval; 0 if it has none.
func (k *Kind) pollAt(own time.Duration) time.Duration {
	now := time.Now()
	return k.Options.Next(now, k.interval(own)).Sub(now)
}

// Next returns when a look is repeated that was made at a time: after the interval, with a jitter
// of a tenth, at the end of a group of looks.
func (o Options) Next(at time.Time, interval time.Duration) time.Time {
	jitter := o.Jitter
	if jitter == nil {
		jitter = rand.N[time.Duration]
	}
	group := min(interval/20, maxGroup)
	return at.Add(interval - interval/10 + jitter(interval/5-group)).Truncate(group).Add(group)
}

// ownInterval returns the poll interval of a resource's annotation; 0 if it has none.
func ownInterval(o metav1.Object) time.Duration {
	if d, ok := meta.GetPollInterval(o); ok {
		return max(d, minPoll)
	}
	return 0
}

// interval returns the poll interval of a resource: its own one, that of its type, of its provider,
// or of the controller.
func (k *Kind) interval(own time.Duration) time.Duration {
	if own > 0 {
		return own
	}
	if d := k.Model.Settings.PollInterval; d > 0 {
		return max(d, minPoll)
	}
	if k.Poll != nil {
		if d := k.Poll(); d > 0 {
			return max(d, minPoll)
		}
	}
	return k.Options.Poll
}

package pool

import (
	"time"

	"golang.org/x/time/rate"
)

// Limits bound the resources of one provider configuration. 0 is no limit.
type Limits struct {
	// CallsPerSecond is the maximum rate of leases: one for each check of a resource and one for
	// each operation. Burst is the maximum number at once. Defaults to CallsPerSecond.
	CallsPerSecond float64
	Burst          int
	// MemoryBytes is the maximum memory of one process of the provider. A process above it gets no
	// more leases and is ended after its last one; above one and a half times the limit it is ended
	// at once.
	MemoryBytes int64
}

// Or returns the limits, with those of others where they are not set.
func (l Limits) Or(others Limits) Limits {
	if l.CallsPerSecond == 0 {
		l.CallsPerSecond, l.Burst = others.CallsPerSecond, others.Burst
	}
	if l.Burst == 0 {
		l.Burst = max(1, int(l.CallsPerSecond))
	}
	if l.MemoryBytes == 0 {
		l.MemoryBytes = others.MemoryBytes
	}
	return l
}

const (
	// minPause and maxPause bound the pause after a provider was throttled.
	minPause = time.Second
	maxPause = 5 * time.Minute
	// calm is the time without throttling after which pauses are short again.
	calm = 2 * time.Minute
	// measure is the period over which the rate is measured that turns out to be too high.
	measure = 10 * time.Second
	// faster is the interval at which a lowered rate is raised by half.
	faster = 10 * time.Second
	// slowest is the lowest rate, per second; a rate of fast needs no limit.
	slowest, fast = 1, 500
	// longest bounds the delay until the next attempt, from now or the end of a pause: the rate may
	// have changed by then.
	longest = time.Minute
	// spread is the delay between attempts after a pause, without a rate.
	spread = 10 * time.Millisecond
)

// limiter limits the rate of leases, by the configured limit and by the throttling of the cloud.
// The pool's mutex guards it.
type limiter struct {
	limits Limits
	// bucket is nil without a limit.
	bucket *rate.Limiter
	// pausedUntil is the end of a pause; pauses counts pauses without calm in between.
	pausedUntil, throttledAt time.Time
	pauses                   int
	// raisedAt is when a lowered rate was raised last; zero if the rate was not lowered.
	raisedAt time.Time
	// next is the time of the next attempt for a caller that is refused.
	next time.Time
	// taken counts leases since measuredAt; measured is the rate before that.
	taken      int
	measuredAt time.Time
	measured   float64
}

// set sets the configured limits.
func (l *limiter) set(limits Limits) {
	if l.limits == limits {
		return
	}
	l.limits = limits
	l.reset()
}

// reset restores a lowered rate.
func (l *limiter) reset() {
	l.raisedAt, l.bucket = time.Time{}, nil
	if l.limits.CallsPerSecond > 0 {
		l.bucket = rate.NewLimiter(rate.Limit(l.limits.CallsPerSecond), l.limits.Burst)
	}
}

// admit reports whether the provider may be leased now, or else the time to retry, which is
// different for each caller.
func (l *limiter) admit(now time.Time) (at time.Time, ok bool) {
	if !l.raisedAt.IsZero() {
		l.raise(now)
	}
	if !now.Before(l.pausedUntil) && (l.bucket == nil || l.bucket.AllowN(now, 1)) {
		l.count(now)
		return time.Time{}, true
	}
	return l.turn(now), false
}

// turn returns the time of the next attempt for a caller that is refused.
func (l *limiter) turn(now time.Time) time.Time {
	earliest := now
	if earliest.Before(l.pausedUntil) {
		earliest = l.pausedUntil
	}
	if l.next.Before(earliest) || l.next.Sub(earliest) > longest {
		l.next = earliest
	}
	distance := spread
	if l.bucket != nil {
		distance = time.Duration(float64(time.Second) / float64(l.bucket.Limit()))
	}
	l.next = l.next.Add(distance)
	return l.next
}

func (l *limiter) count(now time.Time) {
	if elapsed := now.Sub(l.measuredAt); elapsed > measure {
		l.measured = float64(l.taken) / elapsed.Seconds()
		l.measuredAt, l.taken = now, 0
	}
	l.taken++
}

// throttled begins a pause, after which the rate is half of the one that was too high. Throttling
// that is reported during a pause is about earlier requests.
func (l *limiter) throttled(now time.Time, wait time.Duration) (pause time.Duration, begun bool) {
	if now.Before(l.pausedUntil) {
		return 0, false
	}
	if now.Sub(l.throttledAt) > calm+l.pausedUntil.Sub(l.throttledAt) {
		l.pauses = 0
	}
	pause = min(max(wait, min(minPause<<l.pauses, maxPause)), 3*maxPause)
	l.pauses = min(l.pauses+1, 16)
	l.throttledAt, l.pausedUntil, l.raisedAt = now, now.Add(pause), now.Add(pause)

	tooMuch := l.measured
	if elapsed := now.Sub(l.measuredAt).Seconds(); elapsed >= 1 {
		tooMuch = max(tooMuch, float64(l.taken)/elapsed)
	}
	if l.bucket != nil && (tooMuch == 0 || tooMuch > float64(l.bucket.Limit())) {
		tooMuch = float64(l.bucket.Limit())
	}
	if tooMuch == 0 {
		tooMuch = float64(l.taken) // all of it within a second
	}
	l.bucket = rate.NewLimiter(rate.Limit(max(tooMuch/2, slowest)), 1)
	l.measuredAt, l.taken, l.measured = l.pausedUntil, 0, 0
	return pause, true
}

// raise raises a lowered rate, up to the configured one.
func (l *limiter) raise(now time.Time) {
	for now.Sub(l.raisedAt) >= faster {
		raised := l.bucket.Limit() * 1.5
		if c := l.limits.CallsPerSecond; c > 0 && float64(raised) >= c || c == 0 && raised >= fast {
			l.reset()
			return
		}
		l.bucket.SetLimitAt(now, raised)
		l.raisedAt = l.raisedAt.Add(faster)
	}
}

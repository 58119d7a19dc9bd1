package pool

import (
	"time"

	"golang.org/x/time/rate"
)

// Limits bound what one provider configuration may use. 0 is no bound.
type Limits struct {
	// CallsPerSecond bounds how often the provider is acquired, which is once for each look at a
	// resource and once for each operation; Burst how often at once, CallsPerSecond unless set.
	CallsPerSecond float64
	Burst          int
	// MemoryBytes is the memory that one process of the provider may hold. One that holds more
	// gets no more work and is ended when it has done what it has; one that then goes on to hold
	// half as much again is ended at once.
	MemoryBytes int64
}

// Or is the limits, with others in place of those that are not set.
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
	// minPause and maxPause bound how long nothing is asked of a provider after it was throttled.
	minPause = time.Second
	maxPause = 5 * time.Minute
	// calm is how long a provider must not have been throttled for the next pause to be the first.
	calm = 2 * time.Minute
	// measure is how long the rate is measured that is too much when throttling sets in.
	measure = 10 * time.Second
	// faster is how often a rate that was lowered is raised, by half.
	faster = 10 * time.Second
	// slowest is the lowest rate, per second, and fast one that is as good as none.
	slowest, fast = 1, 500
	// longest is how much later than at once, or than a pause, anybody is to come back: the rate
	// may be another by then.
	longest = time.Minute
	// spread is the distance between those who come back after a pause, where nothing else says.
	spread = 10 * time.Millisecond
)

// limiter bounds how often a provider is acquired: by what was configured, and by what its cloud
// has to say. The pool's mutex guards it.
type limiter struct {
	limits Limits
	// bucket is nil as long as there is no bound.
	bucket *rate.Limiter
	// pausedUntil is when a pause ends; pauses counts those without calm in between.
	pausedUntil, throttledAt time.Time
	pauses                   int
	// raisedAt is when a rate that was lowered was raised last; zero when none was.
	raisedAt time.Time
	// next is when the next who is turned away is to come back.
	next time.Time
	// taken counts since measuredAt; measured is the rate before that.
	taken      int
	measuredAt time.Time
	measured   float64
}

// set makes the limits those that were configured.
func (l *limiter) set(limits Limits) {
	if l.limits == limits {
		return
	}
	l.limits = limits
	l.reset()
}

// reset forgets that a rate was lowered.
func (l *limiter) reset() {
	l.raisedAt, l.bucket = time.Time{}, nil
	if l.limits.CallsPerSecond > 0 {
		l.bucket = rate.NewLimiter(rate.Limit(l.limits.CallsPerSecond), l.limits.Burst)
	}
}

// admit says whether the provider may be acquired now, or else when to come back: each who is
// turned away at a time of its own.
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

// turn is when the next who is turned away is to come back.
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

// throttled begins a pause, after which the rate is half of what was too much. What is said
// during one is said of what went before it.
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

// raise raises a rate that was lowered, up to what was configured.
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

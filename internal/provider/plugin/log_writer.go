package plugin

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"golang.org/x/time/rate"
)

// logLimit bounds what is logged of one process: lines per second, and how many at once. A
// long line counts for several.
type logLimit struct {
	perSecond rate.Limit
	burst     int
}

var (
	// unasked is for what providers write though nobody asked them to log.
	unasked = logLimit{perSecond: 10, burst: 500}
	// asked is for the logs of providers with a log level.
	asked = logLimit{perSecond: 1000, burst: 20_000}
)

const (
	// lineCost is the length, in bytes, for which a line counts for one more.
	lineCost = 1 << 10
	// tellAfter is how long lines may have been left out until that is logged.
	tellAfter = 5 * time.Second
	// waitingLines is how many lines may wait for the log.
	waitingLines = 256
)

// logWriter writes to the log what a provider wrote, and never keeps the provider waiting:
// neither for a log that takes its time, nor for one that it floods. What is too much is left
// out and counted.
type logWriter struct {
	log     logr.Logger
	limit   *rate.Limiter
	lines   chan func()
	left    atomic.Int64
	ending  chan struct{}
	endOnce sync.Once
	ended   chan struct{}
}

func newLogWriter(log logr.Logger, limit logLimit) *logWriter {
	w := &logWriter{
		log: log, limit: rate.NewLimiter(limit.perSecond, limit.burst),
		lines: make(chan func(), waitingLines), ending: make(chan struct{}), ended: make(chan struct{}),
	}
	go w.run()
	return w
}

func (w *logWriter) run() {
	defer close(w.ended)
	for {
		select {
		case line := <-w.lines:
			line()
			continue
		default:
		}
		select {
		case line := <-w.lines:
			line()
		case <-w.ending:
			select {
			case line := <-w.lines:
				line()
			default:
				w.tellLeftOut()
				return
			}
		}
	}
}

func (w *logWriter) tellLeftOut() {
	if n := w.left.Swap(0); n > 0 {
		w.log.Info("provider output left out, because it was too much", "lines", n)
	}
}

// write logs a line of the given length, some time soon; or not.
func (w *logWriter) write(length int, line func()) {
	if !w.limit.AllowN(time.Now(), min(1+length/lineCost, w.limit.Burst())) {
		w.leaveOut()
		return
	}
	select {
	case w.lines <- line:
	default:
		w.leaveOut()
	}
}

// full says whether a line would be left out.
func (w *logWriter) full() bool { return w.limit.Tokens() < 1 }

// leaveOut counts a line that is left out. The first says when they are told.
func (w *logWriter) leaveOut() {
	if w.left.Add(1) > 1 {
		return
	}
	time.AfterFunc(tellAfter, func() {
		select {
		case w.lines <- w.tellLeftOut:
		case <-w.ended:
		}
	})
}

// end is called when nothing more is to come, and returns when all is logged, but waits no
// longer than the given time.
func (w *logWriter) end(patience time.Duration) {
	w.endOnce.Do(func() { close(w.ending) })
	select {
	case <-w.ended:
	case <-time.After(patience):
	}
}

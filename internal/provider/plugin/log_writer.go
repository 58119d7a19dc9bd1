package plugin

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"golang.org/x/time/rate"
)

// logLimit bounds the logs of one process: lines per second, and the burst. A long line counts as
// several.
type logLimit struct {
	perSecond rate.Limit
	burst     int
}

var (
	// unasked is the limit of providers without a log level.
	unasked = logLimit{perSecond: 10, burst: 500}
	// asked is the limit of providers with a log level.
	asked = logLimit{perSecond: 1000, burst: 20_000}
)

const (
	// lineCost is the number of bytes after which a line counts as one more.
	lineCost = 1 << 10
	// tellAfter is the delay until omitted lines are logged.
	tellAfter = 5 * time.Second
	// waitingLines is the capacity of the queue of lines.
	waitingLines = 256
)

// logWriter writes a provider's output to the log without ever blocking the provider. Lines above
// the limit, and lines for which the queue is full, are omitted and counted.
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

// write queues a line of the given length, or omits it.
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

// full reports whether a line would be omitted.
func (w *logWriter) full() bool { return w.limit.Tokens() < 1 }

// leaveOut counts an omitted line. The first one schedules the log message about them.
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

// end must be called after the last line. It returns when all lines are logged, at the latest after
// patience.
func (w *logWriter) end(patience time.Duration) {
	w.endOnce.Do(func() { close(w.ending) })
	select {
	case <-w.ended:
	case <-time.After(patience):
	}
}

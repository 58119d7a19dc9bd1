package simulation

import (
	"fmt"
	"hash/fnv"
	"strings"
	"sync"
	"time"
)

// trace records what happens in a schedule, with the virtual time since its start.
type trace struct {
	mu    sync.Mutex
	start time.Time
	lines []string
}

func (t *trace) add(now time.Time, format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.start.IsZero() {
		t.start = now
	}
	t.lines = append(t.lines, fmt.Sprintf("%10.3fs  ", now.Sub(t.start).Seconds())+fmt.Sprintf(format, args...))
}

func (t *trace) String() string { return strings.Join(t.lines, "\n") }

// sum identifies the trace.
func (t *trace) sum() uint64 {
	h := fnv.New64a()
	h.Write([]byte(t.String()))
	return h.Sum64()
}

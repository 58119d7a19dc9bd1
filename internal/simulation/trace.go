package simulation

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"
)

// trace records what happens in a schedule, with the virtual time since its start.
type trace struct {
	mu    sync.Mutex
	start time.Time
	lines []string
	ids   map[string]string
}

func (t *trace) add(now time.Time, format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.start.IsZero() {
		t.start = now
	}
	line := random.ReplaceAllStringFunc(fmt.Sprintf(format, args...), t.id)
	t.lines = append(t.lines, fmt.Sprintf("%10.3fs  %s", now.Sub(t.start).Seconds(), line))
}

// random matches the ids of operations, the keys of deposed objects, and the names of parts.
var random = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}|deposed object [0-9a-f]{8}|[0-9a-f]{20}\.[0-9a-f]{16}`)

// id numbers random ids, so that traces of the same choices are equal.
func (t *trace) id(text string) string {
	if t.ids == nil {
		t.ids = map[string]string{}
	}
	if t.ids[text] == "" {
		t.ids[text] = fmt.Sprintf("id-%d", len(t.ids)+1)
	}
	return t.ids[text]
}

func (t *trace) String() string { return strings.Join(t.lines, "\n") }

package simulation

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// trace records what happens in a schedule, with the virtual time since its start.
type trace struct {
	mu    sync.Mutex
	lines []line
	ids   map[string]string
}

type line struct {
	at   time.Time
	text string
}

func (t *trace) add(now time.Time, format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, line{now, fmt.Sprintf(format, args...)})
}

// during calls a function in which several goroutines may wake at the same instant: their lines are
// put into an order that does not depend on which of them ran first.
func (t *trace) during(f func()) {
	if t == nil {
		f()
		return
	}
	t.mu.Lock()
	from := len(t.lines)
	t.mu.Unlock()
	f()
	t.mu.Lock()
	defer t.mu.Unlock()
	slices.SortStableFunc(t.lines[from:], func(a, b line) int {
		return cmp.Or(a.at.Compare(b.at), strings.Compare(random.ReplaceAllString(a.text, ""), random.ReplaceAllString(b.text, "")))
	})
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

func (t *trace) String() string {
	var out strings.Builder
	for n, l := range t.lines {
		if n > 0 {
			out.WriteByte('\n')
		}
		fmt.Fprintf(&out, "%10.3fs  %s", l.at.Sub(t.lines[0].at).Seconds(), random.ReplaceAllStringFunc(l.text, t.id))
	}
	return out.String()
}

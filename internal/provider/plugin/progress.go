package plugin

import (
	"strings"
	"sync"
)

// maxProgress bounds what is told of a log line, in bytes.
const maxProgress = 200

// applies are the calls in flight that change resources, by resource type. Log lines say which
// call and resource type they are about, but not which of several of them.
type applies struct {
	mu     sync.Mutex
	byType map[string][]*apply
}

// apply is such a call; tell is nil if nobody wants to know.
type apply struct{ tell func(text string) }

// begin takes note of a call until end is called.
func (a *applies) begin(typeName string, tell func(string)) (end func()) {
	call := &apply{tell: tell}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.byType == nil {
		a.byType = map[string][]*apply{}
	}
	a.byType[typeName] = append(a.byType[typeName], call)
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		rest := a.byType[typeName]
		for i, c := range rest {
			if c == call {
				rest = append(rest[:i], rest[i+1:]...)
				break
			}
		}
		if a.byType[typeName] = rest; len(rest) == 0 {
			delete(a.byType, typeName)
		}
	}
}

// whose is who wants to know of a log line: nil unless it is certain which call it is of. What is said
// at other levels is for the provider's developers, as is what its SDK says.
func (a *applies) whose(e entry) func(text string) {
	if e.level != LogInfo && e.level != LogWarn || e.module == "sdk" || strings.HasPrefix(e.module, "sdk.") || e.fields["tf_rpc"] != "ApplyResourceChange" {
		return nil
	}
	typeName, _ := e.fields["tf_resource_type"].(string)
	a.mu.Lock()
	defer a.mu.Unlock()
	if calls := a.byType[typeName]; len(calls) == 1 {
		return calls[0].tell
	}
	return nil
}

// told is a log line's message in one line.
func told(message string) string {
	text := strings.Join(strings.Fields(message), " ")
	if len(text) > maxProgress {
		text = strings.ToValidUTF8(text[:maxProgress], "") + "…"
	}
	return text
}

package plugin

import (
	"strings"
	"sync"

	"github.com/landbridge-io/landbridge/internal/text"
)

// maxProgress bounds a progress message, in bytes.
const maxProgress = 200

// applies are the ApplyResourceChange calls in flight, by resource type. A log entry names its RPC
// and resource type, but does not identify the call.
type applies struct {
	mu     sync.Mutex
	byType map[string][]*apply
}

// apply is one call. tell is nil without a subscriber to its progress.
type apply struct{ tell func(text string) }

// begin registers a call until end is called.
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

// subscriber returns who subscribed to the log entry's operation; nil unless the operation is
// certain. Other levels, and the messages of the provider's SDK, are for the provider's developers.
func (a *applies) subscriber(e entry) func(text string) {
	if e.level != LogInfo && e.level != LogWarn || e.module == "sdk" || strings.HasPrefix(e.module, "sdk.") ||
		e.fields["tf_rpc"] != "ApplyResourceChange" {
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

// told returns a log message as one line of limited length.
func told(message string) string {
	return text.Shorten(strings.Join(strings.Fields(message), " "), maxProgress)
}

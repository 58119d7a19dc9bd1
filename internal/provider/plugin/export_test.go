package plugin

import (
	"strings"
	"time"

	"github.com/go-logr/logr"
)

// ParseEntry is parseEntry, for the fuzzer.
func ParseEntry(raw []byte) bool {
	_, ok := parseEntry(raw)
	return ok
}

// LogLines logs text as a provider's stderr and returns the last lines.
func LogLines(log logr.Logger, text string, secrets ...string) []string {
	o := &output{log: log, limit: asked}
	o.open()
	o.redact.AddStrings(secrets...)
	o.readStderr(strings.NewReader(text))
	o.writer.end(time.Minute)
	return o.last()
}

// ExplainHandshake is explainHandshake.
func ExplainHandshake(line string) (Reason, string) { return explainHandshake(line) }

// Call is a call in flight that changes a resource.
type Call struct {
	TypeName string
	Tell     func(string)
}

// Progress logs a line of a provider twice: while calls are in flight, and after they have ended.
func Progress(calls []Call, secrets []string, line string) {
	o := &output{log: logr.Discard(), limit: asked}
	o.open()
	defer o.writer.end(time.Minute)
	o.redact.AddStrings(secrets...)
	var ends []func()
	for _, c := range calls {
		ends = append(ends, o.applies.begin(c.TypeName, c.Tell))
	}
	o.line("stderr", []byte(line))
	for _, end := range ends {
		end()
	}
	o.line("stderr", []byte(line))
}

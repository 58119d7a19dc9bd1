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

// LogLines logs what a provider wrote to stderr.
func LogLines(log logr.Logger, text string, secrets ...string) []string {
	o := &output{log: log, limit: asked}
	o.open()
	o.redact.add(secrets...)
	o.readStderr(strings.NewReader(text))
	o.writer.end(time.Minute)
	return o.last()
}

// ExplainHandshake is explainHandshake.
func ExplainHandshake(line string) (Reason, string) { return explainHandshake(line) }

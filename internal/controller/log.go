package controller

import "github.com/go-logr/logr"

// bodies is the verbosity from which client-go logs the bodies of requests and responses, including those of Secrets.
const bodies = 8

// discreet returns a logger that drops bodies logged by client-go, which uses the logger in the caller's context.
func discreet(log logr.Logger) logr.Logger {
	if log.GetSink() == nil {
		return log
	}
	return log.WithSink(discreetSink{log.GetSink()})
}

type discreetSink struct{ logr.LogSink }

// Enabled implements logr.LogSink.
func (s discreetSink) Enabled(level int) bool { return level < bodies && s.LogSink.Enabled(level) }

// WithValues implements logr.LogSink.
func (s discreetSink) WithValues(keysAndValues ...any) logr.LogSink {
	return discreetSink{s.LogSink.WithValues(keysAndValues...)}
}

// WithName implements logr.LogSink.
func (s discreetSink) WithName(name string) logr.LogSink {
	return discreetSink{s.LogSink.WithName(name)}
}

// WithCallDepth implements logr.CallDepthLogSink.
func (s discreetSink) WithCallDepth(depth int) logr.LogSink {
	if d, ok := s.LogSink.(logr.CallDepthLogSink); ok {
		return discreetSink{d.WithCallDepth(depth)}
	}
	return s
}

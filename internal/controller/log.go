package controller

import (
	"slices"

	"github.com/go-logr/logr"
)

// bodies is the verbosity from which client-go logs the bodies of requests and responses, including those of Secrets.
const bodies = 8

// discreet returns a logger that drops bodies logged by client-go, which uses the logger in the caller's context.
func discreet(log logr.Logger) logr.Logger {
	if log.GetSink() == nil {
		return log
	}
	return log.WithSink(discreetSink{LogSink: log.GetSink()})
}

// discreetSink adds values to the sink when something is logged: most loggers that are made for one reconcile log nothing.
type discreetSink struct {
	logr.LogSink
	values []any
}

// Enabled implements logr.LogSink.
func (s discreetSink) Enabled(level int) bool { return level < bodies && s.LogSink.Enabled(level) }

// WithValues implements logr.LogSink.
func (s discreetSink) WithValues(keysAndValues ...any) logr.LogSink {
	return discreetSink{s.LogSink, append(slices.Clip(s.values), keysAndValues...)}
}

// WithName implements logr.LogSink.
func (s discreetSink) WithName(name string) logr.LogSink {
	return discreetSink{s.LogSink.WithName(name), s.values}
}

// WithCallDepth implements logr.CallDepthLogSink.
func (s discreetSink) WithCallDepth(depth int) logr.LogSink {
	if d, ok := s.LogSink.(logr.CallDepthLogSink); ok {
		return discreetSink{d.WithCallDepth(depth), s.values}
	}
	return s
}

// Info implements logr.LogSink.
func (s discreetSink) Info(level int, msg string, keysAndValues ...any) {
	s.complete().Info(level, msg, keysAndValues...)
}

// Error implements logr.LogSink.
func (s discreetSink) Error(err error, msg string, keysAndValues ...any) {
	s.complete().Error(err, msg, keysAndValues...)
}

// complete returns the sink with the values, for the caller of its caller.
func (s discreetSink) complete() logr.LogSink {
	out := s.LogSink
	if len(s.values) > 0 {
		out = out.WithValues(s.values...)
	}
	if d, ok := out.(logr.CallDepthLogSink); ok {
		out = d.WithCallDepth(1)
	}
	return out
}

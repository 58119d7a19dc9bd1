package controller

import (
	"io"
	"slices"
	"strings"

	"github.com/go-logr/logr"
	"go.uber.org/zap/zapcore"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
)

// NewLogger returns a logger that writes lines of JSON, with a verbosity: 0 is for operators.
// Errors have no stack traces: those that are logged are expected, and of those that are not the
// process ends.
func NewLogger(out io.Writer, verbosity int) logr.Logger {
	return discreet(zap.New(zap.UseDevMode(false), zap.WriteTo(out), zap.Level(zapcore.Level(-verbosity)),
		zap.StacktraceLevel(zapcore.PanicLevel)))
}

// noise are the beginnings of messages that controller-runtime logs for each kind and part of the
// program when it starts and stops. They are for debugging.
var noise = []string{
	"Starting EventSource", "Starting Controller", "Starting workers", "Shutdown signal received", "All workers finished",
	"Stopping and waiting for ", "Wait completed, ", "starting server", "Starting metrics server",
	"Serving metrics server", "Shutting down metrics server",
	"Registering webhook", "Starting webhook server", "Serving webhook server", "Shutting down webhook server",
	"Updated current TLS certificate", "Starting certificate poll", "shutting down server",
}

func isNoise(msg string) bool {
	return slices.ContainsFunc(noise, func(n string) bool { return strings.HasPrefix(msg, n) })
}

// bodies is the verbosity from which client-go logs the bodies of requests and responses, including
// those of Secrets.
const bodies = 8

// discreet returns a logger that drops bodies logged by client-go, which uses the logger in the
// caller's context, and that logs what controller-runtime says of its parts for debugging only.
func discreet(log logr.Logger) logr.Logger {
	if _, already := log.GetSink().(discreetSink); already || log.GetSink() == nil {
		return log
	}
	return log.WithSink(discreetSink{LogSink: log.GetSink()})
}

// discreetSink adds values to the sink when something is logged: most loggers that are made for one
// reconcile log nothing.
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
	if level == 0 && isNoise(msg) {
		if level = 1; !s.Enabled(level) {
			return
		}
	}
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

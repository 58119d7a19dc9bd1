package changelog

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploggrpc"
	"go.opentelemetry.io/otel/log"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	semconv "go.opentelemetry.io/otel/semconv/v1.37.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/landbridge-io/landbridge/internal/history"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/telemetry"
)

// eventName is the name of the event that each log record is about.
const eventName = "landbridge.change"

// Export returns what sends entries to a collector as log records. Further settings are those of
// the environment variables of OpenTelemetry: OTEL_BLRP_SCHEDULE_DELAY, OTEL_EXPORTER_OTLP_HEADERS
// and others. stop sends what is left.
func Export(ctx context.Context, c telemetry.Collector) (_ *Records, stop func(context.Context) error, _ error) {
	sender, err := c.Sender()
	if err != nil {
		return nil, nil, err
	}
	exporter, err := otlploggrpc.New(ctx, otlploggrpc.WithEndpointURL(c.Endpoint))
	if err != nil {
		return nil, nil, fmt.Errorf("cannot send logs to %s: %w", c.Endpoint, err)
	}
	p := sdklog.NewLoggerProvider(sdklog.WithProcessor(sdklog.NewBatchProcessor(exporter)), sdklog.WithResource(sender))
	return newRecords(p), p.Shutdown, nil
}

// Records makes log records of entries.
type Records struct{ logger log.Logger }

// newRecords returns what makes log records by a provider.
func newRecords(p log.LoggerProvider) *Records { return &Records{p.Logger(telemetry.Scope)} }

// Write makes a log record of an entry. Its body is the line that Lines writes.
func (r *Records) Write(k store.Key, e history.Entry) {
	text, err := encode(k, e)
	if err != nil {
		return // a value that is no JSON, which Lines reports
	}
	var out log.Record
	out.SetEventName(eventName)
	out.SetTimestamp(e.At)
	out.SetObservedTimestamp(time.Now())
	severity := severityOf(e.Outcome)
	out.SetSeverity(severity)
	out.SetSeverityText(severity.String())
	out.SetBody(log.StringValue(string(text)))
	out.AddAttributes(
		log.KeyValueFromAttribute(attribute.String("landbridge.kind", k.Kind+"."+k.Group)),
		log.KeyValueFromAttribute(semconv.K8SNamespaceName(k.Namespace)),
		log.String("landbridge.name", k.Name), log.String("landbridge.action", string(e.Action)),
		log.String("landbridge.outcome", string(e.Outcome)))
	r.logger.Emit(traced(e.Trace), out)
}

// severityOf returns how serious an outcome is.
func severityOf(o history.Outcome) log.Severity {
	switch o {
	case history.Failed:
		return log.SeverityError
	case history.Unknown:
		return log.SeverityWarn
	default:
		return log.SeverityInfo
	}
}

// traced returns a context of a trace; any one if there is none.
func traced(id string) context.Context {
	of, err := trace.TraceIDFromHex(id)
	if err != nil {
		return context.Background()
	}
	return trace.ContextWithSpanContext(context.Background(), trace.NewSpanContext(trace.SpanContextConfig{TraceID: of}))
}

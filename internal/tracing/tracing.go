package tracing

import (
	"context"
	"fmt"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.37.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/landbridge-io/landbridge/internal/telemetry"
)

// tracer makes the spans; nil while traces are off.
var tracer atomic.Pointer[trace.Tracer]

// Export sends traces to a collector. Further settings are those of the environment variables of
// OpenTelemetry: OTEL_TRACES_SAMPLER, OTEL_EXPORTER_OTLP_HEADERS and others. stop sends what is
// left.
func Export(ctx context.Context, c telemetry.Collector) (stop func(context.Context) error, _ error) {
	sender, err := c.Sender()
	if err != nil {
		return nil, err
	}
	exporter, err := otlptracegrpc.New(ctx, otlptracegrpc.WithEndpointURL(c.Endpoint))
	if err != nil {
		return nil, fmt.Errorf("cannot send traces to %s: %w", c.Endpoint, err)
	}
	p := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(sender))
	Use(p)
	return p.Shutdown, nil
}

// Use makes the spans by a provider; nil turns them off.
func Use(p trace.TracerProvider) {
	if p == nil {
		tracer.Store(nil)
		return
	}
	t := p.Tracer(telemetry.Scope)
	tracer.Store(&t)
}

// Origin identifies the span that something was requested in.
type Origin = trace.SpanContext

// OriginOf returns the span of a context. It is not valid if there is none.
func OriginOf(ctx context.Context) Origin { return trace.SpanContextFromContext(ctx) }

// With returns a context whose spans are parts of the origin's.
func With(ctx context.Context, o Origin) context.Context {
	if !o.IsValid() {
		return ctx
	}
	return trace.ContextWithSpanContext(ctx, o)
}

// Span is a part of a trace. The zero value is none.
type Span struct{ span trace.Span }

// Root begins the trace of a part of the work on a custom resource.
func Root(ctx context.Context, part, kind, namespace, name string) (context.Context, Span) {
	if tracer.Load() == nil {
		return ctx, Span{}
	}
	return start(ctx, part, trace.WithNewRoot(), trace.WithAttributes(
		attribute.String("landbridge.kind", kind), semconv.K8SNamespaceName(namespace), attribute.String("landbridge.name", name)))
}

// Child begins a part of the context's trace. It does nothing if there is none, or if it is not
// sampled.
func Child(ctx context.Context, part string) (context.Context, Span) {
	if !trace.SpanContextFromContext(ctx).IsSampled() {
		return ctx, Span{}
	}
	return start(ctx, part)
}

func start(ctx context.Context, part string, options ...trace.SpanStartOption) (context.Context, Span) {
	t := tracer.Load()
	if t == nil {
		return ctx, Span{}
	}
	ctx, s := (*t).Start(ctx, part, options...)
	return ctx, Span{s}
}

// End ends the span.
func (s Span) End(failed bool) {
	if s.span == nil {
		return
	}
	if failed {
		s.span.SetStatus(codes.Error, "")
	}
	s.span.End()
}

package e2e_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/landbridge-io/landbridge/internal/tracing"
)

// A trace leads from a reconcile to the operation that it requests, the calls of the provider, and
// the writes of stored state. It has no values.
func TestTraces(t *testing.T) {
	spans := tracetest.NewInMemoryExporter()
	tracing.Use(sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans)))
	t.Cleanup(func() { tracing.Use(nil) })
	c := shared(t)
	d := newDouble(t, "traces")
	c.install(t, d.provider())
	ns := c.Namespace(t)
	const planted = "planted-value"
	r := d.thing(ns, "thing", m{"value": planted})
	c.MustCreate(t, r)
	c.WaitReady(t, r)

	// The parts of the trace in which it was created, each with those above it.
	var paths []string
	eventually(t, "the create is traced", func(context.Context) bool {
		paths = pathsOf(spans.GetSpans(), ns)
		return slices.ContainsFunc(paths, func(p string) bool { return strings.HasSuffix(p, "/Create") })
	})
	for _, want := range []string{
		"reconcile", "reconcile/PlanResourceChange", "reconcile/Create", "reconcile/Create/Save", "reconcile/Create/ApplyResourceChange",
	} {
		if !slices.Contains(paths, want) {
			t.Errorf("there is no %s among\n%s", want, strings.Join(paths, "\n"))
		}
	}
	for _, s := range spans.GetSpans() {
		if text := fmt.Sprint(s.Name, s.Attributes, s.Events, s.Status.Description); strings.Contains(text, planted) {
			t.Errorf("a value is in the span %s", text)
		}
	}
}

// pathsOf returns the spans of the traces about a namespace, as the names from the root to each.
func pathsOf(spans tracetest.SpanStubs, namespace string) (out []string) {
	byID := map[string]tracetest.SpanStub{}
	about := map[string]bool{} // traces
	for _, s := range spans {
		byID[s.SpanContext.SpanID().String()] = s
		for _, a := range s.Attributes {
			if a.Key == "k8s.namespace.name" && a.Value.AsString() == namespace {
				about[s.SpanContext.TraceID().String()] = true
			}
		}
	}
	for _, s := range spans {
		if !about[s.SpanContext.TraceID().String()] {
			continue
		}
		path := s.Name
		for s.Parent.IsValid() {
			parent, ok := byID[s.Parent.SpanID().String()]
			if !ok {
				path = "?/" + path
				break
			}
			path, s = parent.Name+"/"+path, parent
		}
		out = append(out, path)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

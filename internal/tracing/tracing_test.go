package tracing_test

import (
	"context"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	service "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	v1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"

	"github.com/landbridge-io/landbridge/internal/telemetry"
	"github.com/landbridge-io/landbridge/internal/tracing"
)

// collected is a collector.
type collected struct {
	service.UnimplementedTraceServiceServer
	mu    sync.Mutex
	spans []*v1.Span
	about map[string]string // attributes of the sender
}

func (c *collected) Export(_ context.Context, r *service.ExportTraceServiceRequest) (*service.ExportTraceServiceResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, of := range r.ResourceSpans {
		for _, a := range of.Resource.Attributes {
			c.about[a.Key] = a.Value.GetStringValue()
		}
		for _, s := range of.ScopeSpans {
			c.spans = append(c.spans, s.Spans...)
		}
	}
	return &service.ExportTraceServiceResponse{}, nil
}

// collect starts a collector, and returns its address.
func collect(t *testing.T) (*collected, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c, s := &collected{about: map[string]string{}}, grpc.NewServer()
	service.RegisterTraceServiceServer(s, c)
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	return c, "http://" + l.Addr().String()
}

// collector returns the collector at an address.
func collector(endpoint string) telemetry.Collector {
	return telemetry.Collector{Endpoint: endpoint, Program: "landbridge", Version: "v0.0.0", Logger: logr.Discard()}
}

// An operation that a reconcile requests is a part of its trace, although it begins with a context
// of its own and ends later.
func TestExport(t *testing.T) {
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "k8s.cluster.name=here")
	c, at := collect(t)
	stop, err := tracing.Export(t.Context(), collector(at))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tracing.Use(nil) })

	reconcile, span := tracing.Root(t.Context(), "reconcile", "Thing.example.org", "team", "web")
	_, read := tracing.Child(reconcile, "ReadResource")
	read.End(false)
	origin := tracing.OriginOf(reconcile)
	span.End(false)
	operation, update := tracing.Child(tracing.With(context.Background(), origin), "Update")
	_, apply := tracing.Child(operation, "ApplyResourceChange")
	apply.End(true)
	update.End(true)
	_, lonely := tracing.Child(context.Background(), "ReadResource")
	lonely.End(false)

	if err := stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	names := map[string]string{}
	for _, s := range c.spans {
		names[string(s.SpanId)] = s.Name
		if string(s.TraceId) != string(c.spans[0].TraceId) {
			t.Errorf("%s is in another trace", s.Name)
		}
		if m := s.Status.GetMessage(); m != "" {
			t.Errorf("%s tells %q", s.Name, m)
		}
	}
	var got []string
	for _, s := range c.spans {
		line := s.Name + " of " + names[string(s.ParentSpanId)]
		if s.Status.GetCode() == v1.Status_STATUS_CODE_ERROR {
			line += ", failed"
		}
		got = append(got, line)
	}
	slices.Sort(got)
	want := []string{"ApplyResourceChange of Update, failed", "ReadResource of reconcile", "Update of reconcile, failed", "reconcile of "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
	if c.about["service.name"] != "landbridge" || c.about["service.version"] != "v0.0.0" || c.about["k8s.cluster.name"] != "here" {
		t.Errorf("sent by %v", c.about)
	}
}

// Without a collector, everything goes on as without traces, and the end waits no longer than it is
// given.
func TestNoCollector(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := "http://" + l.Addr().String()
	l.Close()
	stop, err := tracing.Export(t.Context(), collector(at))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tracing.Use(nil) })
	_, span := tracing.Root(t.Context(), "reconcile", "Thing.example.org", "team", "web")
	span.End(false)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := stop(ctx); err == nil {
		t.Error("the spans were sent")
	}
}

func TestOff(t *testing.T) {
	ctx, span := tracing.Root(t.Context(), "reconcile", "Thing.example.org", "team", "web")
	if tracing.OriginOf(ctx).IsValid() {
		t.Error("there is a span")
	}
	span.End(true)
	if n := testing.AllocsPerRun(100, func() {
		_, span := tracing.Child(ctx, "ReadResource")
		span.End(false)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestInvalidEndpoint(t *testing.T) {
	for _, endpoint := range []string{"collector:4317", "http://", "http://\x00", "grpc://collector:4317"} {
		if _, err := tracing.Export(t.Context(), collector(endpoint)); err == nil {
			t.Errorf("%q is taken", endpoint)
		}
	}
}

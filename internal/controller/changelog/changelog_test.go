package changelog_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	service "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	commonv1 "go.opentelemetry.io/proto/otlp/common/v1"
	v1 "go.opentelemetry.io/proto/otlp/logs/v1"
	"google.golang.org/grpc"

	"github.com/landbridge-io/landbridge/internal/controller/changelog"
	"github.com/landbridge-io/landbridge/internal/history"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/telemetry"
)

var (
	key = store.Key{Group: "random.landbridge.io", Kind: "Password", Namespace: "team-a", Name: "db"}
	at  = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
)

// TestLines checks the form of a line, which is documented.
func TestLines(t *testing.T) {
	var out bytes.Buffer
	l := &changelog.Lines{Out: &out, Logger: logr.Discard()}
	l.Write(key, history.Entry{
		At: at, Took: 40, Action: history.Update, Outcome: history.Succeeded, Because: "spec, generation 2",
		Changes: []history.Change{
			{Path: "length", Before: []byte("16"), After: []byte("20")}, {
				Path: "result", BeforeSensitive: true, AfterSensitive: true,
			},
		},
	})
	want := `{"version":1,"group":"random.landbridge.io","kind":"Password","namespace":"team-a","name":"db","at":"2026-03-01T12:00:00Z","tookMilliseconds":40,` +
		`"action":"Update","outcome":"Succeeded","because":"spec, generation 2","changes":[{"path":"length","before":16,"after":20},` +
		`{"path":"result","beforeSensitive":true,"afterSensitive":true}]}` + "\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("line (-want +got):\n%s", diff)
	}
}

// collected is a collector.
type collected struct {
	service.UnimplementedLogsServiceServer
	mu      sync.Mutex
	about   map[string]string // attributes of the sender
	records []*v1.LogRecord
}

func (c *collected) Export(_ context.Context, r *service.ExportLogsServiceRequest) (*service.ExportLogsServiceResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, of := range r.ResourceLogs {
		c.about = texts(of.Resource.Attributes)
		for _, s := range of.ScopeLogs {
			c.records = append(c.records, s.LogRecords...)
		}
	}
	return &service.ExportLogsServiceResponse{}, nil
}

func texts(all []*commonv1.KeyValue) map[string]string {
	out := map[string]string{}
	for _, a := range all {
		out[a.Key] = a.Value.GetStringValue()
	}
	return out
}

// A collector gets each entry that is written as a line, with the same content.
func TestExport(t *testing.T) {
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "k8s.cluster.name=here")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c, s := &collected{}, grpc.NewServer()
	service.RegisterLogsServiceServer(s, c)
	go func() { _ = s.Serve(l) }()
	t.Cleanup(s.Stop)
	records, stop, err := changelog.Export(t.Context(), telemetry.Collector{
		Endpoint: "http://" + l.Addr().String(), Program: "landbridge", Version: "v0.0.0", Logger: logr.Discard(),
	})
	if err != nil {
		t.Fatal(err)
	}

	const trace = "0af7651916cd43dd8448eb211c80319c"
	entries := []history.Entry{
		{
			At: at, Took: 40, Action: history.Create, Outcome: history.Succeeded, Operation: "a", Trace: trace,
			Changes: []history.Change{{Path: "length", After: []byte("16")}},
		},
		{At: at.Add(time.Second), Action: history.Drift},
		{At: at.Add(2 * time.Second), Action: history.Update, Outcome: history.Failed, Message: "quota"},
		{At: at.Add(3 * time.Second), Action: history.Delete, Outcome: history.Unknown},
	}
	var lines bytes.Buffer
	file := &changelog.Lines{Out: &lines, Logger: logr.Discard()}
	for _, e := range entries {
		file.Write(key, e)
		records.Write(key, e)
	}
	if err := stop(t.Context()); err != nil {
		t.Fatal(err)
	}

	type record struct {
		Name, Severity, Trace, Body string
		At                          time.Time
		Attributes                  map[string]string
	}
	var want, got []record
	severities := []string{"INFO", "INFO", "ERROR", "WARN"}
	for i, line := range strings.Split(strings.TrimSpace(lines.String()), "\n") {
		want = append(want, record{
			Name: "landbridge.change", Severity: severities[i], Trace: entries[i].Trace, Body: line,
			At: entries[i].At, Attributes: map[string]string{
				"landbridge.kind": "Password.random.landbridge.io", "k8s.namespace.name": "team-a", "landbridge.name": "db",
				"landbridge.action": string(entries[i].Action), "landbridge.outcome": string(entries[i].Outcome),
			},
		})
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.records {
		got = append(got, record{
			Name: r.EventName, Severity: r.SeverityText, Trace: hex.EncodeToString(r.TraceId), Body: r.Body.GetStringValue(),
			At: time.Unix(0, int64(r.TimeUnixNano)).UTC(), Attributes: texts(r.Attributes), //nolint:gosec // a time of this century
		})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	if c.about["service.name"] != "landbridge" || c.about["service.version"] != "v0.0.0" || c.about["k8s.cluster.name"] != "here" {
		t.Errorf("sent by %v", c.about)
	}
}

func TestInvalidEndpoint(t *testing.T) {
	if _, _, err := changelog.Export(t.Context(), telemetry.Collector{Endpoint: "collector:4317"}); err == nil {
		t.Error("it is taken")
	}
}

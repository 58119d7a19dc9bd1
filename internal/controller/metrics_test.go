package controller_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/landbridge-io/landbridge/internal/controller"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/schema"
)

// refusing refuses all Secrets because of their size.
type refusing struct{ typedcorev1.SecretInterface }

func (refusing) Create(context.Context, *corev1.Secret, metav1.CreateOptions) (*corev1.Secret, error) {
	return nil, kerrors.NewRequestEntityTooLargeError("limit is 3145728")
}

// Refused writes of state are counted by kind.
func TestRefusedWritesAreCounted(t *testing.T) {
	if err := controller.RegisterMetrics(); err != nil {
		t.Fatal(err)
	}
	s := &store.Secrets{Client: refusing{}, Refused: controller.CountRefused}
	for range 2 {
		_, err := s.Save(t.Context(), store.Key{Group: "test.landbridge.io", Kind: "Thing", Name: "one"},
			&schema.Resource{Block: &schema.Block{}}, store.Record{})
		if !errors.Is(err, store.ErrTooLarge) {
			t.Fatal(err)
		}
	}
	families, err := metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != "landbridge_state_writes_refused_total" {
			continue
		}
		if m := f.GetMetric(); len(m) != 1 || m[0].GetCounter().GetValue() != 2 ||
			m[0].GetLabel()[0].GetValue() != "test.landbridge.io" || m[0].GetLabel()[1].GetValue() != "Thing" {
			t.Errorf("got %v", m)
		}
		return
	}
	t.Error("there is no such metric")
}

// failing fails writes with an error.
type failing struct {
	store.Store
	err error
}

func (f failing) Save(context.Context, store.Key, *schema.Resource, store.Record) (store.Record, error) {
	return store.Record{}, f.err
}

func (f failing) Delete(context.Context, store.Key, string) error { return f.err }

// Operations, events and writes are counted, and nothing of a single resource is in a label.
func TestMetrics(t *testing.T) {
	if err := controller.RegisterMetrics(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		k := store.Key{Group: "metrics.landbridge.io", Kind: "Thing", Namespace: "secret-namespace", Name: "secret-name"}
		controller.CountEvent(k, scheduler.Event{Kind: scheduler.Succeeded, Operation: instance.Create, Took: 2 * time.Second})
		controller.CountEvent(k, scheduler.Event{Kind: scheduler.Failed, Operation: instance.Delete, Took: time.Second})
		controller.CountEvent(k, scheduler.Event{Kind: scheduler.Gone})
		for _, err := range []error{nil, store.ErrConflict, store.ErrTooLarge, errors.New("connection refused")} {
			counted := controller.Counted(failing{err: err})
			if _, got := counted.Save(t.Context(), k, nil, store.Record{}); !errors.Is(got, err) {
				t.Errorf("Save returned %v, want %v", got, err)
			}
			if got := counted.Delete(t.Context(), k, ""); !errors.Is(got, err) {
				t.Errorf("Delete returned %v, want %v", got, err)
			}
		}
	}
	got := gather(t, metrics.Registry)
	for name, want := range map[string]float64{
		`landbridge_operation_duration_seconds group=metrics.landbridge.io kind=Thing operation=Create result=Succeeded`: 3,
		`landbridge_operation_duration_seconds group=metrics.landbridge.io kind=Thing operation=Delete result=Failed`:    3,
		`landbridge_resource_events_total event=Gone group=metrics.landbridge.io kind=Thing`:                             3,
		`landbridge_state_writes_total result=Succeeded`:                                                                 6,
		`landbridge_state_writes_total result=Conflict`:                                                                  6,
		`landbridge_state_writes_total result=Refused`:                                                                   6,
		`landbridge_state_writes_total result=Failed`:                                                                    6,
		`landbridge_state_write_duration_seconds`:                                                                        24,
	} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	for name := range got {
		if strings.Contains(name, "secret-") {
			t.Errorf("%s names a resource", name)
		}
	}
}

// A controller without resources has the metrics of providers.
func TestSnapshot(t *testing.T) {
	providers := pool.New(pool.Options{})
	t.Cleanup(func() { _ = providers.Close(context.Background()) })
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(controller.Snapshot(scheduler.New(scheduler.Options{}), providers)); err != nil {
		t.Fatal(err)
	}
	got := gather(t, registry)
	for _, name := range []string{"landbridge_provider_processes", "landbridge_provider_starts_total", "landbridge_provider_crashes_total"} {
		if v, ok := got[name]; !ok || v != 0 {
			t.Errorf("%s is %v, exists: %t", name, v, ok)
		}
	}
}

// gather returns the values of metrics by their name and labels; of histograms the number of
// observations.
func gather(t *testing.T, from prometheus.Gatherer) map[string]float64 {
	t.Helper()
	families, err := from.Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			name := f.GetName()
			for _, l := range m.GetLabel() {
				name += " " + l.GetName() + "=" + l.GetValue()
			}
			switch {
			case m.Histogram != nil:
				out[name] = float64(m.Histogram.GetSampleCount())
			case m.Counter != nil:
				out[name] = m.Counter.GetValue()
			case m.Gauge != nil:
				out[name] = m.Gauge.GetValue()
			}
		}
	}
	return out
}

// What the chart's alerts and dashboard ask for is exposed.
func TestMetricsOfTheChart(t *testing.T) {
	if err := controller.RegisterMetrics(); err != nil {
		t.Fatal(err)
	}
	described := make(chan *prometheus.Desc)
	go func() {
		defer close(described)
		metrics.Registry.(*prometheus.Registry).Describe(described)
		controller.Snapshot(nil, nil).Describe(described)
	}()
	names := map[string]bool{}
	for d := range described {
		names[fqName.FindStringSubmatch(d.String())[1]] = true
	}
	for _, file := range []string{"alerts.yaml", "dashboard.json"} {
		content, err := os.ReadFile(filepath.Join("..", "..", "deploy", "chart", "files", file))
		if err != nil {
			t.Fatal(err)
		}
		asked := asksFor.FindAllString(string(content), -1)
		if len(asked) == 0 {
			t.Errorf("%s asks for nothing", file)
		}
		for _, name := range asked {
			if !names[name] && !names[suffix.ReplaceAllString(name, "")] {
				t.Errorf("%s asks for %s, which is not exposed", file, name)
			}
		}
	}
}

var (
	fqName  = regexp.MustCompile(`fqName: "([^"]+)"`)
	asksFor = regexp.MustCompile(`\b(?:landbridge|crossplane|workqueue|controller_runtime|leader_election|process)_[a-z_]+`)
	suffix  = regexp.MustCompile(`_(?:bucket|count|sum)$`)
)

// How far a provider is behind is a metric until it is not known any more.
func TestVersionsBehind(t *testing.T) {
	if err := controller.RegisterMetrics(); err != nil {
		t.Fatal(err)
	}
	values := func() map[string]float64 {
		families, err := metrics.Registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]float64{}
		for _, f := range families {
			if f.GetName() != "landbridge_provider_versions_behind" {
				continue
			}
			for _, m := range f.GetMetric() {
				labels := map[string]string{}
				for _, l := range m.GetLabel() {
					labels[l.GetName()] = l.GetValue()
				}
				if labels["provider"] == "behind" {
					out[labels["part"]] = m.GetGauge().GetValue()
				}
			}
		}
		return out
	}
	controller.GaugeBehind("behind", &install.Behind{Versions: 3, Major: 1, Patch: 2})
	if diff := cmp.Diff(map[string]float64{"major": 1, "minor": 0, "patch": 2}, values()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	controller.GaugeBehind("behind", nil)
	if diff := cmp.Diff(map[string]float64{}, values()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

package controller

import (
	"errors"
	"sync"
	"sync/atomic"

	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// resourceMetrics returns Crossplane's metrics of the process. Metrics can be registered only once, however often Run is
// called.
var resourceMetrics = sync.OnceValues(func() (*xpmanaged.MRMetricRecorder, error) {
	m := xpmanaged.NewMRMetricRecorder()
	return m, errors.Join(metrics.Registry.Register(m), metrics.Registry.Register(refusedWrites), metrics.Registry.Register(&awaiting))
})

var refusedWrites = prometheus.NewCounterVec(prometheus.CounterOpts{
	Name: "landbridge_state_writes_refused_total",
	Help: "Writes of the state of managed resources that were refused for good, mostly because the state is too large.",
}, []string{"group", "kind"})

func countRefused(k store.Key, _ error) { refusedWrites.WithLabelValues(k.Group, k.Kind).Inc() }

// awaiting counts the plans that wait for approval, when it is scraped.
var awaiting awaitingPlans

type awaitingPlans struct{ count atomic.Value }

var awaitingDesc = prometheus.NewDesc("landbridge_plans_awaiting_approval",
	"Managed resources whose plan waits until somebody approves it.", []string{"group", "kind"}, nil)

// Describe implements prometheus.Collector.
func (*awaitingPlans) Describe(out chan<- *prometheus.Desc) { out <- awaitingDesc }

// Collect implements prometheus.Collector.
func (a *awaitingPlans) Collect(out chan<- prometheus.Metric) {
	count, ok := a.count.Load().(func() map[store.Key]int)
	if !ok {
		return
	}
	for k, n := range count() {
		out <- prometheus.MustNewConstMetric(awaitingDesc, prometheus.GaugeValue, float64(n), k.Group, k.Kind)
	}
}

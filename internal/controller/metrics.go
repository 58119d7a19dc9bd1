package controller

import (
	"errors"
	"sync"

	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// resourceMetrics returns Crossplane's metrics of the process. Metrics can be registered only once, however often Run is
// called.
var resourceMetrics = sync.OnceValues(func() (*xpmanaged.MRMetricRecorder, error) {
	m := xpmanaged.NewMRMetricRecorder()
	return m, errors.Join(metrics.Registry.Register(m), metrics.Registry.Register(refusedWrites))
})

var refusedWrites = prometheus.NewCounterVec(prometheus.CounterOpts{
	Name: "landbridge_state_writes_refused_total",
	Help: "Writes of the state of managed resources that were refused for good, mostly because the state is too large.",
}, []string{"group", "kind"})

func countRefused(k store.Key, _ error) { refusedWrites.WithLabelValues(k.Group, k.Kind).Inc() }

package managed

import (
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
)

// Metrics are Crossplane's metrics of managed resources, which its managed.Reconciler alone can
// record in its own type. A nil one records nothing.
type Metrics struct {
	detected, readied, deleted *prometheus.HistogramVec
}

var _ prometheus.Collector = (*Metrics)(nil)

// NewMetrics returns metrics without values.
func NewMetrics() *Metrics {
	of := func(name, help string, buckets []float64) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Subsystem: "crossplane", Name: name, Help: help, Buckets: buckets,
		}, []string{"gvk"})
	}
	long := []float64{1, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600}
	return &Metrics{
		detected: of("managed_resource_first_time_to_reconcile_seconds", "The time it took for a managed resource "+
			"to be detected by the controller", prometheus.ExponentialBuckets(10e-9, 10, 10)),
		readied: of("managed_resource_first_time_to_readiness_seconds",
			"The time it took for a managed resource to become ready first time after creation", long),
		deleted: of("managed_resource_deletion_seconds", "The time it took for a managed resource to be deleted", long),
	}
}

// Describe implements prometheus.Collector.
func (m *Metrics) Describe(to chan<- *prometheus.Desc) {
	for _, h := range []*prometheus.HistogramVec{m.detected, m.readied, m.deleted} {
		h.Describe(to)
	}
}

// Collect implements prometheus.Collector.
func (m *Metrics) Collect(to chan<- prometheus.Metric) {
	for _, h := range []*prometheus.HistogramVec{m.detected, m.readied, m.deleted} {
		h.Collect(to)
	}
}

// reconciling is called with each resource that is reconciled.
func (k *Kind) reconciling(r *CustomResource) {
	m := k.Options.Metrics
	if m == nil || r.GetCondition(xpv2.TypeSynced).Status != corev1.ConditionUnknown {
		return
	}
	m.detected.WithLabelValues(r.GroupVersionKind().String()).Observe(time.Since(r.GetCreationTimestamp().Time).Seconds())
	k.tracked.update(subjectOf(r), func(x tracked) tracked {
		x.unready = true
		return x
	})
}

// upToDate is called with each resource whose object is as declared.
func (k *Kind) upToDate(r *CustomResource) {
	m := k.Options.Metrics
	if m == nil || !k.tracked.get(subjectOf(r)).unready || r.GetCondition(xpv2.TypeReady).Status != corev1.ConditionTrue {
		return
	}
	m.readied.WithLabelValues(r.GroupVersionKind().String()).Observe(time.Since(r.GetCreationTimestamp().Time).Seconds())
	k.tracked.update(subjectOf(r), func(x tracked) tracked {
		x.unready = false
		return x
	})
}

// finished is called with each resource that is released.
func (k *Kind) finished(r *CustomResource) {
	if m := k.Options.Metrics; m != nil {
		m.deleted.WithLabelValues(r.GroupVersionKind().String()).Observe(time.Since(r.GetDeletionTimestamp().Time).Seconds())
	}
}

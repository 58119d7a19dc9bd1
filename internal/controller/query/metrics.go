package query

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// maxGauges is the maximum of queries with metrics.
const maxGauges = 1000

var (
	unmanagedNow = prometheus.NewDesc("landbridge_unmanaged_objects", "Objects that a ResourceQuery has found and "+
		"no resource manages or describes. At most 1,000 queries have it.", []string{"namespace", "name"}, nil)
	violationsNow = prometheus.NewDesc("landbridge_estate_policy_violations",
		"Objects that a ResourceQuery has found and that violate an EstatePolicy, counted for each of "+
			"its validations.",
		[]string{"policy", "namespace", "name"}, nil)
)

// gauges has what metrics tell of queries.
type gauges struct {
	mu sync.Mutex
	of map[types.NamespacedName]gauge
}

type gauge struct {
	unmanaged  int64
	violations map[string]int64
}

func (g *gauges) set(key types.NamespacedName, s v1alpha1.ResourceQueryStatus) {
	now := gauge{unmanaged: s.Unmanaged, violations: map[string]int64{}}
	for _, v := range s.Violations {
		now.violations[v.Policy] += v.Objects
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.of == nil {
		g.of = map[types.NamespacedName]gauge{}
	}
	if _, known := g.of[key]; known || len(g.of) < maxGauges {
		g.of[key] = now
	}
}

func (g *gauges) forget(key types.NamespacedName) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.of, key)
}

// Describe implements prometheus.Collector.
func (*Reconciler) Describe(to chan<- *prometheus.Desc) {
	to <- unmanagedNow
	to <- violationsNow
}

// Collect implements prometheus.Collector.
func (r *Reconciler) Collect(to chan<- prometheus.Metric) {
	r.metrics.mu.Lock()
	defer r.metrics.mu.Unlock()
	for key, g := range r.metrics.of {
		to <- prometheus.MustNewConstMetric(unmanagedNow, prometheus.GaugeValue, float64(g.unmanaged), key.Namespace, key.Name)
		for policy, n := range g.violations {
			to <- prometheus.MustNewConstMetric(violationsNow, prometheus.GaugeValue, float64(n), policy, key.Namespace, key.Name)
		}
	}
}

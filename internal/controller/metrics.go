package controller

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/schema"
)

// resourceMetrics returns the metrics of managed resources of the process. Metrics can be
// registered only once, however often Run is called.
var resourceMetrics = sync.OnceValues(func() (*managed.Metrics, error) {
	m := managed.NewMetrics()
	errs := []error{metrics.Registry.Register(m)}
	for _, c := range []prometheus.Collector{
		refusedWrites, operationSeconds, resourceEvents, stateWrites, stateWriteSeconds, providerCalls.seconds,
		driftSeconds, versionsBehind,
	} {
		errs = append(errs, metrics.Registry.Register(c))
	}
	return m, errors.Join(errs...)
})

// No label has values that grow with the number of resources.
var (
	refusedWrites = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "landbridge_state_writes_refused_total",
		Help: "Writes of the state of managed resources that were refused for good, mostly because the state is too large.",
	}, []string{"group", "kind"})
	operationSeconds = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "landbridge_operation_duration_seconds",
		Help:    "Duration of creates, updates and deletes of remote objects, by their result.",
		Buckets: []float64{0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600},
	}, []string{"group", "kind", "operation", "result"})
	resourceEvents = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "landbridge_resource_events_total",
		Help: "What happened to managed resources beside operations: imported, recovered, gone, tainted, and others.",
	}, []string{"group", "kind", "event"})
	stateWrites = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "landbridge_state_writes_total",
		Help: "Writes of the journal and the state of managed resources, by their result.",
	}, []string{"result"})
	stateWriteSeconds = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name:    "landbridge_state_write_duration_seconds",
		Help:    "Duration of writes of the journal and the state of managed resources.",
		Buckets: []float64{0.005, 0.02, 0.1, 0.5, 2, 10},
	})
	providerCalls  = newCalls()
	versionsBehind = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "landbridge_provider_versions_behind",
		Help: "Versions of a TerraformProvider that are newer than the installed one, by the first part of the " +
			"version that differs: major, minor or patch.",
	}, []string{"provider", "part"})
	driftSeconds = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "crossplane_managed_resource_drift_seconds",
		Help: "How long since the last successful observation when the object of a resource was found changed; " +
			"excludes restarts of the controller.",
		Buckets: []float64{1, 10, 30, 60, 120, 300, 600, 1800, 3600, 6 * 3600, 24 * 3600},
	}, []string{"gvk"})
)

func countRefused(k store.Key, _ error) { refusedWrites.WithLabelValues(k.Group, k.Kind).Inc() }

// countEvent counts an event of a resource.
func countEvent(k store.Key, e scheduler.Event) {
	switch e.Kind {
	case scheduler.Succeeded, scheduler.Failed:
		operationSeconds.WithLabelValues(k.Group, k.Kind, string(e.Operation), string(e.Kind)).Observe(e.Took.Seconds())
	case scheduler.Drifted:
		if e.Took > 0 {
			driftSeconds.WithLabelValues(kschema.GroupVersionKind{
				Group: k.Group, Version: model.Version, Kind: k.Kind,
			}.String()).Observe(e.Took.Seconds())
		}
		fallthrough
	default:
		resourceEvents.WithLabelValues(k.Group, k.Kind, string(e.Kind)).Inc()
	}
}

// gaugeBehind sets how far a TerraformProvider is behind its newest version; nil removes that.
func gaugeBehind(provider string, behind *install.Behind) {
	if behind == nil {
		versionsBehind.DeletePartialMatch(prometheus.Labels{"provider": provider})
		return
	}
	for part, n := range map[string]int{"major": behind.Major, "minor": behind.Minor, "patch": behind.Patch} {
		versionsBehind.WithLabelValues(provider, part).Set(float64(n))
	}
}

// countedStore counts and times writes.
type countedStore struct{ store.Store }

// Save implements store.Store.
func (s countedStore) Save(ctx context.Context, k store.Key, r *schema.Resource, rec store.Record) (store.Record, error) {
	begin := time.Now()
	out, err := s.Store.Save(ctx, k, r, rec)
	countWrite(begin, err)
	return out, err
}

// Delete implements store.Store.
func (s countedStore) Delete(ctx context.Context, k store.Key, version string) error {
	begin := time.Now()
	err := s.Store.Delete(ctx, k, version)
	countWrite(begin, err)
	return err
}

// Leave implements store.Sharded if the store does.
func (s countedStore) Leave(ctx context.Context, k store.Key) error {
	if l, ok := s.Store.(store.Sharded); ok {
		return l.Leave(ctx, k)
	}
	return nil
}

// Free implements store.Sharded if the store does.
func (s countedStore) Free(ctx context.Context, k store.Key) error {
	if f, ok := s.Store.(store.Sharded); ok {
		return f.Free(ctx, k)
	}
	return store.ErrElsewhere
}

// Fence implements store.Sharded if the store does.
func (s countedStore) Fence(ctx context.Context, k store.Key) error {
	if f, ok := s.Store.(store.Sharded); ok {
		return f.Fence(ctx, k)
	}
	return store.ErrElsewhere
}

func countWrite(begin time.Time, err error) {
	stateWriteSeconds.Observe(time.Since(begin).Seconds())
	result := "Failed"
	switch {
	case err == nil:
		result = "Succeeded"
	case errors.Is(err, store.ErrConflict):
		result = "Conflict"
	case errors.Is(err, store.ErrTooLarge), errors.Is(err, store.ErrRejected):
		result = "Refused"
	}
	stateWrites.WithLabelValues(result).Inc()
}

// snapshot makes metrics of what a controller knows when they are read. There is one for each Run.
type snapshot struct {
	resources *scheduler.Scheduler
	providers *pool.Pool
	kinds     *kinds.Registry
}

var (
	kindLabels   = []string{"group", "kind"}
	resourcesNow = prometheus.NewDesc("landbridge_resources",
		"Managed resources by the state of their remote object. Only the leader has them.", append(kindLabels, "state"), nil)
	runningNow = prometheus.NewDesc("landbridge_operations_running", "Managed resources with a running operation.", kindLabels, nil)
	unknownNow = prometheus.NewDesc("landbridge_operations_unknown",
		"Managed resources with an operation of unknown outcome.", kindLabels, nil)
	awaitingNow = prometheus.NewDesc("landbridge_plans_awaiting_approval",
		"Managed resources whose plan waits for approval.", kindLabels, nil)
	brakedNow = prometheus.NewDesc("landbridge_destroys_held", "Managed resources whose object is not destroyed "+
		"because too many objects were destroyed within a minute.", kindLabels, nil)
	driftedNow = prometheus.NewDesc("landbridge_resources_drifted",
		"Managed resources whose object was changed outside of them and differs from their spec.", kindLabels, nil)
	unsettledNow = prometheus.NewDesc("landbridge_resources_never_settling",
		"Managed resources whose provider changes again and again what it has applied.", kindLabels, nil)
	unobservedNow = prometheus.NewDesc("landbridge_resources_unobserved",
		"Managed resources whose object was not observed since the controller leads.", kindLabels, nil)
	oldestNow = prometheus.NewDesc("landbridge_oldest_unanswered_change_seconds",
		"Age of the oldest new or changed managed resource that was not reconciled since.", kindLabels, nil)
	memoryNow = prometheus.NewDesc("landbridge_provider_memory_bytes", "Resident memory of provider processes.",
		[]string{configurationLabel}, nil)
	mostMemory = prometheus.NewDesc("landbridge_provider_memory_limit_bytes",
		"Memory that all provider processes may use together; 0 without a limit.", nil, nil)
	processesNow = prometheus.NewDesc("landbridge_provider_processes", "Configured provider processes that run.", nil, nil)
)

// poolCounters are the counters of a pool.
var poolCounters = []struct {
	desc  *prometheus.Desc
	value func(pool.Stats) int64
}{
	{
		counter("landbridge_provider_starts_total", "Provider processes that were started and configured."),
		func(s pool.Stats) int64 { return s.Starts },
	},
	{
		counter("landbridge_provider_crashes_total", "Provider processes that ended by themselves."),
		func(s pool.Stats) int64 { return s.Crashes },
	},
	{
		counter("landbridge_provider_hangs_total", "Provider processes that were ended because they did not answer."),
		func(s pool.Stats) int64 { return s.Hangs },
	},
	{
		counter("landbridge_provider_outgrown_total", "Provider processes that were ended because they used "+
			"too much memory."), func(s pool.Stats) int64 { return s.Outgrown },
	},
	{
		counter("landbridge_provider_replacements_total", "Provider processes that were replaced because "+
			"of their growth."), func(s pool.Stats) int64 { return s.Replacements },
	},
	{
		counter("landbridge_provider_evictions_total", "Idle provider processes that were ended to make "+
			"room for others."), func(s pool.Stats) int64 { return s.Evictions },
	},
	{
		counter("landbridge_provider_throttling_pauses_total",
			"Pauses of provider configurations because of throttling."), func(s pool.Stats) int64 { return s.Pauses },
	},
	{
		counter("landbridge_provider_outages_total", "Pauses of provider configurations because of their "+
			"credentials or endpoint."), func(s pool.Stats) int64 { return s.Outages },
	},
}

func counter(name, help string) *prometheus.Desc { return prometheus.NewDesc(name, help, nil, nil) }

// Describe implements prometheus.Collector.
func (snapshot) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		resourcesNow, runningNow, unknownNow, awaitingNow, brakedNow, driftedNow, unsettledNow, unobservedNow,
		oldestNow, memoryNow, mostMemory, processesNow,
	} {
		to <- d
	}
	for _, c := range poolCounters {
		to <- c.desc
	}
}

// Collect implements prometheus.Collector.
func (s snapshot) Collect(to chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, n int, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(n), labels...)
	}
	for k, c := range s.resources.Census() {
		for state, n := range c.States {
			gauge(resourcesNow, n, k.Group, k.Kind, cmp.Or(string(state), "Empty"))
		}
		gauge(runningNow, c.Running, k.Group, k.Kind)
		gauge(unknownNow, c.Unknown, k.Group, k.Kind)
		gauge(driftedNow, c.Drifted, k.Group, k.Kind)
		gauge(unsettledNow, c.Unsettled, k.Group, k.Kind)
		gauge(unobservedNow, c.Unobserved, k.Group, k.Kind)
		if c.Braked > 0 {
			gauge(brakedNow, c.Braked, k.Group, k.Kind)
		}
		if c.Awaiting > 0 {
			gauge(awaitingNow, c.Awaiting, k.Group, k.Kind)
		}
	}
	for k, age := range s.kinds.OldestChanges() {
		to <- prometheus.MustNewConstMetric(oldestNow, prometheus.GaugeValue, age.Seconds(), k.Group, k.Kind)
	}
	stats := s.providers.Stats()
	gauge(processesNow, stats.Servers)
	gauge(mostMemory, int(s.providers.MaxMemory()))
	for configuration, bytes := range s.providers.Memory() {
		to <- prometheus.MustNewConstMetric(memoryNow, prometheus.GaugeValue, float64(bytes), configuration)
	}
	for _, c := range poolCounters {
		to <- prometheus.MustNewConstMetric(c.desc, prometheus.CounterValue, float64(c.value(stats)))
	}
}

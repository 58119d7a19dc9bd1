package controller

import (
	"maps"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/scheduler"
)

// configurationLabel is the label of metrics with the name of a provider configuration.
const configurationLabel = "configuration"

const (
	// maxCounted is how many provider configurations have series of their own. Users make
	// configurations, and those that are gone would be kept otherwise.
	maxCounted = 1000
	// countedFor is the time after its last call for which a configuration keeps its series.
	countedFor = time.Hour
)

// calls counts and times calls of providers, by their configurations. Those of configurations
// beyond maxCounted are counted together.
type calls struct {
	seconds *prometheus.HistogramVec

	mu sync.Mutex
	// last has when each configuration was called last.
	last map[string]time.Time
}

func newCalls() *calls {
	return &calls{seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "landbridge_provider_call_duration_seconds",
		Help: "Duration of calls of providers about remote objects, by the provider configuration, the method of " +
			"the protocol, and the result. Beyond 1,000 configurations, the name is empty.",
		Buckets: []float64{0.005, 0.02, 0.1, 0.5, 2, 10, 60, 600},
	}, []string{configurationLabel, "method", "result"})}
}

func (x *calls) count(c pool.Call, now time.Time) {
	result := scheduler.Succeeded
	if c.Failed {
		result = scheduler.Failed
	}
	x.seconds.WithLabelValues(x.label(c.Configuration, now), c.Method, string(result)).Observe(c.Took.Seconds())
}

// label returns the label of a configuration; empty if it is counted with others.
func (x *calls) label(configuration string, now time.Time) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	if _, known := x.last[configuration]; !known && len(x.last) >= maxCounted {
		maps.DeleteFunc(x.last, func(name string, last time.Time) bool {
			unused := now.Sub(last) > countedFor
			if unused {
				x.seconds.DeletePartialMatch(prometheus.Labels{configurationLabel: name})
			}
			return unused
		})
		if len(x.last) >= maxCounted {
			return ""
		}
	}
	if x.last == nil {
		x.last = map[string]time.Time{}
	}
	x.last[configuration] = now
	return configuration
}

package query

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/policy"
)

const (
	defaultInterval = 10 * time.Minute
	minInterval     = 10 * time.Second
	minBackoff      = time.Second
)

// memory has when each query runs next. After a start, all run.
type memory struct {
	mu sync.Mutex
	of map[types.NamespacedName]next
}

// next is the next run of a query.
type next struct {
	revision string
	at       time.Time
	failures int
}

// due returns how long it is until a query of a revision runs; 0 if it is due.
func (m *memory) due(key types.NamespacedName, revision string, now time.Time) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, ok := m.of[key]
	if !ok || n.revision != revision {
		return 0
	}
	return max(n.at.Sub(now), 0)
}

// succeeded records a run, and returns when the next one is.
func (m *memory) succeeded(key types.NamespacedName, revision string, now time.Time, interval time.Duration) time.Duration {
	return m.set(key, next{revision: revision, at: now.Add(interval)}, now)
}

// failed records a run that has failed, and returns when the next one is: at a time, or after a
// delay that grows up to the interval.
func (m *memory) failed(key types.NamespacedName, revision string, now, at time.Time, interval time.Duration) time.Duration {
	m.mu.Lock()
	failures := 0
	if n := m.of[key]; n.revision == revision {
		failures = n.failures
	}
	m.mu.Unlock()
	if at.IsZero() {
		at = now.Add(backoff(failures, interval))
	}
	return m.set(key, next{revision: revision, at: at, failures: failures + 1}, now)
}

func (m *memory) set(key types.NamespacedName, n next, now time.Time) time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.of == nil {
		m.of = map[types.NamespacedName]next{}
	}
	m.of[key] = n
	return max(n.at.Sub(now), time.Millisecond)
}

// forget has a query run as soon as it is reconciled.
func (m *memory) forget(key types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.of, key)
}

// backoff returns the delay after a number of failures before the last one.
func backoff(failures int, most time.Duration) time.Duration {
	if failures > 20 {
		return most
	}
	return min(minBackoff<<failures, most)
}

func intervalOf(q *v1alpha1.ResourceQuery) time.Duration {
	if q.Spec.Interval == nil || q.Spec.Interval.Duration <= 0 {
		return defaultInterval
	}
	return max(q.Spec.Interval.Duration, minInterval)
}

// revisionOf identifies what a query runs for: a change of it, of the policies that judge what it
// finds, and a request.
func revisionOf(q *v1alpha1.ResourceQuery, policies []*policy.EstatePolicy) string {
	parts := []string{string(q.UID), fmt.Sprint(q.Generation), q.Annotations[v1alpha1.AnnotationReconcile]}
	for _, p := range policies {
		parts = append(parts, fmt.Sprintf("%s/%d", p.Name, p.Generation))
	}
	return strings.Join(parts, "\x00")
}

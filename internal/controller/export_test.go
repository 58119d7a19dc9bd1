package controller

import (
	"context"
	"net/http"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/client-go/kubernetes"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/record"

	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// Recorder returns a recorder with a queue for events that happen once, and one for repeated
// events.
func Recorder(once, repeated record.EventRecorder) record.EventRecorder {
	return recorder{once: once, repeated: repeated}
}

// NewRecorder exports newRecorder.
var NewRecorder = newRecorder

// GaugeBehind is gaugeBehind.
var GaugeBehind = gaugeBehind

// NewClient is the manager's client.
var NewClient = newClient

// Lease exports lease.
type Lease = lease

// NewLease returns a lease with a lock.
func NewLease(lock resourcelock.Interface, safe time.Duration) *Lease {
	return &lease{Interface: lock, safe: safe}
}

// Leads exports leads.
func (l *lease) Leads() bool { return l.leads() }

// CountRefused is countRefused.
var CountRefused = countRefused

// RegisterMetrics registers the metrics of the process.
func RegisterMetrics() error {
	_, err := resourceMetrics()
	return err
}

// Check is a check of /readyz.
type Check = check

// NewCheck returns a check with a constant result.
func NewCheck(name, detail string, err error) Check {
	return check{name, func(context.Context) (string, error) { return detail, err }}
}

// Health returns the handler of the probes.
func Health(checks ...Check) http.Handler {
	return health("", func() []check { return checks }).Server.Handler
}

// GuardMetrics is guardMetrics.
var GuardMetrics = guardMetrics

// Term is the leadership of a process.
type Term struct {
	// Elected is set with leader election, and Led when the process has led.
	Elected, Led bool
	// Renewed is when it last renewed its lease.
	Renewed time.Time
}

// Fence returns the transport of a process over another one.
func Fence(next http.RoundTripper, t Term, secrets string) http.RoundTripper {
	l := &lease{renewed: t.Renewed, safe: 10 * time.Second}
	if t.Elected {
		l.Interface = &resourcelock.LeaseLock{}
	}
	if t.Led {
		l.transitions = new(int)
	}
	return fence{next: next, lease: l, secrets: secrets}
}

// LostSecrets returns what reports deleted Secrets of a namespace.
func LostSecrets(m metadata.Interface, namespace string, report func(store.Key)) interface{ Start(context.Context) error } {
	return &lostSecrets{metadata: m, namespace: namespace, report: report}
}

// MakeCRDs is makeCRDs.
var MakeCRDs = makeCRDs

// CountEvent is countEvent.
var CountEvent = countEvent

// Counted returns a store whose writes are counted.
func Counted(s store.Store) store.Store { return countedStore{s} }

// Snapshot returns the collector of a controller's metrics.
func Snapshot(s *scheduler.Scheduler, p *pool.Pool) prometheus.Collector {
	return snapshot{s, p, &kinds.Registry{}}
}

// ReferredSecrets returns what wakes resources when their Secrets change, and its start.
func ReferredSecrets(
	m metadata.Interface, kube kubernetes.Interface, wake func(store.Key),
) (managed.SecretWatch, func(context.Context) error) {
	s := &referredSecrets{metadata: m, allowed: mayWatchSecrets(kube.AuthorizationV1()), wake: wake}
	return s, s.Start
}

// Group is a replica's part in the lease that replicas with shards hold together.
type Group struct{ *group }

// NewGroup returns one of the replicas with the same holder.
func NewGroup(leases coordinationv1client.LeaseInterface, holder string, duration time.Duration) Group {
	return Group{&group{
		leases: leases, name: "lease", holder: holder, duration: duration, safe: duration * 2 / 3,
		retry: duration * 2 / 15, log: logr.Discard(),
	}}
}

// Join waits until the lease is held, Keep keeps it, and Holds reports whether it is held for
// certain.
func (g Group) Join(ctx context.Context) error { return g.join(ctx) }
func (g Group) Keep(ctx context.Context) error { return g.keep(ctx) }
func (g Group) Holds() bool                    { return g.holds() }

// Follow returns what makes writes of what is not of one shard dry runs.
func Follow(next http.RoundTripper) http.RoundTripper { return follower{next} }

// Discreet is discreet.
var Discreet = discreet

// Served are the kinds that controllers run for.
type Served = served

// Elsewhere returns the records of other shards than one.
func Elsewhere(secrets corev1client.SecretInterface, own store.Shard, kinds Served) scheduler.Elsewhere {
	return elsewhere{kinds, &store.Secrets{Client: secrets}, own}
}

// Calls is calls.
type Calls = calls

// NewCalls is newCalls.
var NewCalls = newCalls

// Count is count.
func (x *calls) Count(c pool.Call, now time.Time) { x.count(c, now) }

// Seconds are the series.
func (x *calls) Seconds() prometheus.Collector { return x.seconds }

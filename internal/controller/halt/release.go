package halt

import (
	"context"
	"sync"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/landbridge-io/landbridge/internal/scheduler/brake"
)

// BrakeConfigMap is the name of the ConfigMap that has the last Releases of the brake. Whoever may
// write it may release it.
const BrakeConfigMap = "landbridge-brake"

// releasesKey is the key of the ConfigMap whose value is a list of Releases, in JSON.
const releasesKey = "releases"

// Release lets what the brake holds be destroyed, and what was deleted before it.
type Release struct {
	// Provider and Account are those of a Pause; empty for all.
	Provider string      `json:"provider,omitempty"`
	Account  string      `json:"account,omitempty"`
	At       metav1.Time `json:"at"`
}

// ReleasesIn returns those in a ConfigMap.
func ReleasesIn(in *corev1.ConfigMap) ([]Release, error) {
	return listIn[Release](in, BrakeConfigMap, releasesKey)
}

// AddRelease adds one to a ConfigMap, in place of a former one of the same.
func AddRelease(in *corev1.ConfigMap, r Release) error {
	all, err := ReleasesIn(in)
	if err != nil {
		return err
	}
	out := []Release{r}
	for _, o := range all {
		if o.Provider != r.Provider || o.Account != r.Account {
			out = append(out, o)
		}
	}
	return setList(in, releasesKey, out)
}

// Releases hears of the Releases of an installation.
type Releases struct {
	// Client is that of Landbridge's own namespace.
	Client typedcorev1.ConfigMapInterface
	// Released is called with each Release.
	Released func(brake.Release)
	Logger   logr.Logger

	mu sync.Mutex
	// heard is set when the former ones are known.
	heard bool
	known map[Release]bool
}

// NeedLeaderElection implements manager.LeaderElectionRunnable.
func (w *Releases) NeedLeaderElection() bool { return true }

// Start implements manager.Runnable.
func (w *Releases) Start(ctx context.Context) error {
	follow(ctx, w.Client, BrakeConfigMap, w.set, func(err error) {
		w.Logger.Error(err, "The brake cannot be released: the Role landbridge of this release permits the "+
			"controller to watch the ConfigMap", "configMap", BrakeConfigMap)
	})
	return nil
}

// set notes what the ConfigMap has. A Release that is new was made just now, by whatever clock.
func (w *Releases) set(c *corev1.ConfigMap) {
	all, err := ReleasesIn(c)
	if err != nil {
		w.Logger.Error(err, "The brake is not released")
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	first := !w.heard
	w.heard = true
	if w.known == nil {
		w.known = map[Release]bool{}
	}
	now := time.Now()
	for _, r := range all {
		key := Release{Provider: r.Provider, Account: r.Account, At: metav1.Unix(r.At.Unix(), 0)}
		if w.known[key] {
			continue
		}
		w.known[key] = true
		at := now
		if first && r.At.Time.Before(now) {
			at = r.At.Time
		}
		w.Released(brake.Release{Provider: r.Provider, Account: r.Account, At: at})
		if !first {
			w.Logger.Info("The brake is released", "provider", r.Provider, "account", r.Account)
		}
	}
}

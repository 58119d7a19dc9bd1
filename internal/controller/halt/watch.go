package halt

import (
	"context"
	"fmt"
	"sync"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

// Watch knows the Pauses of an installation. It is safe for concurrent use.
type Watch struct {
	// Client is that of Landbridge's own namespace.
	Client typedcorev1.ConfigMapInterface
	// Changed is called when others than before are paused.
	Changed func()
	Logger  logr.Logger

	mu sync.Mutex
	// known is set when the Pauses were read. invalid is why they are not understood.
	known, forbidden bool
	invalid          error
	all              []Pause
}

// NeedLeaderElection implements manager.LeaderElectionRunnable.
func (w *Watch) NeedLeaderElection() bool { return true }

// Start implements manager.Runnable.
func (w *Watch) Start(ctx context.Context) error {
	follow(ctx, w.Client, PauseConfigMap, func(c *corev1.ConfigMap) { w.set(Pauses(c)) }, w.forbid)
	return nil
}

// Why returns why nothing may begin for a resource; empty if it may.
func (w *Watch) Why(s Subject) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case !w.known:
		return "It is not known yet whether operations are paused."
	case w.invalid != nil:
		return fmt.Sprintf("All operations are paused, because %s. Correct it, or remove it from the ConfigMap.", w.invalid)
	}
	for _, p := range w.all {
		if p.covers(s) {
			return fmt.Sprintf("%s. They resume after %s.", p, p.Resume())
		}
	}
	return ""
}

// forbid notes that the Pauses cannot be read: an administrator who has not granted it cannot
// pause.
func (w *Watch) forbid(err error) {
	w.mu.Lock()
	told := w.forbidden
	w.forbidden = true
	first := !w.known
	w.known = true
	w.mu.Unlock()
	if !told {
		w.Logger.Error(err, "Operations cannot be paused: the Role landbridge of this release permits the "+
			"controller to watch the ConfigMap", "configMap", PauseConfigMap)
	}
	if first {
		w.Changed()
	}
}

// set notes what the ConfigMap has.
func (w *Watch) set(all []Pause, invalid error) {
	w.mu.Lock()
	w.all, w.invalid, w.known, w.forbidden = all, invalid, true, false
	w.mu.Unlock()
	switch {
	case invalid != nil:
		w.Logger.Error(invalid, "All operations are paused")
	case len(all) > 0:
		for _, p := range all {
			w.Logger.Info(p.String())
		}
	}
	w.Changed()
}

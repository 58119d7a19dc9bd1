package turns

import (
	"context"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// SetClock sets the clock.
func (t *Turns) SetClock(now func() time.Time) { t.now = now }

// Queue returns what queues.
func (t *Turns) Queue() Queue { return t.queue }

// Hear notes that a resource is new or has changed.
func (t *Turns) Hear(req reconcile.Request) { t.change(req, t.hear) }

// Change notes that a resource has changed, whose request is queued next.
func (t *Turns) Change(req reconcile.Request) { t.enter(req, changed) }

// Create notes that a resource is new, whose request is queued next.
func (t *Turns) Create(req reconcile.Request) { t.enter(req, created) }

// Begun has a request that is queued next in the lane of what was begun.
func (t *Turns) Begun(req reconcile.Request) { t.change(req, begin) }

// GoOn has a request that is queued next in the lane of what it continues.
func (t *Turns) GoOn(req reconcile.Request) { t.change(req, goOn) }

// Gone forgets a resource.
func (t *Turns) Gone(req reconcile.Request) { t.change(req, gone) }

// Popped takes a request that was queued.
func (t *Turns) Popped(req reconcile.Request) { t.lane(req) }

// Wait notes that only non-urgent work is left of a request, and Waits reports whether it waits.
func (t *Turns) Wait(req reconcile.Request)       { t.change(req, t.wait) }
func (t *Turns) Waits(req reconcile.Request) bool { return t.waits(req) }

// Unhurried is the number of queued requests with non-urgent work.
func (t *Turns) Unhurried() int { return int(t.lanes.unhurried.Load()) }

// Known is the number of resources of which something is known.
func (t *Turns) Known() int { return len(t.turns) }

// Replace has workers replaced by a function.
func (t *Turns) Replace(f func(over <-chan struct{})) { t.share.replace = f }

// Replacement returns how a worker in place of another one reconciles a request.
func Replacement(
	q workqueue.TypedRateLimitingInterface[reconcile.Request], r reconcile.Reconciler, log logr.Logger,
) func(context.Context, reconcile.Request) {
	return replacement{r, q, log}.reconcile
}

package turns

import (
	"context"
	"fmt"

	"github.com/go-logr/logr"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// replacement is a worker in place of one whose request takes long, such as a call of a provider
// that hangs. It does what the workers of controller-runtime do, whose number is fixed.
type replacement struct {
	reconciler reconcile.Reconciler
	queue      workqueue.TypedRateLimitingInterface[reconcile.Request]
	log        logr.Logger
}

// Work sets the work queue, and has workers replaced that hang until ctx is done.
func (t *Turns) Work(
	ctx context.Context, q workqueue.TypedRateLimitingInterface[reconcile.Request], r reconcile.Reconciler,
	log logr.Logger,
) {
	t.Use(q)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.share.replace = func(over <-chan struct{}) { go replacement{r, q, log}.work(ctx, over) }
}

// work works until over is closed, and then ends with the next request.
func (w replacement) work(ctx context.Context, over <-chan struct{}) {
	for {
		req, stopped := w.queue.Get()
		if stopped {
			return
		}
		w.reconcile(ctx, req)
		select {
		case <-over:
			return
		default:
		}
	}
}

func (w replacement) reconcile(ctx context.Context, req reconcile.Request) {
	defer w.queue.Done(req)
	result, err := w.recovered(ctx, req)
	switch {
	case err != nil:
		w.log.Error(err, "Reconciler error", "namespace", req.Namespace, "name", req.Name)
		w.queue.AddRateLimited(req)
	case result.RequeueAfter > 0:
		w.queue.Forget(req)
		w.queue.AddAfter(req, result.RequeueAfter)
	case result.Requeue: //nolint:staticcheck // RequeueAfter has no delay that grows
		w.queue.AddRateLimited(req)
	default:
		w.queue.Forget(req)
	}
}

// recovered reconciles, and returns a panic as an error.
func (w replacement) recovered(ctx context.Context, req reconcile.Request) (_ reconcile.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return w.reconciler.Reconcile(ctx, req)
}

package turns_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/internal/controller/turns"
)

// A worker in place of one that hangs queues requests again as those of controller-runtime do.
func TestReplacementQueuesAgain(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		result reconcile.Result
		err    error
		// failures is the number of failures in a row, by which the next one is delayed.
		failures int
	}{
		"succeeds":         {},
		"polls":            {result: reconcile.Result{RequeueAfter: time.Hour}},
		"fails":            {err: errors.New("no"), failures: 2},
		"fails, and knows": {result: reconcile.Result{Requeue: true}, failures: 2}, //nolint:staticcheck // RequeueAfter has no delay that grows
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](time.Hour, time.Hour))
			defer q.ShutDown()
			req := request("x")
			q.AddRateLimited(req) // it has failed once
			turns.Replacement(q, reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) {
				return tc.result, tc.err
			}), logr.Discard())(t.Context(), req)
			if got := q.NumRequeues(req); got != tc.failures {
				t.Errorf("%d failures, want %d", got, tc.failures)
			}
		})
	}
}

package informer_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/landbridge-io/landbridge/internal/controller/informer"
)

// server answers the watch of each attempt after the given time.
type server struct {
	cache.Cache
	answers []time.Duration
	watches int
	removed int
}

type watching struct {
	cache.Informer
	since  time.Time
	answer time.Duration
}

func (w watching) HasSynced() bool { return time.Since(w.since) >= w.answer }

func (s *server) GetInformer(context.Context, client.Object, ...cache.InformerGetOption) (cache.Informer, error) {
	s.watches++
	return watching{since: time.Now(), answer: s.answers[min(s.watches, len(s.answers))-1]}, nil
}

func (s *server) RemoveInformer(context.Context, client.Object) error { s.removed++; return nil }

func TestStart(t *testing.T) {
	const never = time.Hour
	for name, x := range map[string]struct {
		answers []time.Duration
		// arrives is the interval at which objects arrive; 0 for never.
		arrives time.Duration
		limit   time.Duration
		watches int
		fails   bool
	}{
		"at once":                        {answers: []time.Duration{0}, watches: 1},
		"soon":                           {answers: []time.Duration{4 * time.Second}, watches: 1},
		"not the first":                  {answers: []time.Duration{never, 0}, watches: 2},
		"slow, with growing patience":    {answers: []time.Duration{15 * time.Second}, watches: 3},
		"slow, with many objects":        {answers: []time.Duration{time.Minute}, arrives: 4 * time.Second, watches: 1},
		"not before the caller gives up": {answers: []time.Duration{never}, limit: 6 * time.Second, watches: 2, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if x.limit != 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, x.limit)
					defer cancel()
				}
				s := &server{answers: x.answers}
				c, arrives := informer.NewListened(s)
				if x.arrives != 0 {
					ctx, cancel := context.WithCancel(ctx)
					defer cancel()
					go wait.UntilWithContext(ctx, func(context.Context) { arrives(schema.GroupVersionKind{}, &unstructured.Unstructured{}) }, x.arrives)
				}
				err := informer.Start(ctx, c, &unstructured.Unstructured{}, informer.Early{}, logr.Discard())
				if (err != nil) != x.fails {
					t.Errorf("error %v", err)
				}
				if s.watches != x.watches || s.removed != x.watches-1 {
					t.Errorf("%d watches, %d given up", s.watches, s.removed)
				}
			})
		})
	}
}

// registered is an event handler that has received all objects.
type registered struct {
	toolscache.ResourceEventHandlerRegistration
}

func (registered) HasSynced() bool { return true }

func (watching) AddEventHandlerWithOptions(
	toolscache.ResourceEventHandler, toolscache.HandlerOptions,
) (toolscache.ResourceEventHandlerRegistration, error) {
	return registered{}, nil
}

// WaitForCacheSync waits for all watches. One of them is never answered.
func (s *server) WaitForCacheSync(ctx context.Context) bool { <-ctx.Done(); return false }

// A kind's source must start although another kind's watch is not answered.
func TestOnlyWaitsForItsOwnKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		s := &server{answers: []time.Duration{0}}
		queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
		defer queue.ShutDown()
		x := source.Kind(informer.Only(s), &unstructured.Unstructured{}, &handler.TypedEnqueueRequestForObject[*unstructured.Unstructured]{})
		if err := x.Start(ctx, queue); err != nil {
			t.Fatal(err)
		}
		if err := x.WaitForSync(ctx); err != nil {
			t.Error(err)
		}
	})
}

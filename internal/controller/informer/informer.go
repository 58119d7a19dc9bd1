package informer

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// patience is the time in which the first watch has to deliver existing objects. It doubles with
// each attempt.
const patience = 5 * time.Second

// Early is what is to be known of a kind before all its objects are.
type Early struct {
	// Found is called with objects as they arrive, which must not be changed. It may be called more
	// than once with an object, and may be nil.
	Found func(*unstructured.Unstructured)
	// Since is a resource version. Objects that are newer are found first. If it is empty, or too
	// old for the API server, all are found in the order in which they are listed.
	Since string
}

// Start makes the cache watch the kind of obj, and returns when the existing objects are in it.
//
// The API server may not answer a watch that begins just when a changed CustomResourceDefinition
// takes effect, for as long as watches last, which is minutes (kubernetes/kubernetes#71138 is
// similar). It answers another attempt.
func Start(ctx context.Context, c cache.Cache, obj client.Object, early Early, log logr.Logger) error {
	var arrived atomic.Int64
	if l, ok := c.(listened); ok {
		kind := obj.GetObjectKind().GroupVersionKind()
		defer l.listen(kind, func(u *unstructured.Unstructured) {
			arrived.Add(1)
			if early.Found != nil {
				early.Found(u)
			}
		})()
		if early.Since != "" {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			go l.newer(ctx, kind, early.Since)
		}
	}
	for patience := patience; ; patience *= 2 {
		informer, err := c.GetInformer(ctx, obj, cache.BlockUntilSynced(false))
		if err != nil {
			return err
		}
		seen, since := arrived.Load(), time.Now()
		err = wait.PollUntilContextCancel(ctx, 5*time.Millisecond, true, func(context.Context) (bool, error) {
			if n := arrived.Load(); n != seen {
				seen, since = n, time.Now()
			}
			return informer.HasSynced() || time.Since(since) > patience, nil
		})
		switch {
		case err != nil:
			return fmt.Errorf("the existing objects are not listed yet: %w", err)
		case informer.HasSynced():
			return nil
		}
		log.Info("Watch is not answered, trying again", "kind", obj.GetObjectKind().GroupVersionKind().GroupKind().String(), "after", patience)
		if err := c.RemoveInformer(ctx, obj); err != nil {
			return err
		}
	}
}

// Only returns the cache for the source of one kind, which waits for that kind's watch only. A
// watch of another kind may be the one that Start gives up; waiting for it would never end.
func Only(c cache.Cache) cache.Cache { return only{c} }

type only struct{ cache.Cache }

// WaitForCacheSync does not wait: GetInformer, which is called before it, has waited for its kind.
func (only) WaitForCacheSync(context.Context) bool { return true }

package informer

import (
	"context"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Patience is how long a watch may take to tell what exists, the first time; it doubles with
// each attempt.
const Patience = 5 * time.Second

// Start has the cache watch the kind of obj, and returns when the objects that exist are known.
//
// The API server may leave a watch unanswered that reaches it just when it puts a changed
// CustomResourceDefinition into effect, for as long as watches last: minutes
// (kubernetes/kubernetes#71138 tells of its kin). Asked again, it answers.
func Start(ctx context.Context, c cache.Cache, obj client.Object, log logr.Logger) error {
	for patience := Patience; ; patience *= 2 {
		informer, err := c.GetInformer(ctx, obj, cache.BlockUntilSynced(false))
		if err != nil {
			return err
		}
		err = wait.PollUntilContextTimeout(ctx, 5*time.Millisecond, patience, true, func(context.Context) (bool, error) {
			return informer.HasSynced(), nil
		})
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return fmt.Errorf("the objects that exist are not known yet: %w", ctx.Err())
		}
		log.Info("A watch is not answered, asking again", "kind", obj.GetObjectKind().GroupVersionKind().GroupKind().String(), "after", patience)
		if err := c.RemoveInformer(ctx, obj); err != nil {
			return err
		}
	}
}

// Only is the cache for the source of one kind, which waits for that kind's watch alone. That
// of others may just be given up by Start, and whoever waited for it would wait for ever.
func Only(c cache.Cache) cache.Cache { return only{c} }

type only struct{ cache.Cache }

// WaitForCacheSync does not wait: GetInformer, which comes before it, has waited for its kind.
func (only) WaitForCacheSync(context.Context) bool { return true }

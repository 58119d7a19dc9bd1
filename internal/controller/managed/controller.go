package managed

import (
	"context"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/landbridge-io/landbridge/internal/controller/turns"
)

// Controller is the controller of one kind, whose objects take turns.
type Controller struct {
	// Name says what objects of the kind are, such as "managed". The controller's name in metrics
	// begins with it.
	Name       string
	Kind       schema.GroupVersionKind
	Reconciler reconcile.Reconciler
	Turns      *turns.Turns
	Options    Options
}

// Start runs the controller until ctx ends, and calls queued when objects can be woken. The kind's
// CRD must be served. No object is watched yet.
func (c Controller) Start(ctx context.Context, m manager.Manager, queued func()) (controller.Controller, error) {
	kind := c.Kind.GroupKind()
	log := c.Options.Logger.WithValues("kind", kind.String())
	ctl, err := controller.NewUnmanaged(c.Name+"/"+kind.String(), controller.Options{
		Reconciler:              c.Reconciler,
		MaxConcurrentReconciles: c.Options.Workers,
		RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](
			c.Options.MinBackoff, c.Options.MaxBackoff,
		),
		// One logger for all reconciles: a logger for each costs more than most of them log.
		LogConstructor:     func(*reconcile.Request) logr.Logger { return log },
		SkipNameValidation: ptr.To(true),
		NewQueue:           c.Turns.NewQueue,
	})
	if err != nil {
		return nil, fmt.Errorf("cannot make the controller of %s: %w", kind.Kind, err)
	}
	// A CRD is established shortly before discovery has it.
	err = wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, time.Minute, true, func(context.Context) (bool, error) {
		_, err := m.GetRESTMapper().RESTMapping(kind, c.Kind.Version)
		return err == nil, nil
	})
	if err != nil {
		return nil, fmt.Errorf("the kind %s is not served: %w", kind.Kind, err)
	}
	made := make(chan struct{})
	err = ctl.Watch(source.Func(func(_ context.Context, q workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		c.Turns.Work(ctx, q, c.Reconciler, log)
		close(made)
		return nil
	}))
	if err != nil {
		return nil, fmt.Errorf("cannot queue %s: %w", kind.Kind, err)
	}
	failed := make(chan error, 1)
	go func() {
		err := ctl.Start(ctx)
		if err != nil {
			log.Error(err, "The controller of a kind ended")
		}
		failed <- err
	}()
	select {
	case <-made:
		queued()
		return ctl, nil
	case err := <-failed:
		return nil, fmt.Errorf("the controller of %s ended: %w", kind.Kind, err)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

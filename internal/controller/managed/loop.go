package managed

import (
	"context"
	"errors"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// creationGracePeriod is how long an object that another controller has created may be invisible.
const creationGracePeriod = 30 * time.Second

// loop brings the remote object of a resource to what its spec declares, and its status to what was
// found: the steps of Crossplane's managed.Reconciler, in its order. found is the look that was
// made already, if any. The result is when to look again if nothing wakes the resource.
func (r *Reconciler) loop(ctx context.Context, mg *CustomResource, found look) (reconcile.Result, error) {
	ctx, remote, cancel := r.bounded(ctx)
	defer cancel()
	r.debug.Info("Reconciling", "namespace", mg.GetNamespace(), "name", mg.GetName(), "version", mg.GetResourceVersion())
	r.kind.reconciling(mg)
	if paused(mg) {
		return r.pause(ctx, mg)
	}
	r.noteRequest(mg)
	may := xpmanaged.NewManagementPoliciesResolver(true, mg.GetManagementPolicies())
	if err := may.Validate(); err != nil {
		_, err = r.fail(ctx, mg, validating, err)
		return reconcile.Result{}, err // until the spec changes
	}
	deleted := meta.WasDeleted(mg)
	if deleted && !may.ShouldDelete() {
		return r.finish(ctx, mg)
	}
	if err := r.referrer.resolveReferences(ctx, mg); err != nil {
		return r.fail(ctx, mg, resolving, err)
	}
	e, err := r.connector.connect(remote, mg)
	if err != nil {
		return r.fail(ctx, mg, connecting, err)
	}
	o, err := e.observe(remote, mg, found)
	if err != nil {
		return r.fail(ctx, mg, observing, err)
	}
	absent := !o.Exists() && o.Operation == nil
	switch {
	case absent && may.ShouldOnlyObserve():
		_, err := r.fail(ctx, mg, observing, errors.New("external resource does not exist"))
		return r.poll(mg), err
	case absent && meta.ExternalCreateSucceededDuring(mg, creationGracePeriod):
		r.tell(mg, event.Normal(reasonPending, "Waiting for external resource existence to be confirmed"))
		return backOff, nil
	case deleted && len(mg.GetFinalizers()) > 1:
		return backOff, nil // others need the object
	case deleted && absent:
		return r.finishAfter(ctx, mg, e, o)
	case deleted:
		if err := e.delete(remote, mg); err != nil {
			return r.fail(ctx, mg, deleting, err)
		}
		return r.succeed(ctx, mg, backOff)
	}
	details, err := e.connectionDetails(mg, o)
	if err != nil {
		return r.fail(ctx, mg, observing, err)
	}
	initialized := e.lateInitialize(mg, o)
	if err := r.publish(ctx, mg, details); err != nil {
		return r.fail(ctx, mg, publishing, err)
	}
	if err := r.finalizer.add(ctx, mg); err != nil {
		return r.fail(ctx, mg, finalizing, err)
	}
	if absent && may.ShouldCreate() {
		e.awaited = e.after(ctx, mg, o)
		if err := e.create(remote, mg); err != nil {
			return r.fail(ctx, mg, creating, err)
		}
		return r.succeed(ctx, mg, backOff)
	}
	if initialized {
		if err := r.client.update(ctx, mg); err != nil {
			return r.fail(ctx, mg, initializing, err)
		}
	}
	e.awaited = e.after(ctx, mg, o)
	switch {
	case !e.due(mg, o):
		r.kind.upToDate(mg)
	case may.ShouldUpdate():
		if err := e.update(remote, mg); err != nil {
			return r.fail(ctx, mg, updating, err)
		}
	}
	return r.succeed(ctx, mg, r.poll(mg))
}

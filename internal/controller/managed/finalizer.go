package managed

import (
	"context"
	"errors"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/faultpoint"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
)

// finalizer holds a custom resource until its remote object is destroyed or released.
type finalizer struct {
	kind      *Kind
	client    *resourceClient
	connector *connector
}

// add has the finalizer hold a resource. One with the finalizer that the API server adds needs no
// write.
func (f *finalizer) add(ctx context.Context, r *CustomResource) error {
	if held(r) {
		return nil
	}
	meta.AddFinalizer(r, xpmanaged.FinalizerName)
	return f.client.update(ctx, r)
}

// remove releases a resource. If no remote object exists, the finalizer is removed before the
// stored instance: the stored instance records that there is none, so the object is not looked up
// by the annotations, which may name another resource's object by now. If a remote object stays,
// the stored instance is deleted first, because otherwise it would be left behind.
func (f *finalizer) remove(ctx context.Context, r *CustomResource) error {
	spec, _ := f.kind.read(r)
	req, _ := f.connector.request(ctx, r, spec)
	known, ok := f.kind.Scheduler.Remembered(req)
	if known.Running {
		// Its outcome would be stored for a resource that is gone.
		if known.Unrecorded != nil {
			return known.Unrecorded
		}
		return errors.New("an operation on the remote object is still running; the resource is released when it has ended")
	}
	if ok && known.Status == instance.Empty && len(known.Deposed) == 0 && !known.Interrupted {
		if err := f.kind.Scheduler.Retire(ctx, req); err != nil {
			return err
		}
		if err := f.release(ctx, r); err != nil {
			return err
		}
		if err := f.forget(ctx, r, req); err != nil {
			// The next process removes it.
			f.kind.Options.Logger.Error(err, "Cannot remove what is stored of a resource that is gone", "resource", req.Key)
		}
		return nil
	}
	if err := f.forget(ctx, r, req); err != nil {
		return err
	}
	return f.release(ctx, r)
}

func (f *finalizer) release(ctx context.Context, r *CustomResource) error {
	meta.RemoveFinalizer(r, v1alpha1.FinalizerCreated)
	meta.RemoveFinalizer(r, xpmanaged.FinalizerName)
	faultpoint.Reach(faultpoint.Finalize, faultpoint.BeforeRelease)
	return client.IgnoreNotFound(f.client.update(ctx, r))
}

func (f *finalizer) forget(ctx context.Context, r *CustomResource, req scheduler.Request) error {
	faultpoint.Reach(faultpoint.Finalize, faultpoint.BeforeForget)
	if err := f.kind.Scheduler.Forget(ctx, req); err != nil {
		return err
	}
	faultpoint.Reach(faultpoint.Finalize, faultpoint.AfterForget)
	f.kind.tracked.forget(subjectOf(r).name)
	return nil
}

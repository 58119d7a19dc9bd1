package managed

import (
	"context"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/faultpoint"
)

// finalizer holds a custom resource until its remote object is gone, or given up, and its
// state is forgotten.
type finalizer struct {
	kind      *Kind
	client    client.Client
	connector *connector
}

var _ resource.Finalizer = (*finalizer)(nil)

// AddFinalizer implements resource.Finalizer. A resource that the API server held from its
// creation on need not be written for that now.
func (f *finalizer) AddFinalizer(ctx context.Context, o resource.Object) error {
	if held(o) {
		return nil
	}
	meta.AddFinalizer(o, xpmanaged.FinalizerName)
	return f.client.Update(ctx, o)
}

// RemoveFinalizer implements resource.Finalizer. What is stored goes first: a state without
// its resource would be an orphan, a resource without state can still be found by its identity.
func (f *finalizer) RemoveFinalizer(ctx context.Context, o resource.Object) error {
	r := o.(*Resource)
	req, _ := f.connector.request(ctx, r)
	faultpoint.Reach(faultpoint.Finalize, faultpoint.BeforeForget)
	if err := f.kind.Scheduler.Forget(ctx, req); err != nil {
		return err
	}
	f.kind.configurations.forget(r.GetUID())
	f.kind.written.forget(r.GetUID())
	f.kind.troubles.over(r.GetUID())
	meta.RemoveFinalizer(o, v1alpha1.FinalizerCreated)
	meta.RemoveFinalizer(o, xpmanaged.FinalizerName)
	faultpoint.Reach(faultpoint.Finalize, faultpoint.BeforeRelease)
	err := client.IgnoreNotFound(f.client.Update(ctx, o))
	faultpoint.Reach(faultpoint.Finalize, faultpoint.AfterRelease)
	return err
}

// held says whether a finalizer of ours holds the resource.
func held(o metav1.Object) bool {
	return meta.FinalizerExists(o, xpmanaged.FinalizerName) || meta.FinalizerExists(o, v1alpha1.FinalizerCreated)
}

// settled says whether Crossplane's finalizer holds the resource, and nothing else of ours.
func settled(o metav1.Object) bool {
	return meta.FinalizerExists(o, xpmanaged.FinalizerName) && !meta.FinalizerExists(o, v1alpha1.FinalizerCreated)
}

// settle puts Crossplane's finalizer in place of the one that the API server put on.
func settle(o metav1.Object) {
	meta.RemoveFinalizer(o, v1alpha1.FinalizerCreated)
	meta.AddFinalizer(o, xpmanaged.FinalizerName)
}

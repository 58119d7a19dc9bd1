package providerconfig

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/informer"
	"github.com/landbridge-io/landbridge/internal/controller/queue"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// recount, recountDeletion and recheck are the intervals at which the status is updated. The second
// applies to a configuration that is being deleted, the third to one that cannot be used, was
// changed, or may be for another account.
const (
	recount         = time.Minute
	recountDeletion = 2 * time.Second
	recheck         = 5 * time.Second
)

// Reference identifies a provider configuration of one provider.
type Reference struct {
	// Kind is ProviderConfig or ClusterProviderConfig. Namespace is empty for the latter.
	Kind, Namespace, Name string
}

// ReferenceOf returns the configuration that a providerConfigRef refers to from a namespace.
func ReferenceOf(ref *xpv2.ProviderConfigReference, namespace string) Reference {
	if ref == nil {
		ref = &xpv2.ProviderConfigReference{}
	}
	out := Reference{Kind: cmp.Or(ref.Kind, model.ClusterProviderConfigKind), Name: cmp.Or(ref.Name, DefaultName)}
	if out.Kind == model.ProviderConfigKind {
		out.Namespace = namespace
	}
	return out
}

// ReferenceIn is ReferenceOf for the fields of a providerConfigRef, which may be nil.
func ReferenceIn(fields map[string]any, namespace string) Reference {
	kind, _ := fields["kind"].(string)
	name, _ := fields["name"].(string)
	return ReferenceOf(&xpv2.ProviderConfigReference{Kind: kind, Name: name}, namespace)
}

// Controller reconciles the provider configurations of one provider: it keeps a finalizer on them
// while resources use them, counts these resources, and wakes them when their configuration
// changes.
type Controller struct {
	Provider *model.Provider
	// Users returns the resources that use a configuration.
	Users func(ctx context.Context, ref Reference) ([]User, error)
	// Check returns why a configuration cannot be used, or nil.
	Check func(ctx context.Context, ref Reference) *Problem
	// AccountCode returns what confirms that a configuration is still for the same account.
	AccountCode func(ctx context.Context, ref Reference) string
	// Admission decides which of them count.
	Admission *Admission
	// Owned reports whether this controller reconciles a configuration with annotations; nil if it
	// reconciles all. Others are left to other replicas.
	Owned func(ctx context.Context, ref Reference, annotations map[string]string) (bool, error)
	// Guards is set if this controller puts the finalizer on the configurations of all replicas,
	// before they know them.
	Guards bool
	// Reads is called with the Secrets that a configuration refers to, whoever reconciles it; with
	// none if it is gone. Start calls it for all that exist. It may be nil.
	Reads func(ref Reference, secrets []types.NamespacedName)
	// Gone is called when a configuration and all its users are deleted; it may be nil.
	Gone func(ref Reference)

	running sync.WaitGroup
}

// User is a resource that uses a provider configuration.
type User struct {
	store.Key
	// AccountChanged is set if its object is not known to be in the account that the configuration
	// gives access to.
	AccountChanged bool
	// Wake wakes the resource.
	Wake func()
}

// Wait waits until the controller has stopped.
func (c *Controller) Wait() { c.running.Wait() }

// Start runs the controller until ctx is done. The CRDs must be served.
func (c *Controller) Start(ctx context.Context, m manager.Manager) error {
	for _, kind := range []string{model.ProviderConfigKind, model.ClusterProviderConfigKind} {
		obj := &unstructured.Unstructured{}
		obj.SetAPIVersion(c.Provider.Group + "/" + c.Provider.Version)
		obj.SetKind(kind)
		ctl, err := controller.NewUnmanaged("providerconfig/"+kind+"."+c.Provider.Group, controller.Options{
			Reconciler:         &reconciler{Controller: c, kind: kind, client: m.GetClient()},
			RateLimiter:        workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](time.Second, time.Minute),
			SkipNameValidation: ptr.To(true),
			NewQueue:           queue.New[reconcile.Request],
			Logger:             m.GetLogger(),
		})
		if err != nil {
			return fmt.Errorf("cannot create the controller of %s: %w", kind, err)
		}
		if err := informer.Start(ctx, m.GetCache(), obj, informer.Early{}, m.GetLogger()); err != nil {
			return fmt.Errorf("cannot watch %s: %w", kind, err)
		}
		if err := c.readAll(ctx, m.GetClient(), kind); err != nil {
			return fmt.Errorf("cannot list %s: %w", kind, err)
		}
		changed := predicate.Or(predicate.TypedGenerationChangedPredicate[*unstructured.Unstructured]{},
			predicate.TypedFuncs[*unstructured.Unstructured]{
				UpdateFunc: func(e event.TypedUpdateEvent[*unstructured.Unstructured]) bool {
					before, now := e.ObjectOld.GetAnnotations(), e.ObjectNew.GetAnnotations()
					return slices.ContainsFunc([]string{v1alpha1.AnnotationReconcile, v1alpha1.AnnotationShardBy}, func(name string) bool {
						return before[name] != now[name]
					})
				},
			})
		if err := ctl.Watch(source.Kind(informer.Only(m.GetCache()), obj,
			&handler.TypedEnqueueRequestForObject[*unstructured.Unstructured]{}, changed)); err != nil {
			return fmt.Errorf("cannot watch %s: %w", kind, err)
		}
		c.running.Go(func() {
			if err := ctl.Start(ctx); err != nil {
				m.GetLogger().Error(err, "Provider configuration controller failed", "kind", kind, "group", c.Provider.Group)
			}
		})
	}
	return nil
}

// readAll calls Reads for all configurations of a kind.
func (c *Controller) readAll(ctx context.Context, reader client.Reader, kind string) error {
	list := &unstructured.UnstructuredList{}
	list.SetAPIVersion(c.Provider.Group + "/" + c.Provider.Version)
	list.SetKind(kind + "List")
	if err := reader.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		return err
	}
	for i := range list.Items {
		u := &list.Items[i]
		c.reads(Reference{Kind: kind, Namespace: u.GetNamespace(), Name: u.GetName()}, u)
	}
	return nil
}

func (c *Controller) reads(ref Reference, u *unstructured.Unstructured) {
	if c.Reads != nil {
		c.Reads(ref, SecretsOf(u))
	}
}

type reconciler struct {
	*Controller
	kind   string
	client client.Client
}

// Reconcile implements reconcile.Reconciler.
func (r *reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	u := &unstructured.Unstructured{}
	u.SetAPIVersion(r.Provider.Group + "/" + r.Provider.Version)
	u.SetKind(r.kind)
	ref := Reference{Kind: r.kind, Namespace: req.Namespace, Name: req.Name}
	err := r.client.Get(ctx, req.NamespacedName, u)
	if client.IgnoreNotFound(err) != nil {
		return reconcile.Result{}, err
	}
	gone := err != nil
	r.reads(ref, u)
	if r.Guards && !gone && u.GetDeletionTimestamp() == nil && controllerutil.AddFinalizer(u, v1alpha1.FinalizerInUse) {
		if err := r.client.Update(ctx, u); err != nil {
			return reconcile.Result{}, err
		}
	}
	if r.Owned != nil && !gone {
		if owned, err := r.Owned(ctx, ref, u.GetAnnotations()); err != nil || !owned {
			return reconcile.Result{RequeueAfter: recheck}, err
		}
	}
	users, err := r.Users(ctx, ref)
	if err != nil {
		return reconcile.Result{}, err
	}
	switch {
	case gone && len(users) > 0:
		return reconcile.Result{RequeueAfter: recount}, nil // its last usable handle may still serve them
	case gone:
		if r.Gone != nil {
			r.Gone(ref)
		}
		return reconcile.Result{}, nil
	}
	deleted, all := u.GetDeletionTimestamp() != nil, users
	users = r.Admission.admitted(ctx, u, users)
	if deleted && len(users) == 0 {
		if controllerutil.RemoveFinalizer(u, v1alpha1.FinalizerInUse) {
			return reconcile.Result{}, client.IgnoreNotFound(r.client.Update(ctx, u))
		}
		return reconcile.Result{}, nil
	}
	if !deleted && controllerutil.AddFinalizer(u, v1alpha1.FinalizerInUse) {
		if err := r.client.Update(ctx, u); err != nil {
			return reconcile.Result{}, err
		}
	}
	observed, _, _ := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
	usable, err := r.tell(ctx, u, ref, users)
	if err != nil {
		return reconcile.Result{}, err
	}
	if observed != u.GetGeneration() {
		for _, user := range all {
			user.Wake()
		}
	}
	if deleted {
		return reconcile.Result{RequeueAfter: recountDeletion}, nil
	}
	if !usable || observed != u.GetGeneration() || slices.ContainsFunc(users, func(u User) bool { return u.AccountChanged }) {
		return reconcile.Result{RequeueAfter: recheck}, nil
	}
	return reconcile.Result{RequeueAfter: recount}, nil
}

package terraformprovider

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/go-logr/logr"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/typed/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	admissionregistration "k8s.io/client-go/kubernetes/typed/admissionregistration/v1"
	"k8s.io/client-go/openapi"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	ctrlevent "sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller/conversion"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/schema"
)

// resync is how often an installed provider is looked at without cause.
const resync = 10 * time.Minute

// minBackoff and maxBackoff bound the wait after failures in a row.
const (
	minBackoff = time.Second
	maxBackoff = 5 * time.Minute
)

// crdWorkers is how many CRDs are installed at once. More make the API server's own CRD
// controllers conflict with each other, and take longer.
const crdWorkers = 8

// Reconciler installs providers. All fields are needed but Linked, Conversions, StartTimeout
// and Limits.
type Reconciler struct {
	Manager   manager.Manager
	CRDs      apiextensions.CustomResourceDefinitionInterface
	Policies  admissionregistration.AdmissionregistrationV1Interface
	OpenAPI   openapi.Client
	Installer *install.Installer
	// Linked are the providers that need no binary; it may be empty.
	Linked []Linked
	// Conversions of a packaged provider's kinds; nil if somebody else serves them.
	Conversions *conversion.Conversions
	// CommandLine is for providers whose spec.execution asks for it.
	CommandLine *CommandLine
	Pool        *pool.Pool
	Scheduler   scheduler.Interface
	Registry    *Registry
	Managed     managed.Options
	Recorder    event.Recorder
	Logger      logr.Logger
	// StartTimeout bounds the start of a provider's process; a minute unless set.
	StartTimeout time.Duration
	// Limits are for providers that have none of their own.
	Limits pool.Limits
	// OtherUsers finds what uses a configuration of a provider, by the name of its TerraformProvider,
	// besides the resources of its own kinds; nil is nothing.
	OtherUsers func(ctx context.Context, provider string, ref providerconfig.Reference) []func()

	// lifetime ends when the manager stops.
	lifetime  context.Context
	starts    *starts
	queue     workqueue.TypedRateLimitingInterface[reconcile.Request]
	mu        sync.Mutex
	providers map[types.UID]*running
	// packaged is the name of the provider that there is no TerraformProvider for; empty unless that is so.
	packaged string
	// pruned is when CRDs were deleted.
	pruned map[string]time.Time
}

// SetupWithManager registers the controller. Whatever it starts ends with ctx.
func (r *Reconciler) SetupWithManager(ctx context.Context, m manager.Manager) error {
	r.lifetime = ctx
	r.providers = map[types.UID]*running{}
	r.pruned = map[string]time.Time{}
	r.starts = newStarts(ctx, func(req reconcile.Request) { r.queue.Add(req) })
	if err := m.Add(r.starts); err != nil {
		return err
	}
	if err := m.Add(manager.RunnableFunc(r.settle)); err != nil {
		return err
	}
	queue := source.Func(func(_ context.Context, q workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		r.queue = q
		return nil
	})
	toProvider := handler.EnqueueRequestsFromMapFunc(func(_ context.Context, o client.Object) []reconcile.Request {
		name := o.GetLabels()[v1alpha1.LabelProvider]
		if name == "" {
			return nil
		}
		return []reconcile.Request{{NamespacedName: types.NamespacedName{Name: name}}}
	})
	return ctrl.NewControllerManagedBy(m).
		For(&v1alpha1.TerraformProvider{}, builder.WithPredicates(predicate.Or(predicate.GenerationChangedPredicate{}, predicate.AnnotationChangedPredicate{}))).
		// Metadata only: the schemas of a thousand CRDs are not to be held in memory.
		WatchesMetadata(&apiextensionsv1.CustomResourceDefinition{}, toProvider, builder.WithPredicates(predicate.Funcs{UpdateFunc: crdChanged})).
		WatchesRawSource(queue).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: 4,
			SkipNameValidation:      ptr.To(true), // there is one per call of Run
			RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](minBackoff, maxBackoff),
		}).
		Complete(r)
}

func crdChanged(e ctrlevent.UpdateEvent) bool {
	return e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration() || !e.ObjectNew.GetDeletionTimestamp().IsZero()
}

// problem is why a provider is not as it should be.
type problem struct {
	condition xpv2.ConditionType
	reason    xpv2.ConditionReason
	err       error
	// retry: it may pass by itself.
	retry bool
}

// starting: it is not known yet. The provider is being started, and looked at again when that has ended.
var starting = &problem{}

// Reconcile implements reconcile.Reconciler.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	p := &v1alpha1.TerraformProvider{}
	if err := r.Manager.GetClient().Get(ctx, req.NamespacedName, p); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if !p.DeletionTimestamp.IsZero() {
		return reconcile.Result{}, r.remove(ctx, p)
	}
	if controllerutil.AddFinalizer(p, v1alpha1.FinalizerProvider) {
		if err := r.Manager.GetClient().Update(ctx, p); err != nil {
			return AgainOnConflict(err)
		}
	}
	before := p.DeepCopy()
	problem, again := r.install(ctx, p)
	if problem != nil && problem != starting && r.former(ctx, p) {
		problem = starting
	}
	if problem == starting {
		return reconcile.Result{}, nil // what was found before stands until then
	}
	r.Registry.startup.tried(servedFrom{name: p.Name})
	p.Status.ObservedGeneration = p.Generation
	r.setConditions(p, problem)
	if !equality.Semantic.DeepEqual(before.Status, p.Status) {
		if err := r.Manager.GetClient().Status().Update(ctx, p); err != nil {
			return AgainOnConflict(err)
		}
	}
	if problem != nil && problem.retry {
		return reconcile.Result{}, problem.err
	}
	return reconcile.Result{RequeueAfter: again}, nil
}

func (r *Reconciler) setConditions(p *v1alpha1.TerraformProvider, problem *problem) {
	installed, healthy := Fine(p.Generation)
	if problem != nil {
		installed, healthy = Wrong(p.Generation, problem.condition, problem.reason, problem.err)
		if !p.Status.GetCondition(v1alpha1.TypeHealthy).Equal(healthy) {
			r.Recorder.Event(p, event.Warning(event.Reason(problem.reason), problem.err))
		}
	} else if healthy.Message = r.limitation(p.UID); p.Status.GetCondition(v1alpha1.TypeHealthy).Status != corev1.ConditionTrue {
		r.Recorder.Event(p, event.Normal(event.Reason(v1alpha1.ReasonHealthy), fmt.Sprintf("Serving %d of %d resource types", p.Status.Activated, p.Status.Resources)))
	}
	p.Status.SetConditions(installed, healthy)
}

// limitation is what cannot be done for a provider the way it is done; empty if there is nothing.
func (r *Reconciler) limitation(uid types.UID) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if run := r.providers[uid]; run != nil {
		return run.how.limitation()
	}
	return ""
}

// install brings the cluster to what the object says, and fills in its status. It returns
// when to look again, unless that is for its problem to say.
func (r *Reconciler) install(ctx context.Context, p *v1alpha1.TerraformProvider) (_ *problem, again time.Duration) {
	from, prob := r.find(ctx, p)
	if prob != nil {
		return prob, resync
	}
	how, prob := r.execution(ctx, p, from)
	if prob != nil {
		return prob, resync
	}
	run, prob, again := r.running(ctx, p, from, how)
	if prob != nil {
		return prob, again
	}
	if p.Status.Installed, prob = installed(p, from, run); prob != nil {
		return prob, resync
	}
	p.Status.Execution, p.Status.CommandLine = how.way, how.program()
	p.Status.Protocol = run.model.Schema.Protocol
	p.Status.Resources = len(run.model.Resources)

	active, wrong := activated(run.model, p.Spec.Activate)
	problems, again := r.activate(ctx, p.Name, run, active)
	p.Status.Activated = run.serving()
	if len(run.kept) > 0 {
		again = min(again, inUse)
	}
	switch {
	case len(problems) > 0:
		reason := v1alpha1.ReasonActivationFailed
		if IsConflict(problems[0]) {
			reason = v1alpha1.ReasonCRDConflict
		}
		return &problem{v1alpha1.TypeHealthy, reason, errors.Join(problems...), true}, again
	case len(wrong) > 0:
		return &problem{v1alpha1.TypeHealthy, v1alpha1.ReasonUnknownResourceType, errors.New("spec.activate: " + strings.Join(wrong, "; ")), false}, again
	}
	if len(run.kept) > 0 {
		return &problem{v1alpha1.TypeHealthy, v1alpha1.ReasonKindInUse, errors.New(strings.Join(run.kept, "; ")), false}, again
	}
	return nil, again
}

// inUse is how often it is looked whether names that are to change are still in use.
const inUse = 15 * time.Second

// running is the provider as it runs now; made anew if its program, environment or configuration changed. If it
// has a problem, it says when to look again.
func (r *Reconciler) running(ctx context.Context, p *v1alpha1.TerraformProvider, from origin, how execution) (_ *running, _ *problem, again time.Duration) {
	key := from.launcher.Key()
	r.mu.Lock()
	old := r.providers[p.UID]
	r.mu.Unlock()
	if old != nil && old.key == key && old.logLevel == p.Spec.LogLevel && old.how == how && old.configs.Limits == limits(p) {
		r.starts.forget(p.UID)
		if len(old.kept) == 0 && equality.Semantic.DeepEqual(old.config, p.Spec.Config()) {
			return old, nil, 0
		}
		return r.present(ctx, p, key, how, from.name, old.model.Schema, old.configs.Launcher, old)
	}
	start := r.starts.take(p.UID, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(p)}, startOf{key, p.Spec.LogLevel}, from.launcher)
	if start == nil {
		return nil, starting, 0
	}
	if start.diags.HasErrors() {
		again = r.starts.backoff.When(p.UID)
		r.Logger.Error(start.diags.Err(), "A provider does not start", "provider", p.Name, "again", again.String())
		return nil, &problem{v1alpha1.TypeInstalled, v1alpha1.ReasonProviderNotRunning, start.diags.Err(), false}, again
	}
	r.starts.backoff.Forget(p.UID)
	return r.present(ctx, p, key, how, from.name, start.schema, start.launcher, old)
}

// present runs a provider of the schema as the spec presents it, in the place of what runs so far. A
// mistake in the spec leaves everything as it is.
func (r *Reconciler) present(ctx context.Context, p *v1alpha1.TerraformProvider, key string, how execution, name string, s *schema.Provider, launcher provider.Launcher, old *running) (_ *running, _ *problem, again time.Duration) {
	m, kept, err := Model(ctx, r.Manager.GetAPIReader(), p, name, s)
	var mistake *config.Error
	switch {
	case errors.As(err, &mistake) && old != nil:
		return nil, &problem{v1alpha1.TypeHealthy, v1alpha1.ReasonInvalidConfiguration, err, false}, resync
	case errors.As(err, &mistake):
		return nil, &problem{v1alpha1.TypeInstalled, v1alpha1.ReasonInvalidConfiguration, err, false}, resync
	case err != nil:
		return nil, &problem{v1alpha1.TypeHealthy, v1alpha1.ReasonActivationFailed, err, true}, resync
	}
	if old != nil && old.model.Schema == s && old.how == how && slices.Equal(old.kept, kept) && equality.Semantic.DeepEqual(old.config, p.Spec.Config()) {
		return old, nil, 0
	}
	if held := r.evolve(ctx, p, m); held != nil {
		return nil, held, heldAgain
	}
	for _, renamed := range m.Renamed {
		r.Logger.Info("A kind has another name than its resource type suggests", "provider", p.Name, "renamed", renamed.String())
	}
	if old != nil {
		old.stop(ctx)
	}
	// First: their short names may be those of kinds that take their places.
	err = r.prune(ctx, p.Name, func(c *apiextensionsv1.CustomResourceDefinition) bool {
		is := m.Resources[c.Annotations[v1alpha1.AnnotationResourceType]]
		return is == nil || is.CRDName() == c.Name
	})
	if err != nil {
		return nil, &problem{v1alpha1.TypeHealthy, v1alpha1.ReasonActivationFailed, err, true}, resync
	}
	run := newRunning(r, p, key, how, m, launcher)
	run.kept = kept
	r.mu.Lock()
	r.providers[p.UID] = run
	r.mu.Unlock()
	return run, nil, 0
}

func readSchema(ctx context.Context, launcher provider.Launcher) (*schema.Provider, diagnostic.Diagnostics) {
	server, err := launcher.Launch(ctx)
	if err != nil {
		return nil, diagnostic.Errorf("The provider does not start", "%s.", err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_ = server.Close(ctx)
	}()
	return server.Schema(ctx)
}

// activate serves exactly the given types, and says when to look again. What goes wrong with
// one does not keep the others.
func (r *Reconciler) activate(ctx context.Context, name string, run *running, active []string) (problems []error, again time.Duration) {
	var mu sync.Mutex
	note := func(err error) {
		if err != nil {
			mu.Lock()
			defer mu.Unlock()
			problems = append(problems, err)
		}
	}
	group := errgroup.Group{}
	group.SetLimit(crdWorkers)
	var changed atomic.Bool
	ensure := func(c *apiextensionsv1.CustomResourceDefinition) error {
		was, err := EnsureCRD(ctx, r.CRDs, name, c)
		if was || r.prunedLately(c.Name) {
			changed.Store(true)
		}
		return err
	}
	for _, c := range crd.ProviderConfig(run.model) {
		group.Go(func() error { note(ensure(c)); return nil })
	}
	_ = group.Wait()
	if len(problems) > 0 {
		return problems, resync // without provider configurations there is nothing to serve
	}

	want, keep := map[string]bool{}, map[string]bool{}
	for _, c := range crd.ProviderConfig(run.model) {
		keep[c.Name] = true
	}
	served := make([]bool, len(active))
	for i, t := range active {
		want[t], keep[run.model.Resources[t].CRDName()] = true, true
		group.Go(func() error {
			c, err := crd.Resource(run.model.Resources[t])
			if err == nil {
				err = ensure(c)
			}
			served[i] = err == nil
			note(err)
			return nil
		})
	}
	_ = group.Wait()
	if changed.Load() {
		if err := Settled(ctx); err != nil {
			return append(problems, err), resync
		}
	}
	for i, t := range active {
		if served[i] {
			group.Go(func() error { note(run.start(run.model.Resources[t])); return nil })
		}
	}
	_ = group.Wait()
	again = r.finalizers(ctx, name, run, want)
	// Not before the kinds: who uses a configuration is known from their controllers.
	note(run.startConfigs())
	for _, t := range run.types() {
		if !want[t] {
			run.stopKind(ctx, t)
		}
	}
	note(r.prune(ctx, name, func(c *apiextensionsv1.CustomResourceDefinition) bool { return keep[c.Name] }))
	return problems, again
}

// finalizers keeps the policy that puts finalizers on resources of the kinds that are served.
// It returns when to look again, which is sooner if the API server is not ready for it yet.
func (r *Reconciler) finalizers(ctx context.Context, name string, run *running, want map[string]bool) (again time.Duration) {
	var plurals []string
	for _, t := range run.types() {
		if want[t] && run.model.Resources[t].Group == run.model.Group {
			plurals = append(plurals, run.model.Resources[t].Plural)
		}
	}
	var err error
	switch {
	case len(plurals) == 0:
		run.unpublish()
		err = removeFinalizers(ctx, r.Policies, name)
	default:
		var wait time.Duration
		if wait, err = run.published(r.OpenAPI); wait > 0 {
			return wait
		}
		if err == nil {
			err = ensureFinalizers(ctx, r.Policies, name, run.model.Group, plurals)
		}
	}
	switch {
	case err == nil:
	case unavailable(err):
		r.Logger.V(1).Info("The API server does not put finalizers on new resources, so the controller does", "provider", name, "why", err.Error())
	default:
		r.Logger.Error(err, "The controller puts finalizers on new resources, since the API server cannot be told to", "provider", name)
	}
	return resync
}

// prune deletes the provider's CRDs but for those to keep, unless there are resources of the
// kind: deleting a CRD deletes its resources.
func (r *Reconciler) prune(ctx context.Context, name string, keep func(*apiextensionsv1.CustomResourceDefinition) bool) error {
	list, err := r.CRDs.List(ctx, metav1.ListOptions{LabelSelector: v1alpha1.LabelProvider + "=" + name})
	if err != nil {
		return fmt.Errorf("cannot list the provider's CRDs: %w", err)
	}
	var errs []error
	for _, c := range list.Items {
		if keep != nil && keep(&c) || !c.DeletionTimestamp.IsZero() {
			continue
		}
		used, err := r.used(ctx, &c)
		if err == nil && !used {
			err = r.CRDs.Delete(ctx, c.Name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: ptr.To(c.UID)}})
		}
		if err == nil && !used {
			r.mu.Lock()
			r.pruned[c.Name] = time.Now()
			r.mu.Unlock()
		}
		if client.IgnoreNotFound(err) != nil {
			errs = append(errs, fmt.Errorf("cannot remove the CRD %s: %w", c.Name, err))
		}
	}
	return errors.Join(errs...)
}

// prunedLately says, once, whether the CRD that is made now was deleted just before.
func (r *Reconciler) prunedLately(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, ok := r.pruned[name]
	delete(r.pruned, name)
	return ok && time.Since(at) < 2*teardown
}

// used says whether there is any resource of the CRD's kind.
func (r *Reconciler) used(ctx context.Context, c *apiextensionsv1.CustomResourceDefinition) (bool, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(kschema.GroupVersionKind{Group: c.Spec.Group, Version: c.Spec.Versions[0].Name, Kind: c.Spec.Names.ListKind})
	err := r.Manager.GetAPIReader().List(ctx, list, client.Limit(1))
	return len(list.Items) > 0, err
}

// remove stops what runs for the provider, and removes the kinds of which there is no
// resource. Resources that are left stay as they are, and so do their remote objects.
func (r *Reconciler) remove(ctx context.Context, p *v1alpha1.TerraformProvider) error {
	if !controllerutil.ContainsFinalizer(p, v1alpha1.FinalizerProvider) {
		return nil
	}
	r.mu.Lock()
	run := r.providers[p.UID]
	delete(r.providers, p.UID)
	r.mu.Unlock()
	r.starts.forget(p.UID)
	// First: a resource made from now on would wait for its finalizer to be taken off for ever.
	if err := removeFinalizers(ctx, r.Policies, p.Name); err != nil {
		return err
	}
	if run != nil {
		run.stop(ctx)
	}
	if err := r.prune(ctx, p.Name, nil); err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(p, v1alpha1.FinalizerProvider)
	return client.IgnoreNotFound(r.Manager.GetClient().Update(ctx, p))
}

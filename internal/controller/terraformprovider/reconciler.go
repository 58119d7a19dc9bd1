package terraformprovider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/go-logr/logr"
	"golang.org/x/sync/semaphore"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	ctrlevent "sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/child"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/provider/sources"
)

// Reconciler installs providers. Runtime, Installer, CommandLine and Logger are required.
type Reconciler struct {
	*kinds.Runtime
	Installer *install.Installer
	// Attached are the providers that run already, and are used instead of all others.
	Attached sources.Attached
	// Linked are the providers that need no binary.
	Linked []Linked
	// CommandLine is used for providers with spec.execution: CLI.
	CommandLine *kinds.CommandLine
	Logger      logr.Logger
	// Sandbox is whether providers' processes are restricted. Defaults to BestEffort.
	Sandbox child.Mode
	// StartTimeout bounds the start of a provider's process. Defaults to one minute.
	StartTimeout time.Duration
	// Limits apply to providers without limits of their own.
	Limits pool.Limits
	// Previews is set if this program, or its leader, shows plans at admission.
	Previews bool
	// TellBehind is told how far a provider is behind its newest version; nil if that is not known
	// any more. It may be nil.
	TellBehind func(provider string, behind *install.Behind)

	starts    *starts
	downloads *tasks[install.Binary]
	checks    *tasks[[]string]
	previews  *tasks[struct{}]
	// turn is that of the preview that runs.
	turn      *semaphore.Weighted
	queue     workqueue.TypedRateLimitingInterface[reconcile.Request]
	mu        sync.Mutex
	providers map[types.UID]*running
}

// SetupWithManager registers the controller.
func (r *Reconciler) SetupWithManager(m manager.Manager) error {
	r.providers = map[types.UID]*running{}
	r.starts = newStarts(r.Runtime, func(req reconcile.Request) { r.queue.Add(req) })
	r.downloads = newTasks[install.Binary](r.Lifetime, r.starts.again)
	r.checks = newTasks[[]string](r.Lifetime, r.starts.again)
	r.previews, r.turn = newTasks[struct{}](r.Lifetime, r.starts.again), semaphore.NewWeighted(1)
	if err := errors.Join(m.Add(r.starts), m.Add(r.downloads), m.Add(r.checks), m.Add(r.previews)); err != nil {
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
		For(&v1alpha1.TerraformProvider{},
			builder.WithPredicates(predicate.Or(predicate.GenerationChangedPredicate{},
				predicate.AnnotationChangedPredicate{}))).
		// Metadata only: the schemas of a thousand CRDs would take much memory.
		WatchesMetadata(&apiextensionsv1.CustomResourceDefinition{}, toProvider, builder.WithPredicates(predicate.Funcs{UpdateFunc: crdChanged})).
		WatchesRawSource(queue).
		WithOptions(kinds.ControllerOptions(4)).
		Complete(r)
}

func crdChanged(e ctrlevent.UpdateEvent) bool {
	return e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration() || !e.ObjectNew.GetDeletionTimestamp().IsZero()
}

// sourceKind is the kind of a TerraformProvider as a kinds.Source.
const sourceKind = "TerraformProvider"

// Expected returns the TerraformProviders whose kinds should be served.
func (r *Reconciler) Expected(ctx context.Context) (all []kinds.Source, _ error) {
	list := &v1alpha1.TerraformProviderList{}
	if err := r.Manager.GetAPIReader().List(ctx, list); err != nil {
		return nil, err
	}
	for _, p := range list.Items {
		if p.DeletionTimestamp.IsZero() {
			all = append(all, kinds.Source{Kind: sourceKind, Name: p.Name})
		}
	}
	return all, nil
}

// upgradesConfirmed returns until when upgrades are confirmed; zero for none.
func upgradesConfirmed(p *v1alpha1.TerraformProvider) time.Time {
	at, err := time.Parse(time.RFC3339, p.Annotations[v1alpha1.AnnotationUpgradesConfirmed])
	if err != nil {
		return time.Time{}
	}
	return at
}

// starting means that the start of the provider is pending. It is reconciled again when the start
// has ended.
var starting = &kinds.Problem{}

// Reconcile implements reconcile.Reconciler.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	p := &v1alpha1.TerraformProvider{}
	if err := r.Manager.GetClient().Get(ctx, req.NamespacedName, p); kerrors.IsNotFound(err) {
		r.Registry.Attempted(kinds.Source{Kind: sourceKind, Name: req.Name})
		return reconcile.Result{}, nil
	} else if err != nil {
		return reconcile.Result{}, err
	}
	if err := kinds.CheckOwner(p.Name); err != nil {
		r.Registry.Attempted(kinds.Source{Kind: sourceKind, Name: p.Name})
		return kinds.RetryOnConflict(r.Refuse(ctx, p, &p.Status.ConditionedStatus, &p.Status.Messages, v1alpha1.FinalizerProvider, err))
	}
	// Even if nothing else of the spec can be carried out.
	r.SetDefaults(p.Name, kinds.Defaults{
		ApprovalPolicy: p.Spec.ApprovalPolicy, PollInterval: p.Spec.PollInterval, ReplaceDependents: p.Spec.ReplaceDependents,
		DestroyBrake:      p.Spec.DestroyBrake,
		ConfirmAfter:      ptr.Deref(p.Spec.Upgrade, v1alpha1.ProviderUpgradePolicy{}).ConfirmAfter,
		UpgradesConfirmed: upgradesConfirmed(p),
	})
	wait, err := r.awaited(ctx, p)
	if err != nil {
		return reconcile.Result{}, err
	}
	if !p.DeletionTimestamp.IsZero() && wait == "" {
		return reconcile.Result{}, r.remove(ctx, p)
	}
	if p.DeletionTimestamp.IsZero() && controllerutil.AddFinalizer(p, v1alpha1.FinalizerProvider) {
		if err := r.Manager.GetClient().Update(ctx, p); err != nil {
			return kinds.RetryOnConflict(err)
		}
	}
	before := p.DeepCopy()
	problem, again := r.serve(ctx, p)
	if problem != nil && problem != starting && r.runFormer(ctx, p) {
		problem = starting
	}
	if problem == starting {
		return reconcile.Result{}, nil // the status stays unchanged until then
	}
	if problem == previewing {
		if r.runningProvider(p.UID) != nil || advisory(p) { // then the replica that leads decides
			r.Registry.Attempted(kinds.Source{Kind: sourceKind, Name: p.Name})
			return reconcile.Result{RequeueAfter: again}, nil // as above
		}
		problem, again = cannotPreview(p), heldAgain
	}
	if wait != "" && problem != nil && r.runningProvider(p.UID) == nil {
		return reconcile.Result{}, r.remove(ctx, p) // nothing can serve what it waits for
	}
	r.Registry.Attempted(kinds.Source{Kind: sourceKind, Name: p.Name})
	p.Status.ObservedGeneration = p.Generation
	p.Status.LastHandledReconcileAt = cmp.Or(p.Annotations[v1alpha1.AnnotationReconcile], p.Status.LastHandledReconcileAt)
	r.SetConditions(p, &p.Status.ConditionedStatus, &p.Status.Messages, problem, kinds.Served{
		Event:      fmt.Sprintf("Serving %d of %d resource types", p.Status.Activated, p.Status.Resources),
		Limitation: cmp.Or(wait, sentences(r.limitation(p.UID), r.admissionLimitation(p.Spec.Admission), r.tellTaken(ctx, p))),
	})
	if !equality.Semantic.DeepEqual(before.Status, p.Status) {
		if err := r.Manager.GetClient().Status().Update(ctx, p); err != nil {
			return kinds.RetryOnConflict(err)
		}
	}
	if problem != nil && problem.Retry {
		return reconcile.Result{}, problem.Err
	}
	return reconcile.Result{RequeueAfter: again}, nil
}

// tellTaken returns which names of the kinds that are served mean others to kubectl, and records an
// event when that changes.
func (r *Reconciler) tellTaken(ctx context.Context, p *v1alpha1.TerraformProvider) string {
	run := r.runningProvider(p.UID)
	if run == nil {
		return ""
	}
	crds, err := kinds.ListCRDs(ctx, r.Manager.GetClient())
	if err != nil {
		return ""
	}
	names := make([]string, len(crds))
	for i := range crds {
		names[i] = crds[i].Name
	}
	out := taken(run.Model, run.Types(), names)
	told := cmp.Or(p.Status.Messages[string(v1alpha1.TypeHealthy)], p.Status.GetCondition(v1alpha1.TypeHealthy).Message)
	if out != "" && !strings.Contains(told, out) {
		r.Recorder.Event(p, event.Normal(event.Reason(v1alpha1.ReasonNameTaken), out))
	}
	return out
}

// limitation returns what the running provider's process, execution and sandbox do not support, or
// "".
func (r *Reconciler) limitation(uid types.UID) string {
	run := r.runningProvider(uid)
	if run == nil {
		return ""
	}
	return sentences(run.how.attachment(), run.how.limitation(), r.sandboxLimitation(run.how))
}

// admissionLimitation describes why no plans are shown although the spec asks for them, or is
// empty.
func (r *Reconciler) admissionLimitation(a v1alpha1.Admission) string {
	if r.Previews || !a.Enabled() {
		return ""
	}
	return fmt.Sprintf("spec.admission: %s has no effect, since the controller serves no webhook. "+
		"Start it with --webhook-port, or set plans.enabled of the chart.", a)
}

// sentences joins sentences; empty ones are left out.
func sentences(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), " ")
}

// awaitedAgain is the interval of checks whether resources that are being deleted are gone.
const awaitedAgain = 2 * time.Second

// awaited returns what the removal of a TerraformProvider waits for, or "": the resources that are
// being deleted need their controllers.
func (r *Reconciler) awaited(ctx context.Context, p *v1alpha1.TerraformProvider) (string, error) {
	if p.DeletionTimestamp.IsZero() || !controllerutil.ContainsFinalizer(p, v1alpha1.FinalizerProvider) {
		return "", nil
	}
	count := func(ctx context.Context) (int, error) { return r.BeingDeleted(ctx, p.Name) }
	if run := r.runningProvider(p.UID); run != nil {
		count = run.BeingDeleted
	}
	n, err := count(ctx)
	if err != nil || n == 0 {
		return "", err
	}
	return fmt.Sprintf("The provider is removed when the resources that are being deleted are gone: %d.", n), nil
}

// serve is install, except for a provider that is being deleted: that one is only installed if it
// does not run.
func (r *Reconciler) serve(ctx context.Context, p *v1alpha1.TerraformProvider) (_ *kinds.Problem, again time.Duration) {
	if p.DeletionTimestamp.IsZero() {
		return r.install(ctx, p)
	}
	if r.runningProvider(p.UID) != nil {
		return nil, awaitedAgain
	}
	problem, _ := r.install(ctx, p)
	return problem, awaitedAgain
}

// remove stops the provider's controllers, releases the provider configurations that no resource
// uses, and deletes the CRDs of kinds without resources. Resources that are left are not changed,
// and neither are their remote objects.
func (r *Reconciler) remove(ctx context.Context, p *v1alpha1.TerraformProvider) error {
	if !controllerutil.ContainsFinalizer(p, v1alpha1.FinalizerProvider) {
		return nil
	}
	r.mu.Lock()
	run := r.providers[p.UID]
	delete(r.providers, p.UID)
	r.mu.Unlock()
	r.starts.forget(p.UID)
	for _, key := range []types.UID{p.UID, formerOf(p.UID)} {
		r.downloads.forget(key)
		r.downloads.forget(currentOf(key))
	}
	r.checks.forget(p.UID)
	r.previews.forget(p.UID)
	r.tellBehind(p.Name, nil)
	// First: nothing would remove the finalizer of a resource that is created from now on.
	if err := r.RemoveFinalizers(ctx, p.Name); err != nil {
		return err
	}
	if run != nil {
		run.Stop(ctx)
	}
	if err := r.ReleaseConfigs(ctx, p.Name); err != nil {
		return err
	}
	left, err := r.Prune(ctx, p.Name, nil)
	if err == nil && len(left) == 0 {
		err = r.RemoveRoles(ctx, p.Name)
	}
	if err == nil && len(left) > 0 {
		err = r.Abandon(ctx, p.Name, kinds.Unserved(p.Name), nil)
	}
	if err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(p, v1alpha1.FinalizerProvider)
	return client.IgnoreNotFound(r.Manager.GetClient().Update(ctx, p))
}

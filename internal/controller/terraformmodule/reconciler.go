package terraformmodule

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/typed/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/terraformprovider"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/terraform/cli"
	"github.com/landbridge-io/landbridge/internal/terraform/module"
	"github.com/landbridge-io/landbridge/schema"
)

// DefaultGroup is the API group of modules that name none.
const DefaultGroup = "modules.landbridge.io"

const (
	// inUse is how often it is looked whether the last instance of a module that is to go is gone.
	inUse = 2 * time.Second
	// fetchTimeout bounds how long a module may take to be fetched.
	fetchTimeout = 5 * time.Minute
	// minBackoff and maxBackoff bound the wait after failures in a row.
	minBackoff, maxBackoff = time.Second, 5 * time.Minute
)

// Reconciler serves modules. All fields are needed but Resync.
type Reconciler struct {
	Manager     manager.Manager
	CRDs        apiextensions.CustomResourceDefinitionInterface
	CommandLine *terraformprovider.CommandLine
	Providers   *terraformprovider.Reconciler
	Scheduler   scheduler.Interface
	Registry    *terraformprovider.Registry
	Managed     managed.Options
	Recorder    event.Recorder
	Logger      logr.Logger
	// Resync is how often directories and ConfigMaps are looked at; 30 seconds unless set.
	Resync time.Duration

	// lifetime ends when the manager stops.
	lifetime context.Context
	mu       sync.Mutex
	modules  map[types.UID]*running
}

// running is a module whose kind is served.
type running struct {
	name      string
	sum       string
	program   *cli.Runner
	module    *module.Module
	resource  *model.Resource
	providers map[string]string
	kind      *managed.Kind
	stop      context.CancelFunc
}

// SetupWithManager registers the controller. Whatever it starts ends with ctx.
func (r *Reconciler) SetupWithManager(ctx context.Context, m manager.Manager) error {
	r.lifetime, r.modules = ctx, map[types.UID]*running{}
	if r.Resync == 0 {
		r.Resync = 30 * time.Second
	}
	all := handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, _ client.Object) []reconcile.Request {
		list := &v1alpha1.TerraformModuleList{}
		if m.GetClient().List(ctx, list) != nil {
			return nil
		}
		var out []reconcile.Request
		for _, x := range list.Items {
			out = append(out, reconcile.Request{NamespacedName: types.NamespacedName{Name: x.Name}})
		}
		return out
	})
	return ctrl.NewControllerManagedBy(m).
		For(&v1alpha1.TerraformModule{}, builder.WithPredicates(predicate.Or(predicate.GenerationChangedPredicate{}, predicate.AnnotationChangedPredicate{}))).
		Watches(&v1alpha1.TerraformProvider{}, all).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: 4,
			SkipNameValidation:      ptr.To(true), // there is one per call of Run
			RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](minBackoff, maxBackoff),
		}).
		Complete(r)
}

// problem is why a module is not as it should be.
type problem struct {
	condition xpv2.ConditionType
	reason    xpv2.ConditionReason
	err       error
	// retry: it may pass by itself.
	retry bool
}

// Reconcile implements reconcile.Reconciler.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	m := &v1alpha1.TerraformModule{}
	if err := r.Manager.GetClient().Get(ctx, req.NamespacedName, m); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	deleted := !m.DeletionTimestamp.IsZero()
	if !deleted && controllerutil.AddFinalizer(m, v1alpha1.FinalizerModule) {
		if err := r.Manager.GetClient().Update(ctx, m); err != nil {
			return terraformprovider.AgainOnConflict(err)
		}
	}
	before := m.DeepCopy()
	prob := r.serve(ctx, m)
	if prob == nil {
		r.Registry.ServesModule(m.Name)
	}
	again := r.Resync
	if deleted {
		// The last thing that it does is to have its instances destroyed.
		used, err := r.instances(ctx, m)
		if err != nil {
			return reconcile.Result{}, err
		}
		if !used {
			return reconcile.Result{}, r.remove(ctx, m)
		}
		again = inUse
		if prob == nil {
			prob = &problem{v1alpha1.TypeHealthy, v1alpha1.ReasonKindInUse, fmt.Errorf("it is deleted when the last of its instances is"), false}
		}
	}
	m.Status.ObservedGeneration = m.Generation
	r.setConditions(m, prob)
	if !equality.Semantic.DeepEqual(before.Status, m.Status) {
		if err := r.Manager.GetClient().Status().Update(ctx, m); err != nil {
			return terraformprovider.AgainOnConflict(err)
		}
	}
	if prob != nil && prob.retry && !deleted {
		return reconcile.Result{}, prob.err
	}
	return reconcile.Result{RequeueAfter: again}, nil
}

func (r *Reconciler) setConditions(m *v1alpha1.TerraformModule, prob *problem) {
	installed, healthy := terraformprovider.Fine(m.Generation)
	if prob != nil {
		installed, healthy = terraformprovider.Wrong(m.Generation, prob.condition, prob.reason, prob.err)
		if !m.Status.GetCondition(v1alpha1.TypeHealthy).Equal(healthy) {
			r.Recorder.Event(m, event.Warning(event.Reason(prob.reason), prob.err))
		}
	} else if m.Status.GetCondition(v1alpha1.TypeHealthy).Status != corev1.ConditionTrue {
		r.Recorder.Event(m, event.Normal(event.Reason(v1alpha1.ReasonHealthy), fmt.Sprintf("Serving %s of %s", m.Status.Kind, m.Status.Group)))
	}
	m.Status.SetConditions(installed, healthy)
}

// serve brings the cluster to what the object says, and fills in its status. What was served before
// goes on where there is a problem.
func (r *Reconciler) serve(ctx context.Context, m *v1alpha1.TerraformModule) *problem {
	runner, err := r.CommandLine.Runner(ctx)
	if err != nil {
		return &problem{v1alpha1.TypeInstalled, v1alpha1.ReasonExecutionUnavailable,
			fmt.Errorf("%w; have the controller started with --cli and the path of OpenTofu or Terraform", err), true}
	}
	source, err := r.source(ctx, m)
	if err != nil {
		return &problem{v1alpha1.TypeInstalled, v1alpha1.ReasonSourceNotAvailable, err, true}
	}
	sum, err := source.Sum()
	if err != nil {
		return &problem{v1alpha1.TypeInstalled, v1alpha1.ReasonSourceNotAvailable, err, true}
	}
	sum = strings.Join([]string{sum, m.Spec.Group, m.Spec.Kind, m.Spec.Plural}, "\x00")
	r.mu.Lock()
	old := r.modules[m.UID]
	r.mu.Unlock()
	if old != nil && old.sum == sum && old.program == runner {
		providers, prob := r.providers(m, old.module)
		if prob != nil || maps.Equal(providers, old.providers) {
			return prob
		}
		return r.start(ctx, m, old, old.module, old.resource, runner, sum, providers)
	}
	dir, err := runner.MakeDir()
	if err != nil {
		return &problem{v1alpha1.TypeInstalled, v1alpha1.ReasonSourceNotAvailable, err, true}
	}
	fetching, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	fetched, diags := module.Fetch(fetching, runner, source, dir, resourceType(m.Name))
	if diags.HasErrors() {
		if diags.HasSummary("Module cannot be fetched") {
			return &problem{v1alpha1.TypeInstalled, v1alpha1.ReasonSourceNotAvailable, text(diags), true}
		}
		return &problem{v1alpha1.TypeInstalled, v1alpha1.ReasonInvalidModule, text(diags), false}
	}
	providers, prob := r.providers(m, fetched)
	if prob == nil {
		var resource *model.Resource
		if resource, err = present(m, fetched.Resource); err != nil {
			prob = &problem{v1alpha1.TypeInstalled, v1alpha1.ReasonInvalidConfiguration, err, false}
		} else if prob = r.start(ctx, m, old, fetched, resource, runner, sum, providers); prob == nil {
			return nil
		}
	}
	_ = fetched.Remove()
	return prob
}

func text(diags diagnostic.Diagnostics) error { return errors.New(diags.Errors().String()) }

// source reads where the module comes from.
func (r *Reconciler) source(ctx context.Context, m *v1alpha1.TerraformModule) (module.Source, error) {
	s := m.Spec.Source
	if s.ConfigMapRef == nil {
		if strings.HasPrefix(s.Address, ".") || strings.HasPrefix(s.Address, "/") {
			return module.Source{}, errors.New("spec.source.address: it is a path; use spec.source.directory")
		}
		return module.Source{Directory: s.Directory, Address: s.Address, Version: s.Version}, nil
	}
	c := &corev1.ConfigMap{}
	if err := r.Manager.GetAPIReader().Get(ctx, client.ObjectKey{Namespace: s.ConfigMapRef.Namespace, Name: s.ConfigMapRef.Name}, c); err != nil {
		return module.Source{}, fmt.Errorf("spec.source.configMapRef: %w", err)
	}
	files := map[string][]byte{}
	for name, content := range c.Data {
		files[name] = []byte(content)
	}
	maps.Copy(files, c.BinaryData)
	return module.Source{Files: files}, nil
}

// providers finds the TerraformProviders for a module.
func (r *Reconciler) providers(m *v1alpha1.TerraformModule, fetched *module.Module) (map[string]string, *problem) {
	out := map[string]string{}
	for _, source := range fetched.Sources {
		name, err := m.Spec.Providers[source], error(nil)
		if name == "" {
			name, err = r.Providers.ProviderOf(source)
		} else if _, ok := r.Providers.Servers(name); !ok {
			err = fmt.Errorf("spec.providers: the TerraformProvider %s is not there, or not installed", name)
		}
		if err != nil {
			return nil, &problem{v1alpha1.TypeHealthy, v1alpha1.ReasonProviderMissing, err, true}
		}
		out[source] = name
	}
	return out, nil
}

// resourceType is what a module is called as a resource type.
func resourceType(name string) string {
	return "module_" + strings.NewReplacer("-", "_", ".", "_").Replace(name)
}

// present is how a module is presented to the cluster.
func present(m *v1alpha1.TerraformModule, s *schema.Resource) (*model.Resource, error) {
	group := m.Spec.Group
	if group == "" {
		group = DefaultGroup
	}
	p, err := model.NewProvider("module", &schema.Provider{Protocol: 6, Config: &schema.Block{}, Resources: map[string]*schema.Resource{s.Type: s}}, config.Provider{
		Group: group, Resources: map[string]config.Resource{s.Type: {Kind: m.Spec.Kind, Plural: m.Spec.Plural}},
	})
	if err != nil {
		return nil, err
	}
	return p.Resources[s.Type], nil
}

// start serves a module, in the place of what was served so far.
func (r *Reconciler) start(ctx context.Context, m *v1alpha1.TerraformModule, old *running, fetched *module.Module, resource *model.Resource, runner *cli.Runner, sum string, providers map[string]string) *problem {
	unhealthy := func(reason xpv2.ConditionReason, err error, retry bool) *problem {
		return &problem{v1alpha1.TypeHealthy, reason, err, retry}
	}
	if others, err := r.prune(ctx, m.Name, resource.CRDName()); err != nil {
		return unhealthy(v1alpha1.ReasonActivationFailed, err, true)
	} else if len(others) > 0 {
		return unhealthy(v1alpha1.ReasonKindInUse, fmt.Errorf("the kind cannot be called %s of %s as long as there are objects of %s", resource.Kind, resource.Group, strings.Join(others, ", ")), true)
	}
	definition, err := crd.Module(resource)
	if err != nil {
		return unhealthy(v1alpha1.ReasonInvalidModule, err, false)
	}
	changed, err := terraformprovider.EnsureCRD(ctx, r.CRDs, terraformprovider.ModuleOwner(m.Name), definition)
	if err == nil && changed {
		err = terraformprovider.Settled(ctx)
	}
	if err != nil {
		reason := v1alpha1.ReasonActivationFailed
		if terraformprovider.IsConflict(err) {
			reason = v1alpha1.ReasonCRDConflict
		}
		return unhealthy(reason, err, true)
	}
	if old != nil {
		r.end(ctx, old)
	}
	run := &running{name: m.Name, sum: sum, program: runner, module: fetched, resource: resource, providers: providers}
	run.kind = &managed.Kind{
		Model: resource, Neighbours: r.Registry, Scheduler: r.Scheduler, Options: r.Managed,
		ProviderConfigs: &configs{runner: runner, module: fetched, installed: r.Providers, providers: providers},
	}
	lifetime, stop := context.WithCancel(r.lifetime)
	run.stop = stop
	if err := run.kind.Start(lifetime, r.Manager); err != nil {
		stop()
		return unhealthy(v1alpha1.ReasonActivationFailed, err, true)
	}
	r.Registry.Serve(resource, run.kind)
	r.mu.Lock()
	r.modules[m.UID] = run
	r.mu.Unlock()
	m.Status.Group, m.Status.Kind, m.Status.Plural = resource.Group, resource.Kind, resource.Plural
	m.Status.Digest, m.Status.Providers = fetched.Digest, providers
	return nil
}

// end ends what is served. Operations that run are concluded all the same, so the module's files stay until
// this process ends.
func (r *Reconciler) end(ctx context.Context, run *running) {
	run.stop()
	r.Registry.Serve(run.resource, nil)
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(run.resource.GroupVersionKind())
	if err := r.Manager.GetCache().RemoveInformer(ctx, u); err != nil {
		r.Logger.Error(err, "Cannot stop watching a kind", "kind", run.resource.Kind, "group", run.resource.Group)
	}
}

// prune deletes the module's CRDs but for one, unless there are objects of the kind: deleting a CRD deletes
// its objects. It returns those of which there are.
func (r *Reconciler) prune(ctx context.Context, name, keep string) (used []string, err error) {
	definitions, err := r.definitions(ctx, name)
	if err != nil {
		return nil, err
	}
	for i := range definitions {
		c := &definitions[i]
		if c.Name == keep || !c.DeletionTimestamp.IsZero() {
			continue
		}
		has, err := r.used(ctx, c)
		if err != nil {
			return nil, err
		}
		if has {
			used = append(used, c.Spec.Names.Kind+" of "+c.Spec.Group)
			continue
		}
		if err := r.CRDs.Delete(ctx, c.Name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: ptr.To(c.UID)}}); client.IgnoreNotFound(err) != nil {
			return nil, fmt.Errorf("cannot remove the CRD %s: %w", c.Name, err)
		}
	}
	return used, nil
}

// used says whether there is any object of a CRD's kind.
func (r *Reconciler) used(ctx context.Context, c *apiextensionsv1.CustomResourceDefinition) (bool, error) {
	return terraformprovider.HasObjects(ctx, r.Manager.GetAPIReader(), kschema.GroupVersionKind{Group: c.Spec.Group, Version: c.Spec.Versions[0].Name, Kind: c.Spec.Names.ListKind})
}

// definitions are the CRDs of a module.
func (r *Reconciler) definitions(ctx context.Context, name string) ([]apiextensionsv1.CustomResourceDefinition, error) {
	list, err := r.CRDs.List(ctx, metav1.ListOptions{LabelSelector: v1alpha1.LabelProvider + "=" + terraformprovider.ModuleOwner(name)})
	if err != nil {
		return nil, fmt.Errorf("cannot list the module's CRDs: %w", err)
	}
	return list.Items, nil
}

// instances says whether there is any instance of the module.
func (r *Reconciler) instances(ctx context.Context, m *v1alpha1.TerraformModule) (bool, error) {
	definitions, err := r.definitions(ctx, m.Name)
	if err != nil {
		return false, err
	}
	for i := range definitions {
		if used, err := r.used(ctx, &definitions[i]); used || err != nil {
			return used, err
		}
	}
	return false, nil
}

// remove ends what is served of a module that has no instances any more.
func (r *Reconciler) remove(ctx context.Context, m *v1alpha1.TerraformModule) error {
	if !controllerutil.ContainsFinalizer(m, v1alpha1.FinalizerModule) {
		return nil
	}
	r.mu.Lock()
	run := r.modules[m.UID]
	delete(r.modules, m.UID)
	r.mu.Unlock()
	if run != nil {
		r.end(ctx, run)
	}
	if _, err := r.prune(ctx, m.Name, ""); err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(m, v1alpha1.FinalizerModule)
	return client.IgnoreNotFound(r.Manager.GetClient().Update(ctx, m))
}

// Users finds the instances that use a configuration of a provider, by the name of its TerraformProvider.
func (r *Reconciler) Users(ctx context.Context, provider string, ref providerconfig.Reference) []func() {
	r.mu.Lock()
	var kinds []*managed.Kind
	for _, run := range r.modules {
		for _, name := range run.providers {
			if name == provider {
				kinds = append(kinds, run.kind)
				break
			}
		}
	}
	r.mu.Unlock()
	var out []func()
	for _, k := range kinds {
		keys, err := k.Users(ctx, r.Manager.GetClient(), ref)
		if err != nil {
			r.Logger.Error(err, "Cannot list the instances of a module", "kind", k.Model.Kind)
			continue
		}
		for _, key := range keys {
			out = append(out, func() { k.Wake(key) })
		}
	}
	return out
}

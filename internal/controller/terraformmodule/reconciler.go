package terraformmodule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/zclconf/go-cty/cty"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider/registry"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
	"github.com/landbridge-io/landbridge/internal/terraform/module"
	"github.com/landbridge-io/landbridge/schema"
)

// defaultGroup is the API group of modules that specify none.
const defaultGroup = "modules.landbridge.io"

const (
	// inUse is the interval of checks whether a module that is being deleted still has instances.
	inUse = 2 * time.Second
	// fetchTimeout bounds the download of a module.
	fetchTimeout = 5 * time.Minute
)

// Reconciler serves modules. Runtime, Namespace, CommandLine, Providers and Logger are required.
type Reconciler struct {
	*kinds.Runtime
	// Namespace is Landbridge's own namespace, in which only administrators may change ConfigMaps.
	Namespace   string
	CommandLine *kinds.CommandLine
	Providers   Providers
	Logger      logr.Logger
	// Resync is the interval at which directories and ConfigMaps are read again. Defaults to 30s.
	Resync time.Duration
	// CreationGracePeriod is how long an object may be missing after its create.
	CreationGracePeriod time.Duration
	// Artifacts pulls modules from OCI repositories. Defaults to a client without any
	// configuration.
	Artifacts *registry.Client

	mu      sync.Mutex
	modules map[types.UID]*running
	// unfetched has the modules that cannot be fetched.
	unfetched map[types.UID]unfetched
}

// unfetched is a source that cannot be fetched.
type unfetched struct {
	// sum identifies the source, and since is when it could not be fetched first.
	sum   string
	since time.Time
}

// stallAfter is how long a module may not be fetched until it is taken for one that never will be.
// It is tried again nevertheless.
const stallAfter = 2 * time.Minute

// running is a module whose kind is served.
type running struct {
	// sum identifies the module's source and names.
	sum       string
	program   *commandline.Runner
	module    *module.Module
	providers map[string]string
	kind      *kinds.Kind
	known     kinds.Publication
}

// SetupWithManager registers the controller.
func (r *Reconciler) SetupWithManager(m manager.Manager) error {
	r.modules, r.unfetched = map[types.UID]*running{}, map[types.UID]unfetched{}
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
	options := kinds.ControllerOptions(4)
	options.RateLimiter = kinds.BackoffUpTo[reconcile.Request](r.Resync) // sources are read as often after failures
	return ctrl.NewControllerManagedBy(m).
		For(&v1alpha1.TerraformModule{},
			builder.WithPredicates(predicate.Or(predicate.GenerationChangedPredicate{},
				predicate.AnnotationChangedPredicate{}))).
		Watches(&v1alpha1.TerraformProvider{}, all).
		WithOptions(options).
		Complete(r)
}

// Expected returns the TerraformModules whose kinds should be served. They include those that are
// being deleted, whose instances have to be destroyed.
func (r *Reconciler) Expected(ctx context.Context) (all []kinds.Source, _ error) {
	list := &v1alpha1.TerraformModuleList{}
	if err := r.Manager.GetAPIReader().List(ctx, list); err != nil {
		return nil, err
	}
	for _, m := range list.Items {
		all = append(all, kinds.Source{Kind: kinds.ModuleSource, Name: m.Name})
	}
	return all, nil
}

// Reconcile implements reconcile.Reconciler.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	m := &v1alpha1.TerraformModule{}
	if err := r.Manager.GetClient().Get(ctx, req.NamespacedName, m); kerrors.IsNotFound(err) {
		r.Registry.Attempted(kinds.Source{Kind: kinds.ModuleSource, Name: req.Name})
		return reconcile.Result{}, nil
	} else if err != nil {
		return reconcile.Result{}, err
	}
	if err := kinds.CheckOwner(kinds.ModuleOwner(m.Name)); err != nil {
		r.Registry.Attempted(kinds.Source{Kind: kinds.ModuleSource, Name: m.Name})
		return kinds.RetryOnConflict(r.Refuse(ctx, m, &m.Status.ConditionedStatus, &m.Status.Messages, v1alpha1.FinalizerModule, err))
	}
	// Even if nothing else of the spec can be carried out.
	r.SetDefaults(kinds.ModuleOwner(m.Name), kinds.Defaults{ApprovalPolicy: m.Spec.ApprovalPolicy, PollInterval: m.Spec.PollInterval})
	deleted := !m.DeletionTimestamp.IsZero()
	if !deleted && controllerutil.AddFinalizer(m, v1alpha1.FinalizerModule) {
		if err := r.Manager.GetClient().Update(ctx, m); err != nil {
			return kinds.RetryOnConflict(err)
		}
	}
	before := m.DeepCopy()
	problem := r.serve(ctx, m)
	if problem == nil {
		r.Registry.Attempted(kinds.Source{Kind: kinds.ModuleSource, Name: m.Name})
	}
	again := r.Resync
	if deleted {
		// It is served until its instances are destroyed.
		used, err := r.AnyObjects(ctx, kinds.ModuleOwner(m.Name))
		if err != nil {
			return reconcile.Result{}, err
		}
		if !used {
			return reconcile.Result{}, r.remove(ctx, m)
		}
		again = inUse
		if problem == nil {
			problem = kinds.Unhealthy(v1alpha1.ReasonKindInUse, errors.New("the module is being deleted: it is removed after its last instance"))
		}
	}
	m.Status.ObservedGeneration = m.Generation
	m.Status.LastHandledReconcileAt = cmp.Or(m.Annotations[v1alpha1.AnnotationReconcile], m.Status.LastHandledReconcileAt)
	r.SetConditions(m, &m.Status.ConditionedStatus, &m.Status.Messages, problem, kinds.Served{
		Event: fmt.Sprintf("Serving %s of %s", m.Status.Kind, m.Status.Group), Limitation: r.limitation(m),
	})
	if !equality.Semantic.DeepEqual(before.Status, m.Status) {
		if err := r.Manager.GetClient().Status().Update(ctx, m); err != nil {
			return kinds.RetryOnConflict(err)
		}
	}
	if problem != nil && problem.Retry && !deleted {
		return reconcile.Result{}, problem.Err
	}
	r.mu.Lock()
	run := r.modules[m.UID]
	r.mu.Unlock()
	if run != nil {
		if sooner := r.SyncApprovers(ctx, kinds.ModuleOwner(m.Name), run.kind.Model, &run.known); sooner > 0 {
			again = min(again, sooner)
		}
	}
	return reconcile.Result{RequeueAfter: again}, nil
}

// serve makes the cluster serve what the object specifies, and updates its status. With a problem,
// what was served before is still served.
func (r *Reconciler) serve(ctx context.Context, m *v1alpha1.TerraformModule) *kinds.Problem {
	program, err := r.CommandLine.Runner(ctx)
	if err != nil {
		return kinds.NotInstalled(v1alpha1.ReasonExecutionUnavailable,
			fmt.Errorf("%w; start the controller with --cli and the path of OpenTofu or Terraform", err)).Retried()
	}
	runner := program.Runner
	source, problem := sourceOf(ctx, r.Manager.GetAPIReader(), r.Namespace, m)
	source.Artifacts = r.Artifacts
	if problem != nil {
		return problem
	}
	sum, err := source.Sum()
	if err != nil { // a directory that cannot be read
		problem := kinds.NotInstalled(v1alpha1.ReasonSourceNotAvailable, fmt.Errorf("spec.source.directory: %w", err)).Retried()
		problem.Stalls = true
		return problem
	}
	sum = strings.Join([]string{sum, source.Digest, fmt.Sprint(source.Allow), m.Spec.Group, m.Spec.Kind, m.Spec.Plural}, "\x00")
	r.mu.Lock()
	old := r.modules[m.UID]
	r.mu.Unlock()
	if old != nil && old.sum == sum && old.program == runner && old.module.Current() {
		providers, problem := r.providers(m, old.module)
		if problem != nil || maps.Equal(providers, old.providers) {
			return problem
		}
		return r.start(ctx, m, old, old.kind.Model, &running{sum: sum, program: runner, module: old.module, providers: providers})
	}
	dir, err := runner.MakeDir()
	if err != nil {
		return kinds.NotInstalled(v1alpha1.ReasonSourceNotAvailable, err).Retried()
	}
	fetching, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	fetched, diags := module.Fetch(fetching, runner, source, dir, resourceType(m.Name))
	stalls := r.noteFetched(m.UID, sum, diags.HasSummary(module.NotFetched))
	switch {
	case diags.HasSummary(module.NotFetched):
		problem := kinds.NotInstalled(v1alpha1.ReasonSourceNotAvailable, text(diags)).Retried()
		problem.Stalls = stalls
		return problem
	case diags.HasSummary(module.NotAllowed):
		return kinds.NotInstalled(v1alpha1.ReasonNotAllowed, text(diags))
	case diags.HasSummary(module.DigestMismatch):
		return kinds.NotInstalled(v1alpha1.ReasonDigestMismatch, text(diags))
	case diags.HasErrors():
		return kinds.NotInstalled(v1alpha1.ReasonInvalidModule, text(diags))
	}
	providers, problem := r.providers(m, fetched)
	if problem == nil {
		problem = r.settings(fetched, providers)
	}
	if problem == nil {
		var made *model.Provider
		if made, err = modelOf(m, fetched.Resource); err != nil {
			problem = kinds.NotInstalled(v1alpha1.ReasonInvalidConfiguration, err)
		} else if problem = r.start(ctx, m, old, made.Resources[fetched.Resource.Type],
			&running{sum: sum, program: runner, module: fetched, providers: providers}); problem == nil {
			return nil
		}
	}
	_ = fetched.Remove()
	return problem
}

// noteFetched takes note of whether a source can be fetched, and reports whether it could not be
// for so long that the user has to change something.
func (r *Reconciler) noteFetched(uid types.UID, sum string, failed bool) (stalls bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !failed {
		delete(r.unfetched, uid)
		return false
	}
	if r.unfetched[uid].sum != sum {
		r.unfetched[uid] = unfetched{sum, time.Now()}
	}
	return time.Since(r.unfetched[uid].since) >= stallAfter
}

func text(diags diagnostic.Diagnostics) error { return errors.New(diags.Errors().String()) }

// sourceOf reads the module's source. namespace is Landbridge's own.
func sourceOf(ctx context.Context, reader client.Reader, namespace string, m *v1alpha1.TerraformModule) (module.Source, *kinds.Problem) {
	s := m.Spec.Source
	out := module.Source{Directory: s.Directory, Address: s.Address, Version: s.Version, Digest: s.Digest}
	for _, p := range m.Spec.Allow {
		out.Allow = append(out.Allow, module.Permission(p))
	}
	if s.ConfigMapRef == nil {
		if strings.HasPrefix(s.Address, ".") || strings.HasPrefix(s.Address, "/") {
			return out, kinds.NotInstalled(v1alpha1.ReasonSourceNotAvailable,
				errors.New("spec.source.address is a path: use spec.source.directory")).Retried()
		}
		if s.CredentialsSecretRef != nil {
			return withCredentials(ctx, reader, namespace, out, s.CredentialsSecretRef.Name)
		}
		return out, nil
	}
	c := &corev1.ConfigMap{}
	if err := reader.Get(ctx, client.ObjectKey{Namespace: s.ConfigMapRef.Namespace, Name: s.ConfigMapRef.Name}, c); err != nil {
		return out, kinds.NotInstalled(v1alpha1.ReasonSourceNotAvailable, fmt.Errorf("spec.source.configMapRef: %w", err)).Retried()
	}
	out.Files = map[string][]byte{}
	for name, content := range c.Data {
		out.Files[name] = []byte(content)
	}
	maps.Copy(out.Files, c.BinaryData)
	files, err := module.FilesOf(out.Files)
	if err != nil {
		return out, kinds.NotInstalled(v1alpha1.ReasonInvalidModule, fmt.Errorf("spec.source.configMapRef: %w", err))
	}
	out.Files = files
	if s.ConfigMapRef.Namespace != namespace && s.Digest == "" {
		sum, err := out.Sum()
		if err != nil {
			return out, kinds.NotInstalled(v1alpha1.ReasonSourceNotAvailable, err).Retried()
		}
		return out, kinds.NotInstalled(v1alpha1.ReasonSourceNotAllowed,
			fmt.Errorf("spec.source.configMapRef: whoever can change ConfigMaps in the namespace %s could "+
				"change the module. "+
				"Move the ConfigMap to the namespace %s, or read it and set spec.source.digest to %s", s.ConfigMapRef.Namespace, namespace, sum))
	}
	return out, nil
}

// withCredentials adds the credentials of a Secret in Landbridge's own namespace.
func withCredentials(
	ctx context.Context, reader client.Reader, namespace string, out module.Source, name string,
) (module.Source, *kinds.Problem) {
	secret := &corev1.Secret{}
	if err := reader.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, secret); err != nil {
		return out, kinds.NotInstalled(v1alpha1.ReasonSourceNotAvailable, fmt.Errorf("spec.source.credentialsSecretRef: %w", err)).Retried()
	}
	out.Credentials = &module.Credentials{
		Username: string(secret.Data[corev1.BasicAuthUsernameKey]), Password: strings.TrimSpace(string(secret.Data[corev1.BasicAuthPasswordKey])),
		SSHKey: secret.Data[corev1.SSHAuthPrivateKey], KnownHosts: secret.Data["known_hosts"],
		Token: strings.TrimSpace(string(secret.Data["token"])),
	}
	return out, nil
}

// providers returns the names of the TerraformProviders for a module, by source.
func (r *Reconciler) providers(m *v1alpha1.TerraformModule, fetched *module.Module) (map[string]string, *kinds.Problem) {
	out := map[string]string{}
	for _, source := range fetched.Sources {
		name, err := m.Spec.Providers[source], error(nil)
		if name == "" {
			name, err = r.Providers.ProviderOf(source)
		} else if _, ok := r.Providers.Servers(name); !ok {
			err = fmt.Errorf("spec.providers: the TerraformProvider %s does not exist or is not installed", name)
		}
		if err != nil {
			return nil, kinds.Unhealthy(v1alpha1.ReasonProviderMissing, err).Retried()
		}
		out[source] = name
	}
	return out, nil
}

// settings checks the settings of the module's provider blocks.
func (r *Reconciler) settings(fetched *module.Module, providers map[string]string) *kinds.Problem {
	diags := fetched.CheckSettings(func(source string) *schema.Block {
		resolver, ok := r.Providers.Servers(providers[source])
		if !ok {
			return nil
		}
		return resolver.Provider.Schema.Config
	})
	switch {
	case !diags.HasErrors():
		return nil
	case diags.HasSummary(module.NotAllowed):
		return kinds.NotInstalled(v1alpha1.ReasonNotAllowed, text(diags))
	default:
		return kinds.NotInstalled(v1alpha1.ReasonInvalidModule, text(diags))
	}
}

// arguments returns what the CRD of a module's kind has besides its model.
func arguments(m *module.Module) crd.ModuleArguments {
	out := crd.ModuleArguments{
		Rules: map[string][]crd.ModuleRule{}, Defaults: crd.Defaults{Values: map[string]cty.Value{}, Inner: map[string]*crd.Defaults{}},
		Nullable: map[string]bool{}, Configurations: m.ConfigurationNames(),
	}
	for name, v := range m.Variables {
		out.Nullable[name], out.Defaults.Inner[name] = v.Nullable, attributeDefaults(v.AttributeDefaults)
		if v.Default {
			out.Defaults.Values[name] = v.DefaultValue
		}
		for _, rule := range v.Rules {
			out.Rules[name] = append(out.Rules[name], crd.ModuleRule(rule))
		}
	}
	return out
}

// attributeDefaults returns the defaults of attributes in the form that package crd has for them.
func attributeDefaults(d *typeexpr.Defaults) *crd.Defaults {
	if d == nil {
		return nil
	}
	out := &crd.Defaults{Values: d.DefaultValues, Inner: map[string]*crd.Defaults{}}
	for name, inner := range d.Children {
		out.Inner[name] = attributeDefaults(inner)
	}
	return out
}

// limitation describes the parts of a module that are ignored; empty if there are none.
func (r *Reconciler) limitation(m *v1alpha1.TerraformModule) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	run := r.modules[m.UID]
	if run == nil {
		return ""
	}
	var out []string
	for _, d := range run.module.Warnings {
		out = append(out, d.Summary+": "+d.Detail)
	}
	return strings.Join(out, " ")
}

// resourceType returns the name of a module as a resource type.
func resourceType(name string) string {
	return "module_" + strings.NewReplacer("-", "_", ".", "_").Replace(name)
}

// modelOf returns the model of a module: a provider with one resource type.
func modelOf(m *v1alpha1.TerraformModule, s *schema.Resource) (*model.Provider, error) {
	group := m.Spec.Group
	if group == "" {
		group = defaultGroup
	}
	made := func(known map[string]config.Names) (*model.Provider, error) {
		return model.KeepNames("module", &schema.Provider{
			Protocol: 6, Config: &schema.Block{}, Resources: map[string]*schema.Resource{s.Type: s},
		}, config.Provider{
			Group: group, Resources: map[string]config.Resource{s.Type: {Kind: m.Spec.Kind, Plural: m.Spec.Plural}},
		}, known)
	}
	p, err := made(nil)
	if err != nil || m.Spec.Kind != "" || !strings.EqualFold(m.Status.Kind, p.Resources[s.Type].Kind) {
		return p, err
	}
	// The kind exists, and keeps its capitals, which an earlier release may have chosen otherwise.
	return made(map[string]config.Names{s.Type: {Kind: m.Status.Kind}})
}

// start serves a module as run specifies, in place of old, which may be nil.
func (r *Reconciler) start(
	ctx context.Context, m *v1alpha1.TerraformModule, old *running, resource *model.Resource, run *running,
) *kinds.Problem {
	owner := kinds.ModuleOwner(m.Name)
	if err := r.EnsureRoles(ctx, owner, kschema.GroupResource{Group: resource.Group, Resource: resource.Plural}); err != nil {
		return kinds.Unhealthy(v1alpha1.ReasonActivationFailed, err).Retried()
	}
	others, err := r.Prune(ctx, owner, func(c *apiextensionsv1.CustomResourceDefinition) bool { return c.Name == resource.CRDName() })
	if err != nil {
		return kinds.Unhealthy(v1alpha1.ReasonActivationFailed, err).Retried()
	}
	if len(others) > 0 {
		return kinds.Unhealthy(v1alpha1.ReasonKindInUse,
			fmt.Errorf("the kind cannot be %s of %s while objects of %s exist", resource.Kind, resource.Group,
				strings.Join(others, ", "))).Retried()
	}
	definition, err := crd.Module(resource, arguments(run.module))
	if err != nil {
		return kinds.Unhealthy(v1alpha1.ReasonInvalidModule, err)
	}
	if held := r.Evolve(ctx, m, owner, func(func(string) bool) []*apiextensionsv1.CustomResourceDefinition {
		return []*apiextensionsv1.CustomResourceDefinition{definition}
	}); held != nil {
		return held
	}
	changed, err := r.EnsureCRD(ctx, owner, definition)
	if err == nil && changed {
		err = kinds.AwaitWatches(ctx)
	}
	if kinds.IsConflict(err) {
		return kinds.Unhealthy(v1alpha1.ReasonCRDConflict, err).Retried()
	}
	if err != nil {
		return kinds.Unhealthy(v1alpha1.ReasonActivationFailed, err).Retried()
	}
	if old != nil {
		old.kind.Stop(ctx) // the module's files remain until this process ends, since running operations need them
	}
	run.kind, err = r.StartKind(&managed.Kind{
		Model: resource, Poll: r.Poll(owner), Providers: slices.Concat([]string{m.Name}, slices.Collect(maps.Values(run.providers))),
		DestroyLimit: r.DestroyLimit(owner),
		ProviderConfigs: &configs{
			runner: run.program, module: run.module, installed: r.Providers, providers: run.providers,
			approval: r.Approval(owner), grace: r.CreationGracePeriod, key: r.AccountKey[:],
		},
	})
	if err != nil {
		return kinds.Unhealthy(v1alpha1.ReasonActivationFailed, err).Retried()
	}
	r.mu.Lock()
	r.modules[m.UID] = run
	r.mu.Unlock()
	m.Status.Group, m.Status.Kind, m.Status.Plural = resource.Group, resource.Kind, resource.Plural
	m.Status.Digest, m.Status.Providers = run.module.Digest, run.providers
	return nil
}

// remove stops serving a module that has no instances any more.
func (r *Reconciler) remove(ctx context.Context, m *v1alpha1.TerraformModule) error {
	if !controllerutil.ContainsFinalizer(m, v1alpha1.FinalizerModule) {
		return nil
	}
	r.mu.Lock()
	run := r.modules[m.UID]
	delete(r.modules, m.UID)
	delete(r.unfetched, m.UID)
	r.mu.Unlock()
	if run != nil {
		run.kind.Stop(ctx)
	}
	left, err := r.Prune(ctx, kinds.ModuleOwner(m.Name), nil)
	if err == nil {
		err = r.RemoveApprovers(ctx, kinds.ModuleOwner(m.Name))
	}
	if err == nil && len(left) == 0 {
		err = r.RemoveRoles(ctx, kinds.ModuleOwner(m.Name))
	}
	if err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(m, v1alpha1.FinalizerModule)
	return client.IgnoreNotFound(r.Manager.GetClient().Update(ctx, m))
}

// Users returns the instances that use a configuration of a provider. provider is the name of its
// TerraformProvider.
func (r *Reconciler) Users(ctx context.Context, provider string, ref providerconfig.Reference) (all []providerconfig.User) {
	for _, k := range r.users(provider) {
		instances, err := k.UsersOf(ctx, ref)
		if err != nil {
			r.Logger.Error(err, "Cannot list the instances of a module", "kind", k.Model.Kind)
			continue
		}
		all = append(all, instances...)
	}
	return all
}

// BeingDeleted returns the number of instances that use a provider, are being deleted, and wait for
// a controller. provider is the name of its TerraformProvider.
func (r *Reconciler) BeingDeleted(ctx context.Context, provider string) (n int, err error) {
	for _, k := range r.users(provider) {
		more, err := k.BeingDeleted(ctx)
		if err != nil {
			return 0, err
		}
		n += more
	}
	return n, nil
}

// users returns the kinds of the modules that use a provider.
func (r *Reconciler) users(provider string) (users []*kinds.Kind) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, run := range r.modules {
		if slices.Contains(slices.Collect(maps.Values(run.providers)), provider) {
			users = append(users, run.kind)
		}
	}
	return users
}

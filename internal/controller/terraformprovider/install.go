package terraformprovider

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/schema"
)

// inUse is the interval of checks whether former names of kinds are still in use.
const inUse = 15 * time.Second

// running is an installed provider and its controllers.
type running struct {
	*kinds.ServedProvider
	source   string
	key      string
	logLevel string
	how      execution
	// config is the configuration of the model. kept are the parts of it that do not apply yet.
	config config.Provider
	kept   []string
	// names has AnnotationNames for the CRDs of resource types.
	names map[string]string
}

// runningProvider returns the provider as it runs, or nil.
func (r *Reconciler) runningProvider(uid types.UID) *running {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.providers[uid]
}

// install makes the cluster serve what the object specifies, and updates its status. It returns
// when to reconcile again, unless the problem is one to retry.
func (r *Reconciler) install(ctx context.Context, p *v1alpha1.TerraformProvider) (_ *kinds.Problem, again time.Duration) {
	from, problem := r.find(ctx, p, p.UID)
	p.Status.Sources = r.sources(p, from)
	if problem != nil {
		return problem, kinds.Resync
	}
	how, problem := r.execution(ctx, p, from)
	if problem != nil {
		return problem, kinds.Resync
	}
	run, problem, again := r.run(ctx, p, from, how)
	if problem != nil {
		r.activateMeanwhile(ctx, p, problem)
		return problem, again
	}
	if p.Status.Installed, problem = installed(p, from, run); problem != nil {
		return problem, kinds.Resync
	}
	p.Status.Locked = locked(p, from.lock)
	p.Status.Upgrade = completed(p.Status.Upgrade, *p.Status.Installed)
	r.previews.forget(p.UID)
	r.checkVersions(p, from)
	p.Status.Execution, p.Status.CommandLine = how.way, how.program()
	p.Status.Sandbox = r.sandboxState(how)
	p.Status.Protocol = run.Model.Schema.Protocol
	p.Status.Resources = len(run.Model.Resources)
	p.Status.Names = recordedNames(p, run.Model)

	active, wrong := activatedOf(run.Model, &p.Spec)
	p.Status.DataSources, p.Status.EphemeralResources = len(run.Model.DataSources), len(run.Model.EphemeralResources)
	served, end := r.showProgress(ctx, p, len(active.addresses()))
	errs, again := r.activate(ctx, run, active, served)
	end()
	p.Status.Activated, p.Status.ActivatedDataSources = len(run.Types()), len(run.Serving(model.Data))
	p.Status.ActivatedEphemeralResources = len(run.Serving(model.Ephemeral))
	p.Status.Actions, p.Status.ActivatedActions = len(run.Model.Actions), len(run.Serving(model.Action))
	if len(run.kept) > 0 {
		again = min(again, inUse)
	}
	switch {
	case len(errs) > 0:
		reason := v1alpha1.ReasonActivationFailed
		if kinds.IsConflict(errs[0]) {
			reason = v1alpha1.ReasonCRDConflict
		}
		return kinds.Unhealthy(reason, errors.Join(errs...)).Retried(), again
	case len(wrong) > 0:
		return kinds.Unhealthy(v1alpha1.ReasonUnknownResourceType, errors.New("spec.activate: "+strings.Join(wrong, "; "))), again
	case len(run.kept) > 0:
		return kinds.Unhealthy(v1alpha1.ReasonKindInUse, errors.New(strings.Join(run.kept, "; "))), again
	}
	return nil, again
}

// run returns the provider as it runs. It is replaced if its program, environment or configuration
// changed. With a problem, run returns when to reconcile again.
func (r *Reconciler) run(
	ctx context.Context, p *v1alpha1.TerraformProvider, from origin, how execution,
) (_ *running, _ *kinds.Problem, again time.Duration) {
	key := from.launcher.Key()
	old := r.runningProvider(p.UID)
	if old != nil && old.key == key && old.logLevel == p.Spec.LogLevel && old.how == how && old.Limits == limits(p) {
		r.starts.forget(p.UID)
		if len(old.kept) == 0 && equality.Semantic.DeepEqual(old.config, p.Spec.Config()) {
			return old, nil, 0
		}
		return r.present(ctx, p, started{key, from.name, how, old.Model.Schema, old.Launcher, from.version(), from.program(p)}, old)
	}
	start := r.starts.take(p.UID, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(p)}, from.launcher, p.Spec.LogLevel)
	if start == nil {
		return nil, starting, 0
	}
	if start.diags.HasErrors() {
		again = r.starts.failed.When(p.UID)
		r.Logger.Error(start.diags.Err(), "Provider does not start", "provider", p.Name, "retryAfter", again.String())
		return nil, kinds.NotInstalled(v1alpha1.ReasonProviderNotRunning, start.diags.Err()), again
	}
	r.starts.failed.Forget(p.UID)
	return r.present(ctx, p, started{key, from.name, how, start.schema, start.launcher, from.version(), from.program(p)}, old)
}

// started is a provider whose schema is known. name is the provider's own, such as random.
type started struct {
	key, name string
	how       execution
	schema    *schema.Provider
	launcher  provider.Launcher
	// version is empty if it is not known.
	version   string
	installed v1alpha1.InstalledProvider
}

// present runs a provider with the kinds that the spec asks for, in place of old, which may be nil.
// A mistake in the spec changes nothing.
func (r *Reconciler) present(
	ctx context.Context, p *v1alpha1.TerraformProvider, s started, old *running,
) (_ *running, _ *kinds.Problem, again time.Duration) {
	// First those for kinds that are defined already: their objects are read.
	if err := r.EnsureRoles(ctx, p.Name); err != nil {
		return nil, kinds.Unhealthy(v1alpha1.ReasonActivationFailed, err).Retried(), kinds.Resync
	}
	m, kept, err := Model(ctx, r.Manager.GetAPIReader(), p, s.name, s.schema)
	var mistake *config.Error
	switch {
	case errors.As(err, &mistake) && old != nil:
		return nil, kinds.Unhealthy(v1alpha1.ReasonInvalidConfiguration, err), kinds.Resync
	case errors.As(err, &mistake):
		return nil, kinds.NotInstalled(v1alpha1.ReasonInvalidConfiguration, err), kinds.Resync
	case err != nil:
		return nil, kinds.Unhealthy(v1alpha1.ReasonActivationFailed, err).Retried(), kinds.Resync
	}
	if old != nil && old.Model.Schema == s.schema && old.how == s.how && slices.Equal(old.kept, kept) &&
		equality.Semantic.DeepEqual(old.config, p.Spec.Config()) {
		return old, nil, 0
	}
	release := kinds.ReleaseOf(s.launcher, p.Spec.Config(), slices.Concat(kept, []string{string(s.how.way), s.how.program()})...)
	if problem, again := r.mayChange(ctx, p, candidate{s, m, release, old}); problem != nil {
		return nil, problem, again
	}
	if err := r.EnsureRoles(ctx, p.Name, kinds.ResourcesOf(m)...); err != nil {
		return nil, kinds.Unhealthy(v1alpha1.ReasonActivationFailed, err).Retried(), kinds.Resync
	}
	for _, renamed := range m.Renamed {
		r.Logger.Info("Kind is not named after its resource type", "provider", p.Name, "renamed", renamed.String())
	}
	if old != nil {
		old.Stop(ctx)
	}
	// Former names first: their short names may be those of new kinds. The API server does not
	// change the kind of a CRD.
	_, err = r.Prune(ctx, p.Name, func(c *apiextensionsv1.CustomResourceDefinition) bool {
		is := m.ByAddress(c.Annotations[v1alpha1.AnnotationResourceType])
		return is == nil || is.CRDName() == c.Name && is.Kind == c.Spec.Names.Kind
	})
	if err != nil {
		return nil, kinds.Unhealthy(v1alpha1.ReasonActivationFailed, err).Retried(), kinds.Resync
	}
	names, err := annotations(m, p.Spec.Config())
	if err != nil {
		return nil, kinds.Unhealthy(v1alpha1.ReasonActivationFailed, err).Retried(), kinds.Resync
	}
	run := &running{
		ServedProvider: r.NewProvider(kinds.ProviderOptions{
			Name: p.Name, Model: m, Address: addressOf(p), Version: s.version, Launcher: s.launcher, Limits: limits(p), Executor: s.how.executor(),
			Release: release,
		}),
		source: p.Spec.Source, key: s.key, logLevel: p.Spec.LogLevel, how: s.how, config: p.Spec.Config(), kept: kept, names: names,
	}
	r.mu.Lock()
	r.providers[p.UID] = run
	r.mu.Unlock()
	return run, nil, 0
}

// addressOf returns the address of a provider; empty if it is given as a program.
func addressOf(p *v1alpha1.TerraformProvider) string {
	a, err := install.ParseAddress(p.Spec.Source)
	if err != nil {
		return ""
	}
	return a.String()
}

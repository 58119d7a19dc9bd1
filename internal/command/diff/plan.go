package diff

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

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/zclconf/go-cty/cty"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	kmeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/command/cluster"
	"github.com/landbridge-io/landbridge/internal/command/local"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/controller/terraformmodule"
	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/policy"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/planview"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// parallelism is the maximum of concurrent dry runs.
const parallelism = 10

// LocalProvider is a provider of the cluster that runs on this machine.
type LocalProvider struct {
	// Source is the provider's address.
	Source   string
	Model    *model.Provider
	Launcher provider.Launcher

	// module is set for a module, which is presented as a provider with one resource type.
	module *LocalModule
}

// LocalModule is a module of the cluster whose files are on this machine.
type LocalModule struct {
	*terraformmodule.Opened
	// Providers are those of the module, by the names of their TerraformProviders.
	Providers map[string]*LocalProvider
}

// Options of Plan.
type Options struct {
	// Client is of the cluster. Its scheme has core/v1.
	Client client.Client
	// Load returns what is stored of a custom resource, or store.ErrNotFound.
	Load      func(context.Context, store.Key, *model.Resource) (store.Record, error)
	Providers []LocalProvider
	// Modules are those of which there are objects.
	Modules []LocalModule
	// Namespace of objects that name none.
	Namespace string
	// FieldManager of server-side applies. Defaults to the one that has applied the object, and to
	// kubectl's own way of merging for objects that it has applied.
	FieldManager string
	// WithoutRefresh plans objects as they are stored, without reading them.
	WithoutRefresh bool
	// Secrets gets the secrets that are read. Messages do not show them.
	Secrets *redact.Redactor
}

// Plan is a plan for manifests.
type Plan struct {
	local.Plan
	// failed is set if there were errors.
	failed bool
	// Waiting are resources that are not planned, since they wait for others.
	Waiting []Waiting
	// Unplanned are objects of other kinds that would be created or changed.
	Unplanned []Unplanned
	// Upgrades are the TerraformProviders of which only the version would change. What that does to
	// live resources is not planned here: package upgrade previews it.
	Upgrades []Upgrade
}

// Upgrade is a change of the version of a TerraformProvider.
type Upgrade struct{ Name, Version string }

// Unplanned is an object of a kind that is not planned.
type Unplanned struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
	// New is set if there is no such object yet.
	New bool `json:"new"`
}

// Waiting is a resource that waits for others.
type Waiting struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	// For describes what is missing.
	For []string `json:"for"`
}

// HasChanges reports whether applying the manifests would change anything of remote objects, now or
// later.
func (p *Plan) HasChanges() bool { return p.Plan.HasChanges() || p.left() }

// left reports whether something would be changed that is not among Changes.
func (p *Plan) left() bool { return len(p.Waiting) > 0 || len(p.Unplanned) > 0 }

// View returns the plan for display.
func (p *Plan) View() planview.View {
	out := p.Plan.View()
	out.Incomplete = p.failed || p.left()
	return out
}

// planned is a custom resource of the manifests.
type planned struct {
	source   string
	provider *LocalProvider
	model    *model.Resource
	// object is the resource as it would be after it was applied.
	object     *unstructured.Unstructured
	references []references.Reference
}

func (r *planned) key() store.Key {
	return store.Key{Group: r.model.Group, Kind: r.model.Kind, Namespace: r.object.GetNamespace(), Name: r.object.GetName()}
}

// Refers implements local.Referrer.
func (r *planned) Refers() (*unstructured.Unstructured, []references.Reference) {
	return r.object, r.references
}

// planner plans manifests.
type planner struct {
	Options
	// presented are the providers and the modules.
	presented    []LocalProvider
	overlay      *local.Objects
	placeholders *references.Placeholders
	sessions     map[*LocalProvider]*local.Session
	// replaced are the resources whose objects would be replaced, and plans the plans for that.
	replaced map[store.Key]*unstructured.Unstructured
	plans    map[store.Key]*terraform.Plan
	// later are the instances of modules whose variables are not known yet.
	later map[store.Key]bool
	// resolvers are those of the providers of modules, pool their servers.
	mu        sync.Mutex
	resolvers map[*LocalProvider]*providerconfig.Resolver
	pool      *pool.Pool
	out       *Plan
	messages  local.Messages
}

// Make plans manifests against a cluster. With errors, the plan is incomplete.
func Make(ctx context.Context, o Options, objects []local.Object) (*Plan, local.Messages) {
	p := &planner{
		Options: o, overlay: local.NewObjects(o.Client),
		placeholders: references.NewPlaceholders(), sessions: map[*LocalProvider]*local.Session{}, out: &Plan{
			Plan: local.Plan{Mode: local.Normal},
		},
		replaced: map[store.Key]*unstructured.Unstructured{}, plans: map[store.Key]*terraform.Plan{}, later: map[store.Key]bool{},
		resolvers: map[*LocalProvider]*providerconfig.Resolver{}, pool: pool.New(pool.Options{IdleTimeout: time.Hour, KeepTrying: true}),
	}
	p.presented = slices.Clone(o.Providers)
	for i := range o.Modules {
		p.presented = append(p.presented, LocalProvider{Model: o.Modules[i].Model, module: &o.Modules[i]})
	}
	defer p.close(ctx)
	for _, level := range local.Levels(p.read(ctx, objects)) {
		p.plan(ctx, level)
	}
	p.planDependents(ctx)
	p.out.failed = p.messages.HasErrors()
	return p.out, p.messages
}

func (p *planner) close(ctx context.Context) {
	for _, s := range p.sessions {
		_ = s.Close(context.WithoutCancel(ctx)) // all answers have arrived
	}
	_ = p.pool.Close(context.WithoutCancel(ctx))
}

func (p *planner) report(severity diagnostic.Severity, source, summary, detail string, args ...any) {
	replacer := p.Secrets.Replacer()
	p.messages = append(p.messages, local.Message{
		Severity: severity, Source: source, Summary: summary, Detail: replacer.Replace(fmt.Sprintf(detail, args...)),
	})
}

// read applies the objects in dry runs, and returns the custom resources among them.
func (p *planner) read(ctx context.Context, objects []local.Object) []*planned {
	var wanted, others []local.Object
	for _, o := range objects {
		gvk := o.GroupVersionKind()
		mapping, err := p.Client.RESTMapper().RESTMapping(gvk.GroupKind(), gvk.Version)
		if err != nil {
			p.report(diagnostic.Error, o.Source, "Unknown kind", "%s", notServed(gvk, err))
			continue
		}
		if mapping.Scope.Name() == kmeta.RESTScopeNameNamespace && o.GetNamespace() == "" {
			o.SetNamespace(p.Namespace)
		}
		if p.overlay.Like(o.Unstructured) != nil {
			p.report(diagnostic.Error, o.Source, "Duplicate object", "There is another %s of the same name in the manifests.", o.GetKind())
			continue
		}
		p.overlay.Add(o.Unstructured)
		if p.concerns(gvk) {
			wanted = append(wanted, o)
		} else {
			others = append(others, o)
		}
	}
	p.dryRuns(ctx, wanted)
	p.unplanned(ctx, others)
	var out []*planned
	for _, o := range wanted {
		r := p.resource(o)
		if r == nil {
			continue
		}
		if r.object.GetDeletionTimestamp() != nil {
			p.report(diagnostic.Warning, o.Source, "Not planned", "The resource is being deleted.")
			continue
		}
		refs, err := references.Of(r.object, r.model)
		if err != nil {
			p.report(diagnostic.Error, o.Source, "Invalid reference", "%s.", err)
			continue
		}
		r.references = refs
		out = append(out, r)
	}
	return out
}

func notServed(gvk schema.GroupVersionKind, err error) string {
	if kmeta.IsNoMatchError(err) {
		return fmt.Sprintf("The cluster does not serve the kind %s of %s. Activate its resource type in the "+
			"TerraformProvider.", gvk.Kind, gvk.GroupVersion())
	}
	return fmt.Sprintf("%s.", err)
}

// concerns reports whether objects of a kind concern plans: custom resources of providers, their
// configurations, and Secrets.
func (p *planner) concerns(gvk schema.GroupVersionKind) bool {
	return gvk == corev1.SchemeGroupVersion.WithKind("Secret") ||
		slices.ContainsFunc(p.presented, func(x LocalProvider) bool {
			if gvk.Group == x.Model.Group && (gvk.Kind == model.ProviderConfigKind || gvk.Kind == model.ClusterProviderConfigKind) {
				return true
			}
			return resourceOf(x.Model, gvk) != nil
		})
}

func resourceOf(p *model.Provider, gvk schema.GroupVersionKind) *model.Resource {
	for _, m := range p.All() {
		if m.GroupVersionKind() == gvk && m.Mode != model.Ephemeral && m.Mode != model.Action { // which are not planned here
			return m
		}
	}
	return nil
}

// resource returns the custom resource that an object is; nil if it is none.
func (p *planner) resource(o local.Object) *planned {
	u := p.overlay.Like(o.Unstructured)
	for i := range p.presented {
		if m := resourceOf(p.presented[i].Model, o.GroupVersionKind()); m != nil && u != nil {
			return &planned{source: o.Source, provider: &p.presented[i], model: m, object: u}
		}
	}
	return nil
}

// dryRuns replaces the objects of the overlay by what they would be after they were applied. Those
// that the API server refuses are removed. It returns the objects as they are, with nil for those
// that do not exist.
func (p *planner) dryRuns(ctx context.Context, objects []local.Object) (live []*unstructured.Unstructured) {
	var group errgroup.Group
	group.SetLimit(parallelism)
	merged, errs := make([]*unstructured.Unstructured, len(objects)), make([]error, len(objects))
	live = make([]*unstructured.Unstructured, len(objects))
	for i, o := range objects {
		group.Go(func() error {
			merged[i], live[i], errs[i] = dryRun(ctx, p.Client, p.FieldManager, o.Unstructured)
			if live[i] == nil && kerrors.IsNotFound(errs[i]) { // its namespace is new, too
				merged[i], errs[i] = withDefaults(o.Unstructured), nil
			}
			return nil
		})
	}
	_ = group.Wait()
	for i, o := range objects {
		if errs[i] != nil {
			if o.GetKind() == "Secret" {
				p.conceal(o.Unstructured)
			}
			p.report(diagnostic.Error, o.Source, "Not accepted", "The API server does not accept the object: %s.",
				strings.TrimSuffix(refusal(errs[i]), "."))
			p.overlay.Remove(o.Unstructured)
			continue
		}
		p.overlay.Add(merged[i])
	}
	return live
}

// unplanned applies objects of kinds that are not planned in dry runs, and records those that would
// change.
func (p *planner) unplanned(ctx context.Context, objects []local.Object) {
	kinds := map[string]bool{}
	for i, live := range p.dryRuns(ctx, objects) {
		o := objects[i]
		u := p.overlay.Like(o.Unstructured)
		if u == nil {
			continue
		}
		gvk := u.GroupVersionKind()
		if _, managed, _ := unstructured.NestedMap(u.Object, "spec", "forProvider"); managed {
			p.report(diagnostic.Error, o.Source, "Cannot be planned", "The kind %s of %s is of no provider and no "+
				"module that can be run here.", gvk.Kind, gvk.GroupVersion())
			continue
		}
		if !differs(u, live) {
			continue
		}
		p.out.Unplanned = append(p.out.Unplanned, Unplanned{
			APIVersion: u.GetAPIVersion(), Kind: gvk.Kind, Namespace: u.GetNamespace(), Name: u.GetName(), New: live == nil,
		})
		if version, ok := otherVersion(u, live); ok {
			p.out.Upgrades = append(p.out.Upgrades, Upgrade{u.GetName(), version})
			continue
		}
		if live != nil && gvk.Group == v1alpha1.GroupVersion.Group &&
			slices.Contains([]string{"TerraformProvider", "TerraformModule"}, gvk.Kind) {
			p.report(diagnostic.Error, o.Source, "Cannot be planned",
				"The %s would change, and what that changes of remote objects cannot be planned. Apply it first, "+
					"with an approvalPolicy if plans are to be seen before they are carried out.",
				gvk.Kind)
			continue
		}
		kinds[gvk.GroupKind().String()] = true
	}
	if len(kinds) > 0 {
		p.report(diagnostic.Warning, "", "Not planned", "kubectl diff shows changes of %s.", strings.Join(slices.Sorted(maps.Keys(kinds)), ", "))
	}
}

// otherVersion returns the version that a TerraformProvider would get, if nothing else of it would
// change.
func otherVersion(u, live *unstructured.Unstructured) (version string, ok bool) {
	if live == nil || u.GroupVersionKind() != v1alpha1.GroupVersion.WithKind("TerraformProvider") {
		return "", false
	}
	version, _, _ = unstructured.NestedString(u.Object, "spec", "version")
	same := live.DeepCopy()
	if version == "" || unstructured.SetNestedField(same.Object, version, "spec", "version") != nil {
		return "", false
	}
	return version, !differs(u, same)
}

// conceal adds the values of a Secret to those that messages do not show.
func (p *planner) conceal(u *unstructured.Unstructured) {
	var s corev1.Secret
	if local.SecretOf(u, &s) == nil {
		for _, v := range s.Data {
			p.Secrets.Add(v)
		}
	}
}

// withDefaults returns an object that could not be applied in a dry run, because its namespace does
// not exist.
func withDefaults(u *unstructured.Unstructured) *unstructured.Unstructured {
	u = u.DeepCopy()
	if _, ok, _ := unstructured.NestedMap(u.Object, "spec", "providerConfigRef"); !ok && u.GetKind() != "Secret" {
		_ = unstructured.SetNestedStringMap(u.Object, map[string]string{
			"kind": model.ClusterProviderConfigKind, "name": "default",
		}, "spec", "providerConfigRef")
	}
	return u
}

// plan plans the resources of one level.
func (p *planner) plan(ctx context.Context, level []*planned) {
	byProvider := map[*LocalProvider][]*local.ManifestResource{}
	of := map[*local.ManifestResource]*planned{}
	var order []*LocalProvider
	for _, r := range level {
		m := p.describe(ctx, r)
		if m == nil {
			continue
		}
		if r.model.Mode == model.Data {
			_, messages := p.session(r.provider).ReadData(ctx, m, r.object)
			p.messages = append(p.messages, messages...)
			continue
		}
		of[m] = r
		if byProvider[r.provider] == nil {
			order = append(order, r.provider)
		}
		byProvider[r.provider] = append(byProvider[r.provider], m)
	}
	for _, x := range order {
		plan, messages := p.serving(x, of).PlanOf(ctx, local.Normal, byProvider[x])
		p.messages = append(p.messages, messages...)
		p.out.Changes, p.out.Drift = append(p.out.Changes, plan.Changes...), append(p.out.Drift, plan.Drift...)
		for _, c := range plan.Changes {
			r := of[c.Resource]
			c.Foresee(r.object)
			if c.Plan.Replaces() {
				p.replaced[r.key()], p.plans[r.key()] = r.object, &c.Plan
			}
		}
	}
}

// describe resolves the references of a resource and reads it; nil if it is not planned.
func (p *planner) describe(ctx context.Context, r *planned) *local.ManifestResource {
	spec, _, _ := unstructured.NestedMap(r.object.Object, "spec")
	config, err := cty.NilVal, error(nil)
	if r.provider.module == nil {
		config, err = p.configuration(ctx, r, spec)
	}
	if err != nil {
		p.report(diagnostic.Error, r.source, "Provider configuration", "%s.", strings.TrimSuffix(err.Error(), "."))
		return nil
	}
	out := local.ManifestResource{
		Model: r.model, Namespace: r.object.GetNamespace(), Name: r.object.GetName(), Labels: r.object.GetLabels(),
		Source: r.source, Declared: r.object,
	}
	call := p.session(r.provider).Functions(local.NewResource(out, config))
	resolver := references.Resolver{Reader: p.overlay, Served: p.served, Call: call, Unknown: func(u *unstructured.Unstructured) any {
		if p.overlay.Like(u) == nil {
			return nil
		}
		return p.placeholders.Of(u)
	}, Wrote: func(_ context.Context, path string) (bool, error) {
		return references.SetByResolver(r.object, path), nil
	},
		Replaced: func(of store.Key) bool { return p.replaced[of] != nil }}
	found, err := resolver.Resolve(ctx, r.object, r.references)
	if err != nil {
		p.report(diagnostic.Error, r.source, "Invalid reference", "%s.", err)
		return nil
	}
	if len(found.Missing) > 0 {
		p.out.Waiting = append(p.out.Waiting, Waiting{
			Kind: r.model.Kind, Namespace: r.object.GetNamespace(), Name: r.object.GetName(), For: found.Missing,
		})
		return nil
	}
	spec, _, _ = unstructured.NestedMap(r.object.Object, "spec")
	at, _, _ := unstructured.NestedMap(r.object.Object, "status", "atProvider")
	read, diags := desired.Read(r.model, desired.CustomResource{
		Namespace: r.object.GetNamespace(), Name: r.object.GetName(), Annotations: r.object.GetAnnotations(), Spec: spec, AtProvider: at,
	})
	out.Spec = read
	p.say(&out, diags)
	if read.Described() {
		var more diagnostic.Diagnostics
		out.Config, more = read.Configuration(func(ref translate.SecretKeySelector) ([]byte, error) {
			ref.Namespace = r.object.GetNamespace()
			if p.knownLater(ref) {
				return nil, translate.ErrKnownLater
			}
			b, err := providerconfig.ReadSecret(ctx, p.overlay, ref)
			if err == nil {
				p.Secrets.Add(b)
			}
			return b, err
		})
		p.say(&out, more)
		if diags = append(diags, more...); !diags.HasErrors() {
			if out.Config.Value, err = p.placeholders.In(out.Config.Value); err != nil {
				p.report(diagnostic.Error, r.source, "Invalid reference", "%s.", err)
				return nil
			}
		}
	}
	if diags.HasErrors() {
		return nil
	}
	if r.provider.module != nil && out.Config != nil && !out.Config.Value.IsWhollyKnown() { // its program plans with values only
		p.later[r.key()] = true
		p.out.Waiting = append(p.out.Waiting, Waiting{Kind: r.model.Kind, Namespace: r.object.GetNamespace(), Name: r.object.GetName(),
			For: []string{"variables of the module are known only when other objects are there"}})
		return nil
	}
	out.Configurations = []policy.Configuration{p.configurationObject(ctx, r, spec)}
	return local.NewResource(out, config)
}

func (p *planner) say(r *local.ManifestResource, diags diagnostic.Diagnostics) {
	replacer := p.Secrets.Replacer()
	for _, d := range diags {
		m := local.Message{
			Severity: d.Severity, Summary: replacer.Replace(d.Summary), Detail: replacer.Replace(d.Detail),
			Source: r.Source, Address: r.Address(),
		}
		if len(d.Attribute) > 0 {
			m.Path = r.Model.UserPath(d.Attribute)
		}
		p.messages = append(p.messages, m)
	}
}

// served returns the list kind of a kind.
func (p *planner) served(kind schema.GroupKind) (string, bool) {
	_, err := p.Client.RESTMapper().RESTMapping(kind)
	return kind.Kind + "List", err == nil
}

// configuration returns the provider configuration of a resource.
func (p *planner) configuration(ctx context.Context, r *planned, spec map[string]any) (cty.Value, error) {
	ref, _ := spec["providerConfigRef"].(map[string]any)
	kind, _ := ref["kind"].(string)
	name, _ := ref["name"].(string)
	c := cluster.Reader{Client: p.overlay}
	return c.Configuration(ctx, r.provider.Model, providerconfig.Reference{
		Kind: cmp.Or(kind, model.ClusterProviderConfigKind), Namespace: r.object.GetNamespace(), Name: cmp.Or(name, "default"),
	}, p.Secrets)
}

// configurationObject returns which provider configuration a resource uses. One that does not exist
// has no more than names: many providers need none.
func (p *planner) configurationObject(ctx context.Context, r *planned, spec map[string]any) policy.Configuration {
	ref, _ := spec["providerConfigRef"].(map[string]any)
	kind, _ := ref["kind"].(string)
	name, _ := ref["name"].(string)
	u := &unstructured.Unstructured{}
	u.SetAPIVersion(r.provider.Model.Group + "/" + r.provider.Model.Version)
	u.SetKind(cmp.Or(kind, model.ClusterProviderConfigKind))
	key := client.ObjectKey{Name: cmp.Or(name, "default")}
	if u.GetKind() == model.ProviderConfigKind {
		key.Namespace = r.object.GetNamespace()
	}
	if p.overlay.Get(ctx, key, u) != nil {
		u.SetNamespace(key.Namespace)
		u.SetName(key.Name)
	}
	return policy.ConfigurationOf(u.GetKind(), u)
}

// session returns the session of a provider.
func (p *planner) session(x *LocalProvider) *local.Session {
	s := p.sessions[x]
	if s == nil {
		s = local.New(x.Model, x.Source, x.Launcher, local.NewManifest(p.Secrets), nil)
		s.WithoutRefresh = p.WithoutRefresh
		if x.module != nil {
			s.Lease = func(ctx context.Context, m *local.ManifestResource) (terraform.Executor, func(), diagnostic.Diagnostics) {
				return p.lease(ctx, x.module, m)
			}
		}
		p.sessions[x] = s
	}
	return s
}

// lease leases the executor of an instance of a module, with the provider configurations that it
// names.
func (p *planner) lease(
	ctx context.Context, of *LocalModule, m *local.ManifestResource,
) (terraform.Executor, func(), diagnostic.Diagnostics) {
	id := &unstructured.Unstructured{}
	id.SetGroupVersionKind(m.Model.GroupVersionKind())
	id.SetNamespace(m.Namespace)
	id.SetName(m.Name)
	var o struct {
		Spec struct {
			Ref   *xpv2.ProviderConfigReference            `json:"providerConfigRef"`
			Named map[string]*xpv2.ProviderConfigReference `json:"providerConfigRefs"`
		} `json:"spec"`
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(p.overlay.Like(id).Object, &o); err != nil {
		return nil, nil, diagnostic.Errorf("Invalid provider configuration reference", "%s.", err)
	}
	handle := of.Configs(installed{p, of.Providers}).ResolveNamed(ctx, o.Spec.Ref, o.Spec.Named, m.Namespace)
	p.Secrets.AddStrings(handle.Secrets...)
	m.Configurations = handle.Objects
	return handle.Acquire(ctx)
}

// installed are the providers of a module on this machine.
type installed struct {
	*planner
	providers map[string]*LocalProvider
}

// Servers implements terraformmodule.Providers.
func (i installed) Servers(name string) (*providerconfig.Resolver, bool) {
	x := i.providers[name]
	if x == nil {
		return nil, false
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	r := i.resolvers[x]
	if r == nil {
		r = &providerconfig.Resolver{
			Client: i.overlay, Live: i.overlay, Provider: x.Model, Launcher: x.Launcher, Pool: i.pool,
			Admission: &providerconfig.Admission{Live: i.overlay},
		}
		i.resolvers[x] = r
	}
	return r, true
}

// ProviderOf implements terraformmodule.Providers. The controller has chosen the providers of
// modules.
func (installed) ProviderOf(source string) (string, error) {
	return "", fmt.Errorf("the module was served without the provider %s", source)
}

// serving returns the session of a provider, for what is stored of resources.
func (p *planner) serving(x *LocalProvider, of map[*local.ManifestResource]*planned) *local.Session {
	s := p.session(x)
	var mu sync.Mutex
	loaded := map[*local.ManifestResource]instance.Instance{}
	s.Stored = func(ctx context.Context, m *local.ManifestResource) (instance.Instance, error) {
		mu.Lock()
		defer mu.Unlock()
		if in, ok := loaded[m]; ok {
			return in, nil
		}
		in, err := p.stored(ctx, of[m])
		if err == nil {
			loaded[m] = in
		}
		return in, err
	}
	return s
}

// stored returns what is stored of a resource.
func (p *planner) stored(ctx context.Context, r *planned) (instance.Instance, error) {
	rec, err := p.Load(ctx, r.key(), r.model)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return instance.Instance{}, nil
	case kerrors.IsForbidden(err):
		return instance.Instance{}, fmt.Errorf("reading what Landbridge stores needs the permission to get Secrets in its namespace: %w", err)
	case err != nil:
		return instance.Instance{}, err
	}
	if op := rec.Instance.Operation; op != nil {
		if op.Kind == instance.Move {
			return instance.Instance{}, errors.New("the resource is being moved to another cluster")
		}
		rec.Instance.Operation = nil // planned as if it had not begun
	}
	return rec.Instance, nil
}

// refusal returns why the API server does not accept an object, by field. That some rules were not
// checked is no reason, and names no field.
func refusal(err error) string {
	var status kerrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil || status.Status().Reason != metav1.StatusReasonInvalid {
		return err.Error()
	}
	var out []string
	for _, cause := range status.Status().Details.Causes {
		if cause.Field != "" && cause.Field != "<nil>" {
			out = append(out, cause.Field+": "+cause.Message)
		}
	}
	if len(out) == 0 {
		return err.Error()
	}
	return strings.Join(out, "; ")
}

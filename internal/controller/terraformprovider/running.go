package terraformprovider

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/openapi"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Registry finds the running controller of a kind. The zero value is ready to use.
type Registry struct {
	references references.Graph
	startup    startup

	mu    sync.RWMutex
	kinds map[schema.GroupKind]*managed.Kind
}

// References is who refers to whom.
func (r *Registry) References() *references.Graph { return &r.references }

// Served is the kind of the lists of a kind that has a controller.
func (r *Registry) Served(kind schema.GroupKind) (list string, ok bool) {
	k := r.kind(kind)
	if k == nil {
		return "", false
	}
	return k.Model.ListKind, true
}

// kind is the running controller of a kind; nil if there is none.
func (r *Registry) kind(kind schema.GroupKind) *managed.Kind {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.kinds[kind]
}

// Wake has a resource reconciled now, if its kind has a controller.
func (r *Registry) Wake(key store.Key) {
	k := r.kind(schema.GroupKind{Group: key.Group, Kind: key.Kind})
	if k != nil {
		k.Wake(key)
	}
}

// Exists says whether there is such a resource. One whose kind has no controller is not looked
// for: it may be there.
func (r *Registry) Exists(ctx context.Context, key store.Key, uid types.UID) bool {
	k := r.kind(schema.GroupKind{Group: key.Group, Kind: key.Kind})
	return k == nil || k.Exists(ctx, key, uid)
}

// Serve makes known that a controller runs for a kind; nil is that none does any more.
func (r *Registry) Serve(m *model.Resource, k *managed.Kind) { r.set(m, k) }

func (r *Registry) set(m *model.Resource, k *managed.Kind) {
	kind := m.GroupVersionKind().GroupKind()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kinds == nil {
		r.kinds = map[schema.GroupKind]*managed.Kind{}
	}
	if k == nil {
		delete(r.kinds, kind)
		r.references.Drop(kind)
		return
	}
	r.kinds[kind] = k
}

// running is one installed provider and its controllers.
type running struct {
	r        *Reconciler
	name     string
	source   string
	key      string
	logLevel string
	how      execution
	model    *model.Provider
	// config is what the model was made by, and kept what of it does not hold yet.
	config  config.Provider
	kept    []string
	configs *providerconfig.Resolver
	// executor makes what works on a configured server.
	executor func(provider.Server) terraform.Executor

	mu          sync.Mutex
	kinds       map[string]*runningKind // by Terraform's type name
	known       time.Time               // since when OpenAPI has the provider's group
	stopConfigs context.CancelFunc
}

type runningKind struct {
	kind   *managed.Kind
	cancel context.CancelFunc
}

func newRunning(r *Reconciler, p *v1alpha1.TerraformProvider, key string, how execution, m *model.Provider, launcher provider.Launcher) *running {
	return &running{
		r: r, name: p.Name, source: p.Spec.Source, key: key, logLevel: p.Spec.LogLevel, how: how, model: m, config: p.Spec.Config(), kinds: map[string]*runningKind{},
		executor: how.executor(),
		configs: &providerconfig.Resolver{
			Client: r.Manager.GetClient(), Live: r.Manager.GetAPIReader(),
			Provider: m, Launcher: launcher, Pool: r.Pool, Limits: limits(p),
		},
	}
}

// Resolve implements managed.ProviderConfigs.
func (run *running) Resolve(ctx context.Context, ref *xpv2.ProviderConfigReference, namespace string) providerconfig.Handle[terraform.Executor] {
	return providerconfig.Map(run.configs.Resolve(ctx, ref, namespace), run.executor)
}

// start runs the controller of a type, unless it runs.
func (run *running) start(m *model.Resource) error {
	run.mu.Lock()
	_, ok := run.kinds[m.Type]
	run.mu.Unlock()
	if ok {
		return nil
	}
	k := &managed.Kind{Model: m, Neighbours: run.r.Registry, ProviderConfigs: run, Scheduler: run.r.Scheduler, Options: run.r.Managed}
	// Controllers live as long as the type is activated, not as long as one reconcile.
	ctx, cancel := context.WithCancel(run.r.lifetime)
	if err := k.Start(ctx, run.r.Manager); err != nil {
		cancel()
		return err
	}
	run.r.Registry.set(m, k)
	run.mu.Lock()
	run.kinds[m.Type] = &runningKind{kind: k, cancel: cancel}
	run.mu.Unlock()
	return nil
}

// stopKind stops the controller of a type. Operations that run are concluded all the same.
func (run *running) stopKind(ctx context.Context, t string) {
	run.mu.Lock()
	rk := run.kinds[t]
	delete(run.kinds, t)
	run.mu.Unlock()
	if rk == nil {
		return
	}
	rk.cancel()
	run.r.Registry.set(rk.kind.Model, nil)
	run.removeInformer(ctx, rk.kind.Model.Group, rk.kind.Model.Version, rk.kind.Model.Kind)
}

func (run *running) removeInformer(ctx context.Context, group, version, kind string) {
	u := &unstructured.Unstructured{}
	u.SetAPIVersion(group + "/" + version)
	u.SetKind(kind)
	if err := run.r.Manager.GetCache().RemoveInformer(ctx, u); err != nil {
		run.r.Logger.Error(err, "Cannot stop watching a kind", "kind", kind, "group", group)
	}
}

// stop stops everything that runs for the provider.
func (run *running) stop(ctx context.Context) {
	// Configurations first: with fewer kinds they would seem to have fewer users.
	ran := run.endConfigs()
	for _, t := range run.types() {
		run.stopKind(ctx, t)
	}
	if ran {
		run.forgetConfigs(ctx)
	}
}

// endConfigs ends the controller of the provider configurations, and says whether it ran.
func (run *running) endConfigs() bool {
	run.mu.Lock()
	stop := run.stopConfigs
	run.stopConfigs = nil
	run.mu.Unlock()
	if stop != nil {
		stop()
	}
	return stop != nil
}

// forgetConfigs ends the watches of the provider configurations. Kinds that are served would begin them anew.
func (run *running) forgetConfigs(ctx context.Context) {
	for _, kind := range []string{model.ProviderConfigKind, model.ClusterProviderConfigKind} {
		run.removeInformer(ctx, run.model.Group, run.model.Version, kind)
	}
}

// published says how long to wait until each API server's admission knows the provider's group.
func (run *running) published(client openapi.Client) (wait time.Duration, err error) {
	run.mu.Lock()
	defer run.mu.Unlock()
	if run.known.IsZero() {
		paths, err := client.Paths()
		if err != nil {
			return 0, err
		}
		if _, ok := paths["apis/"+run.model.Group+"/"+run.model.Version]; !ok {
			return openAPILag, nil
		}
		run.known = time.Now()
	}
	return max(0, openAPILag-time.Since(run.known)), nil
}

// unpublish: without any kind the group is going to vanish.
func (run *running) unpublish() {
	run.mu.Lock()
	defer run.mu.Unlock()
	run.known = time.Time{}
}

// startConfigs runs the controller of the provider configurations, unless it runs.
func (run *running) startConfigs() error {
	run.mu.Lock()
	defer run.mu.Unlock()
	if run.stopConfigs != nil {
		return nil
	}
	ctx, cancel := context.WithCancel(run.r.lifetime)
	c := &providerconfig.Controller{Provider: run.model, Users: run.users, Gone: run.configs.Forget}
	if err := c.Start(ctx, run.r.Manager); err != nil {
		cancel()
		return err
	}
	run.stopConfigs = cancel
	return nil
}

// users finds the resources, of all kinds that have a controller, that use a configuration.
func (run *running) users(ctx context.Context, ref providerconfig.Reference) ([]func(), error) {
	run.mu.Lock()
	kinds := slices.Collect(maps.Values(run.kinds))
	run.mu.Unlock()
	var out []func()
	for _, rk := range kinds {
		keys, err := rk.kind.Users(ctx, run.r.Manager.GetClient(), ref)
		if err != nil {
			return nil, err
		}
		for _, key := range keys {
			out = append(out, func() { rk.kind.Wake(key) })
		}
	}
	return append(out, run.r.otherUsers(ctx, run.name, ref)...), nil
}

func (run *running) types() []string {
	run.mu.Lock()
	defer run.mu.Unlock()
	return slices.Sorted(maps.Keys(run.kinds))
}

func (run *running) serving() int {
	run.mu.Lock()
	defer run.mu.Unlock()
	return len(run.kinds)
}

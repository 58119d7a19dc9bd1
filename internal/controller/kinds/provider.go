package kinds

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/shard"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
	"github.com/landbridge-io/landbridge/internal/version"
)

// ServedProvider runs the controllers of one provider's kinds and of its provider configurations.
type ServedProvider struct {
	ProviderOptions
	// Configs leases the provider's configured servers.
	Configs *providerconfig.Resolver

	runtime   *Runtime
	mu        sync.Mutex
	kinds     map[string]*Kind          // by resource type
	unmanaged map[string]*unmanagedKind // by address
	published Publication               // of the provider's group
	// publishedActions is of the group of its actions.
	publishedActions Publication
	stopConfigs      context.CancelFunc
	configs          *providerconfig.Controller
}

// ProviderOptions are the options of NewProvider. Name, Model and Launcher are required.
type ProviderOptions struct {
	// Name of the TerraformProvider, or of the provider that a program is made for.
	Name     string
	Model    *model.Provider
	Launcher provider.Launcher
	// Address of the provider, such as registry.terraform.io/hashicorp/null. Defaults to the one
	// that Terraform assumes for the provider's name.
	Address string
	// Version of the provider; empty if it is not known.
	Version string
	// Limits of each provider configuration. Those that are not set default to the pool's.
	Limits pool.Limits
	// Release identifies the provider's program and its configuration in Landbridge. If it is
	// empty, resources are planned again whenever the controller starts.
	Release string
	// Executor makes executors for configured servers. Defaults to those of package engine.
	Executor func(provider.Server) terraform.Executor
}

// NewProvider returns a provider whose controllers do not run yet.
func (rt *Runtime) NewProvider(o ProviderOptions) *ServedProvider {
	if o.Executor == nil {
		engines := new(engine.Factory)
		o.Executor = func(s provider.Server) terraform.Executor { return engines.Engine(s) }
	}
	if o.Address == "" {
		o.Address = "registry.terraform.io/hashicorp/" + o.Model.Name
	}
	configs := &providerconfig.Resolver{
		Client: rt.Manager.GetClient(), Live: rt.Manager.GetAPIReader(),
		Provider: o.Model, Launcher: o.Launcher, Pool: rt.Pool, Limits: o.Limits, AccountKey: rt.AccountKey,
		Admission: rt.Admission, RequestToken: providerconfig.RequestTokens(rt.Manager.GetClient()),
		Approval: rt.Approval(o.Name),
	}
	if watch := rt.Managed.Secrets; watch != nil {
		configs.Uses = func(of providerconfig.Reference, secrets []types.NamespacedName) {
			watch.Uses(store.Key{Group: o.Model.Group, Kind: of.Kind, Namespace: of.Namespace, Name: of.Name}, secrets)
		}
	}
	return &ServedProvider{
		ProviderOptions: o, Configs: configs, runtime: rt, kinds: map[string]*Kind{},
		unmanaged: map[string]*unmanagedKind{},
	}
}

// ReleaseOf identifies a provider's program, how it is run, and the configuration of its kinds;
// empty if it cannot be told.
func ReleaseOf(l provider.Launcher, kinds config.Provider, how ...string) string {
	encoded, err := json.Marshal(kinds)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.Join(append(how, version.String(), l.Key(), string(encoded)), "\x00")))
	return hex.EncodeToString(sum[:16])
}

// Resolve implements managed.ProviderConfigs.
func (p *ServedProvider) Resolve(
	ctx context.Context, ref *xpv2.ProviderConfigReference, namespace string,
) providerconfig.Handle[terraform.Executor] {
	return providerconfig.Map(p.Configs.Resolve(ctx, ref, namespace), p.Executor)
}

// Names implements managed.NamingConfigs.
func (p *ServedProvider) Names(ref *xpv2.ProviderConfigReference, _ map[string]*xpv2.ProviderConfigReference, namespace string) []string {
	return []string{p.Configs.Name(providerconfig.ReferenceOf(ref, namespace))}
}

// owned reports whether a provider configuration belongs to this shard. One that belongs nowhere is
// placed, and one that belongs here is divided as it asks for.
func (p *ServedProvider) owned(ctx context.Context, ref providerconfig.Reference, annotations map[string]string) (bool, error) {
	shards := p.runtime.Managed.Shards
	if shards == nil {
		return true, nil
	}
	name := p.Configs.Name(ref)
	switch shards.Belong(shard.Use{Configurations: []string{name}}) {
	case managed.Here:
		split := annotations[v1alpha1.AnnotationShardBy] == v1alpha1.ShardByKind
		if split && !p.known() {
			return true, nil // it stays as it is meanwhile
		}
		return true, shards.Divide(ctx, name, split && !p.usedByModules(ctx, ref))
	case managed.Unplaced:
		return false, shards.Place(ctx, []ownership.Access{p.Configs.Access(ctx, ref)}, nil)
	}
	return false, nil
}

// known reports whether the modules are served again that were served before.
func (p *ServedProvider) known() bool {
	select {
	case <-p.runtime.Registry.Settled():
		return true
	default:
		return false
	}
}

// usedByModules reports whether instances of modules use a provider configuration. Each of them has
// it made whole before it is worked on, but those of before it was placed by type may have objects
// already.
func (p *ServedProvider) usedByModules(ctx context.Context, ref providerconfig.Reference) bool {
	return p.runtime.OtherUsers != nil && len(p.runtime.OtherUsers(ctx, p.Name, ref)) > 0
}

// Start runs the controller of a resource type whose CRD is served, unless it runs already.
func (p *ServedProvider) Start(resourceType string) error {
	p.mu.Lock()
	_, ok := p.kinds[resourceType]
	p.mu.Unlock()
	if ok {
		return nil
	}
	k, err := p.runtime.StartKind(&managed.Kind{
		Model: p.Model.Resources[resourceType], ProviderConfigs: p, ProviderAddress: p.Address,
		ProviderVersion: p.Version, Release: p.Release,
		Providers: []string{p.Name}, DestroyLimit: p.runtime.DestroyLimit(p.Name), Poll: p.runtime.Poll(p.Name),
		Upgrades: p.runtime.Upgrades(p.Name), ReplacesDependents: p.runtime.ReplacesDependents(p.Name),
	})
	if err != nil {
		return err
	}
	p.mu.Lock()
	p.kinds[resourceType] = k
	p.mu.Unlock()
	return nil
}

// StopKind stops the controller of a resource type, if it runs.
func (p *ServedProvider) StopKind(ctx context.Context, resourceType string) {
	p.mu.Lock()
	k := p.kinds[resourceType]
	delete(p.kinds, resourceType)
	p.mu.Unlock()
	if k != nil {
		k.Stop(ctx)
	}
}

// Stop stops all controllers.
func (p *ServedProvider) Stop(ctx context.Context) {
	// Configurations first: with fewer kinds they would seem to have fewer users.
	configs := p.cancelConfigs()
	for _, t := range p.Types() {
		p.StopKind(ctx, t)
	}
	for _, k := range p.unmanagedKinds() {
		p.StopUnmanaged(ctx, k.Model.Address())
	}
	if configs {
		p.stopWatchingConfigs(ctx)
	}
}

// StartConfigs runs the controller of the provider configurations, unless it runs already. Kinds
// must be started first, since their controllers know who uses a configuration.
func (p *ServedProvider) StartConfigs() error {
	ctx, cancel := context.WithCancel(p.runtime.Lifetime)
	c := &providerconfig.Controller{
		Provider: p.Model, Users: p.users, Check: p.Configs.Check, AccountCode: p.Configs.AccountCode,
		Admission: p.runtime.Admission, Owned: p.owned,
		Guards: p.runtime.Managed.Shards != nil && !p.runtime.Follows, Reads: p.reads, Gone: p.Configs.Forget,
	}
	if !p.beginConfigs(c, cancel) {
		cancel()
		return nil
	}
	p.runtime.Registry.addConfigs(p.Model.Group, configurationsOf{
		provider: p,
		changed:  func(ref providerconfig.Reference) { p.secretChanged(ctx, ref) },
		users:    func(ref providerconfig.Reference) []store.Key { return p.admittedUsers(ctx, ref) },
	})
	err := c.Start(ctx, p.runtime.Manager)
	if err != nil {
		p.cancelConfigs()
	}
	return err
}

// beginConfigs sets the controller of the provider configurations, unless there is one.
func (p *ServedProvider) beginConfigs(c *providerconfig.Controller, stop context.CancelFunc) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopConfigs != nil {
		return false
	}
	p.stopConfigs, p.configs = stop, c
	return true
}

// StopConfigs stops the controller of the provider configurations, if it runs.
func (p *ServedProvider) StopConfigs(ctx context.Context) {
	if p.cancelConfigs() {
		p.stopWatchingConfigs(ctx)
	}
}

// cancelConfigs reports whether the controller of the provider configurations ran.
func (p *ServedProvider) cancelConfigs() bool {
	p.mu.Lock()
	stop := p.stopConfigs
	p.stopConfigs = nil
	p.mu.Unlock()
	if stop != nil {
		stop()
		p.runtime.Registry.removeConfigs(p.Model.Group)
	}
	return stop != nil
}

// stopWatchingConfigs waits until the controller of the provider configurations has stopped, and
// ends their watches. Kinds that still run would begin them again.
func (p *ServedProvider) stopWatchingConfigs(ctx context.Context) {
	p.mu.Lock()
	configs := p.configs
	p.mu.Unlock()
	configs.Wait()
	for _, kind := range []string{model.ProviderConfigKind, model.ClusterProviderConfigKind} {
		p.runtime.stopWatching(ctx, kschema.GroupVersionKind{Group: p.Model.Group, Version: p.Model.Version, Kind: kind})
	}
}

// users returns the resources, data sources and ephemeral resources that use a provider
// configuration.
func (p *ServedProvider) users(ctx context.Context, ref providerconfig.Reference) ([]providerconfig.User, error) {
	p.mu.Lock()
	kinds := slices.Collect(maps.Values(p.kinds))
	p.mu.Unlock()
	var out []providerconfig.User
	for _, k := range kinds {
		users, err := k.UsersOf(ctx, ref)
		if err != nil {
			return nil, err
		}
		out = append(out, users...)
	}
	unmanaged, err := p.unmanagedUsers(ctx, ref)
	if err != nil {
		return nil, err
	}
	out = append(out, unmanaged...)
	if p.runtime.OtherUsers != nil {
		out = append(out, p.runtime.OtherUsers(ctx, p.Name, ref)...)
	}
	return out, nil
}

// admittedUsers returns the resources that use a provider configuration and may use it.
func (p *ServedProvider) admittedUsers(ctx context.Context, ref providerconfig.Reference) (out []store.Key) {
	users, err := p.users(ctx, ref)
	if err == nil {
		users, err = p.Configs.Admitted(ctx, ref, users)
	}
	if err != nil {
		p.runtime.Logger.Error(err, "Cannot list the resources that use a provider configuration", "kind", ref.Kind,
			"namespace", ref.Namespace, "name", ref.Name)
	}
	for _, u := range users {
		out = append(out, u.Key)
	}
	return out
}

// reads records which Secrets a provider configuration refers to, and wakes the resources that use
// it if these have changed: another resource may write one.
func (p *ServedProvider) reads(ref providerconfig.Reference, secrets []types.NamespacedName) {
	key := store.Key{Group: p.Model.Group, Kind: ref.Kind, Namespace: ref.Namespace, Name: ref.Name}
	if !p.runtime.Registry.References().Configures(key, secrets) {
		return
	}
	for _, user := range p.admittedUsers(p.runtime.Lifetime, ref) {
		p.runtime.Registry.Wake(user)
	}
}

// Reread implements managed.RereadingConfigs.
func (p *ServedProvider) Reread(ref *xpv2.ProviderConfigReference, _ map[string]*xpv2.ProviderConfigReference, namespace string) {
	p.Configs.Reread(providerconfig.ReferenceOf(ref, namespace))
}

// secretChanged has a provider configuration read again, and wakes the resources that use it: one
// of its Secrets has changed.
func (p *ServedProvider) secretChanged(ctx context.Context, ref providerconfig.Reference) {
	p.Configs.Reread(ref)
	users, err := p.users(ctx, ref)
	if err != nil {
		return // they notice it at their next poll
	}
	for _, u := range users {
		u.Wake()
	}
}

// BeingDeleted returns the number of resources that are being deleted and wait for a controller.
func (p *ServedProvider) BeingDeleted(ctx context.Context) (n int, err error) {
	if p.runtime.OthersBeingDeleted != nil {
		if n, err = p.runtime.OthersBeingDeleted(ctx, p.Name); err != nil {
			return 0, err
		}
	}
	p.mu.Lock()
	kinds := slices.Collect(maps.Values(p.kinds))
	p.mu.Unlock()
	for _, k := range kinds {
		more, err := k.BeingDeleted(ctx)
		if err != nil {
			return 0, err
		}
		n += more
	}
	for _, k := range p.unmanagedKinds() {
		more, err := k.BeingDeleted(ctx)
		if err != nil {
			return 0, err
		}
		n += more
	}
	return n, nil
}

// Types returns the resource types whose controllers run, sorted.
func (p *ServedProvider) Types() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.kinds))
}

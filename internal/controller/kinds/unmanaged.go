package kinds

import (
	"context"
	"maps"
	"slices"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/landbridge-io/landbridge/internal/controller/action"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/results"
	"github.com/landbridge-io/landbridge/internal/controller/shard"
	"github.com/landbridge-io/landbridge/internal/controller/unmanaged"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
)

// unmanagedKind is the kind of a data source, an ephemeral resource or an action whose controller
// runs.
type unmanagedKind struct {
	unmanagedController
	Model  *model.Resource
	cancel context.CancelFunc
}

// unmanagedController is the controller of a kind that is no resource type.
type unmanagedController interface {
	// Start runs the controller until ctx ends. It calls queued when objects can be woken.
	Start(ctx context.Context, m manager.Manager, queued func()) error
	Lacks(path string) error
	Wake(store.Key)
	Users(context.Context, providerconfig.Reference) ([]providerconfig.User, error)
	Uses(context.Context) ([]shard.Use, error)
	Moved(context.Context)
	BeingDeleted(context.Context) (int, error)
}

// unmanagedConfigs uses the provider itself, whatever carries out operations.
type unmanagedConfigs struct {
	*ServedProvider
	engines *engine.Factory
}

// Resolve implements managed.ProviderConfigs.
func (c unmanagedConfigs) Resolve(
	ctx context.Context, ref *xpv2.ProviderConfigReference, namespace string,
) providerconfig.Handle[terraform.Executor] {
	return providerconfig.Map(c.Configs.Resolve(ctx, ref, namespace), func(s provider.Server) terraform.Executor {
		return c.engines.Engine(s)
	})
}

var _ managed.NamingConfigs = unmanagedConfigs{}

// StartUnmanaged runs the controller of a data source, an ephemeral resource or an action whose CRD
// is served, unless it runs already.
func (p *ServedProvider) StartUnmanaged(m *model.Resource) error {
	p.mu.Lock()
	_, ok := p.unmanaged[m.Address()]
	p.mu.Unlock()
	if ok {
		return nil
	}
	k, err := p.runtime.startUnmanaged(m, p.controllerOf(m))
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unmanaged[m.Address()] = k
	return nil
}

// controllerOf returns the controller of a data source, an ephemeral resource or an action.
func (p *ServedProvider) controllerOf(m *model.Resource) unmanagedController {
	rt := p.runtime
	common := unmanaged.Kind{
		Model: m, ProviderConfigs: unmanagedConfigs{p, new(engine.Factory)}, Neighbours: rt.Registry,
		Options: rt.Managed, Leads: rt.Runs.Leads,
	}
	if m.Mode == model.Action {
		return &action.Kind{Kind: common, Runs: rt.Runs, PlanKey: rt.PlanKey, Recorded: rt.Recorded, Providers: []string{p.Name}}
	}
	k := &results.Kind{Kind: common, Claimed: rt.Registry.Claimed, HashKey: rt.AccountKey[:], Leases: results.Leases{Client: rt.Leases}}
	if m.Mode == model.Data {
		k.Objects, k.OwnedElsewhere = p.Model.Schema.Resources[m.Type], rt.OwnedElsewhere
	}
	return k
}

func (rt *Runtime) startUnmanaged(m *model.Resource, of unmanagedController) (*unmanagedKind, error) {
	ctx, cancel := context.WithCancel(rt.Lifetime)
	k := &unmanagedKind{of, m, cancel}
	err := k.Start(ctx, rt.Manager, func() { rt.Registry.addUnmanaged(k) })
	if err != nil {
		rt.Registry.removeUnmanaged(k)
		cancel()
		return nil, err
	}
	return k, nil
}

// StopUnmanaged stops the controller of a data source, an ephemeral resource or an action, if it
// runs.
func (p *ServedProvider) StopUnmanaged(ctx context.Context, address string) {
	p.mu.Lock()
	k := p.unmanaged[address]
	delete(p.unmanaged, address)
	p.mu.Unlock()
	if k != nil {
		k.cancel()
		p.runtime.Registry.removeUnmanaged(k)
		p.runtime.stopWatching(ctx, k.Model.GroupVersionKind())
	}
}

// Serving returns the names of a mode whose controllers run, sorted. The mode is not Managed.
func (p *ServedProvider) Serving(mode model.Mode) (out []string) {
	for _, k := range p.unmanagedKinds() {
		if k.Model.Mode == mode {
			out = append(out, k.Model.Type)
		}
	}
	slices.Sort(out)
	return out
}

func (p *ServedProvider) unmanagedKinds() []*unmanagedKind {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Values(p.unmanaged))
}

// unmanagedUsers returns the data sources, ephemeral resources and actions that use a provider
// configuration.
func (p *ServedProvider) unmanagedUsers(ctx context.Context, ref providerconfig.Reference) (out []providerconfig.User, _ error) {
	for _, k := range p.unmanagedKinds() {
		users, err := k.Users(ctx, ref)
		if err != nil {
			return nil, err
		}
		out = append(out, users...)
	}
	return out, nil
}

// unmanagedOf returns the kind of a data source, an ephemeral resource or an action whose
// controller runs or starts; nil if there is none.
func (r *Registry) unmanagedOf(kind schema.GroupKind) *unmanagedKind {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.unmanaged[kind]
}

func (r *Registry) runningUnmanaged() []*unmanagedKind {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Collect(maps.Values(r.unmanaged))
}

func (r *Registry) addUnmanaged(k *unmanagedKind) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.unmanaged == nil {
		r.unmanaged = map[schema.GroupKind]*unmanagedKind{}
	}
	r.unmanaged[k.Model.GroupVersionKind().GroupKind()] = k
}

func (r *Registry) removeUnmanaged(k *unmanagedKind) {
	kind := k.Model.GroupVersionKind().GroupKind()
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.unmanaged, kind)
	r.references.Drop(kind)
}

// WakePending wakes the actions whose invocation has not begun: policies or pauses have changed.
func (r *Registry) WakePending(ctx context.Context) {
	for _, k := range r.runningUnmanaged() {
		if of, ok := k.unmanagedController.(*action.Kind); ok {
			of.WakePending(ctx)
		}
	}
}

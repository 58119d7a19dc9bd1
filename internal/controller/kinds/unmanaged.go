package kinds

import (
	"context"
	"maps"
	"slices"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/results"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
)

// UnmanagedKind is the kind of a data source or an ephemeral resource whose controller runs.
type UnmanagedKind struct {
	*results.Kind
	cancel context.CancelFunc
}

// unmanagedConfigs uses the provider itself, whatever carries out operations.
type unmanagedConfigs struct {
	*ServedProvider
	engines *engine.Factory
}

// Resolve implements managed.ProviderConfigs.
func (c unmanagedConfigs) Resolve(ctx context.Context, ref *xpv2.ProviderConfigReference, namespace string) providerconfig.Handle[terraform.Executor] {
	return providerconfig.Map(c.Configs.Resolve(ctx, ref, namespace), func(s provider.Server) terraform.Executor { return c.engines.Engine(s) })
}

var _ managed.NamingConfigs = unmanagedConfigs{}

// StartUnmanaged runs the controller of a data source or an ephemeral resource whose CRD is served,
// unless it runs already.
func (p *ServedProvider) StartUnmanaged(m *model.Resource) error {
	p.mu.Lock()
	_, ok := p.unmanaged[m.Address()]
	p.mu.Unlock()
	if ok {
		return nil
	}
	of := &results.Kind{Model: m, ProviderConfigs: unmanagedConfigs{p, new(engine.Factory)}}
	if m.Mode == model.Data {
		of.Objects, of.OwnedElsewhere = p.Model.Schema.Resources[m.Type], p.runtime.OwnedElsewhere
	}
	k, err := p.runtime.startUnmanaged(of)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unmanaged[m.Address()] = k
	return nil
}

func (rt *Runtime) startUnmanaged(k *results.Kind) (*UnmanagedKind, error) {
	k.Leases = results.Leases{Client: rt.Leases}
	k.Neighbours, k.Options, k.HashKey = rt.Registry, rt.Managed, rt.AccountKey[:]
	ctx, cancel := context.WithCancel(rt.Lifetime)
	err := k.Start(ctx, rt.Manager, func() { rt.Registry.addResults(k) })
	if err != nil {
		rt.Registry.removeResults(k)
		cancel()
		return nil, err
	}
	return &UnmanagedKind{k, cancel}, nil
}

// StopUnmanaged stops the controller of a data source or an ephemeral resource, if it runs.
func (p *ServedProvider) StopUnmanaged(ctx context.Context, address string) {
	p.mu.Lock()
	k := p.unmanaged[address]
	delete(p.unmanaged, address)
	p.mu.Unlock()
	if k != nil {
		k.cancel()
		p.runtime.Registry.removeResults(k.Kind)
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

func (p *ServedProvider) unmanagedKinds() []*UnmanagedKind {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Collect(maps.Values(p.unmanaged))
}

// unmanagedUsers returns the data sources and ephemeral resources that use a provider
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

// resultsOf returns the kind of a data source or an ephemeral resource whose controller runs or
// starts; nil if there is none.
func (r *Registry) resultsOf(kind schema.GroupKind) *results.Kind {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.results[kind]
}

func (r *Registry) runningResults() []*results.Kind {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Collect(maps.Values(r.results))
}

func (r *Registry) addResults(k *results.Kind) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.results == nil {
		r.results = map[schema.GroupKind]*results.Kind{}
	}
	r.results[k.Model.GroupVersionKind().GroupKind()] = k
}

func (r *Registry) removeResults(k *results.Kind) {
	kind := k.Model.GroupVersionKind().GroupKind()
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.results, kind)
	r.references.Drop(kind)
}

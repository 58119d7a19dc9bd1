package kinds

import (
	"context"
	"maps"
	"slices"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/internal/controller/datasource"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
)

// DataKind is the kind of a data source whose controller runs.
type DataKind struct {
	*datasource.Kind
	cancel context.CancelFunc
}

// dataConfigs reads data sources with the provider itself, whatever carries out operations.
type dataConfigs struct {
	*ServedProvider
	engines *engine.Factory
}

// Resolve implements managed.ProviderConfigs.
func (c dataConfigs) Resolve(ctx context.Context, ref *xpv2.ProviderConfigReference, namespace string) providerconfig.Handle[terraform.Executor] {
	return providerconfig.Map(c.Configs.Resolve(ctx, ref, namespace), func(s provider.Server) terraform.Executor { return c.engines.Engine(s) })
}

var _ managed.NamingConfigs = dataConfigs{}

// StartData runs the controller of a data source whose CRD is served, unless it runs already.
func (p *ServedProvider) StartData(name string) error {
	p.mu.Lock()
	_, ok := p.data[name]
	p.mu.Unlock()
	if ok {
		return nil
	}
	k, err := p.runtime.startData(&datasource.Kind{
		Model: p.Model.DataSources[name], Objects: p.Model.Schema.Resources[name], ProviderConfigs: dataConfigs{p, new(engine.Factory)},
		OwnedElsewhere: p.runtime.OwnedElsewhere,
	})
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.data[name] = k
	return nil
}

func (rt *Runtime) startData(k *datasource.Kind) (*DataKind, error) {
	k.Neighbours, k.Options, k.HashKey = rt.Registry, rt.Managed, rt.AccountKey[:]
	ctx, cancel := context.WithCancel(rt.Lifetime)
	err := k.Start(ctx, rt.Manager, func() { rt.Registry.addData(k) })
	if err != nil {
		rt.Registry.removeData(k)
		cancel()
		return nil, err
	}
	return &DataKind{k, cancel}, nil
}

// StopData stops the controller of a data source, if it runs.
func (p *ServedProvider) StopData(ctx context.Context, name string) {
	p.mu.Lock()
	k := p.data[name]
	delete(p.data, name)
	p.mu.Unlock()
	if k != nil {
		k.cancel()
		p.runtime.Registry.removeData(k.Kind)
		p.runtime.stopWatching(ctx, k.Model.GroupVersionKind())
	}
}

// DataSources returns the data sources whose controllers run, sorted.
func (p *ServedProvider) DataSources() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.data))
}

// dataUsers returns the data sources that use a provider configuration.
func (p *ServedProvider) dataUsers(ctx context.Context, ref providerconfig.Reference) (out []providerconfig.User, _ error) {
	p.mu.Lock()
	kinds := slices.Collect(maps.Values(p.data))
	p.mu.Unlock()
	for _, k := range kinds {
		users, err := k.Users(ctx, ref)
		if err != nil {
			return nil, err
		}
		out = append(out, users...)
	}
	return out, nil
}

// dataOf returns the kind of a data source whose controller runs or starts; nil if there is none.
func (r *Registry) dataOf(kind schema.GroupKind) *datasource.Kind {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.data[kind]
}

func (r *Registry) runningData() []*datasource.Kind {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Collect(maps.Values(r.data))
}

func (r *Registry) addData(k *datasource.Kind) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.data == nil {
		r.data = map[schema.GroupKind]*datasource.Kind{}
	}
	r.data[k.Model.GroupVersionKind().GroupKind()] = k
}

func (r *Registry) removeData(k *datasource.Kind) {
	kind := k.Model.GroupVersionKind().GroupKind()
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.data, kind)
	r.references.Drop(kind)
}

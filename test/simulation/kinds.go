package simulation

import (
	"context"
	"fmt"
	"maps"
	"slices"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/zclconf/go-cty/cty"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/policy"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	lbterraform "github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/module"
)

// executor is the engine over the provider, whose changes wait before they are sent.
type executor struct {
	lbterraform.Executor
	p *process
}

func (e executor) Apply(ctx context.Context, plan lbterraform.Plan) (instance.Instance, diagnostic.Diagnostics) {
	e.p.w.check.begins(e.p, plan)
	v := e.p.waitFor(ctx, fmt.Sprintf("apply %s of %s", plan.Action, plan.Resource.Schema.Type), change)
	return e.Executor.Apply(context.WithValue(ctx, verdictKey{}, v), plan)
}

// List implements terraform.Lister.
func (e executor) List(
	ctx context.Context, r lbterraform.ResourceType, arguments map[string]cty.Value, limit int,
) ([]cty.Value, bool, diagnostic.Diagnostics) {
	return e.Executor.(lbterraform.Lister).List(ctx, r, arguments, limit)
}

// MoveResourceState implements terraform.Mover.
func (e executor) MoveResourceState(
	ctx context.Context, r lbterraform.ResourceType, from lbterraform.MoveSource,
) (instance.Instance, diagnostic.Diagnostics) {
	return e.Executor.(lbterraform.Mover).MoveResourceState(ctx, r, from)
}

// ListStates implements terraform.StateLister.
func (e executor) ListStates(
	ctx context.Context, r lbterraform.ResourceType, arguments map[string]cty.Value, limit int,
	each func(identity, state cty.Value),
) (bool, diagnostic.Diagnostics) {
	return e.Executor.(lbterraform.StateLister).ListStates(ctx, r, arguments, limit, each)
}

// providerConfigs are the ProviderConfigs of a resource type in a process.
type providerConfigs struct {
	p            *process
	resourceType string
}

// configsOf returns the ProviderConfigs of a resource type in a process.
func configsOf(p *process, resourceType string) managed.ProviderConfigs {
	if resourceType == pair {
		return pairConfigs{providerConfigs{p, pair}}
	}
	return providerConfigs{p, resourceType}
}

// pairConfigs are the ProviderConfigs of pairs.
type pairConfigs struct{ providerConfigs }

var _ managed.NamedProviderConfigs = pairConfigs{}

// ResolveNamed implements managed.NamedProviderConfigs.
func (c pairConfigs) ResolveNamed(
	ctx context.Context, ref *xpv2.ProviderConfigReference, _ map[string]*xpv2.ProviderConfigReference,
	namespace string,
) providerconfig.Handle[lbterraform.Executor] {
	out := c.Resolve(ctx, ref, namespace)
	out.Parts = map[string]ownership.Access{source: {Configuration: out.Name, Account: out.Account}}
	return out
}

// Consists implements managed.NamedProviderConfigs.
func (pairConfigs) Consists(in instance.Instance) (held, begun []lbterraform.Object) {
	return module.Consists(in)
}

// Names implements managed.NamingConfigs.
func (providerConfigs) Names(ref *xpv2.ProviderConfigReference, _ map[string]*xpv2.ProviderConfigReference, _ string) []string {
	return []string{ref.Name}
}

// Resolve implements managed.ProviderConfigs.
func (c providerConfigs) Resolve(
	_ context.Context, ref *xpv2.ProviderConfigReference, _ string,
) providerconfig.Handle[lbterraform.Executor] {
	access, account, of := c.p.access(ref.Name), c.p.account(ref.Name), c.p.provider
	if c.resourceType == pair {
		of = c.p.w.shared
	}
	return providerconfig.Handle[lbterraform.Executor]{
		Name: ref.Name, Account: account, Stored: access.stored(ref.Name),
		Objects: []policy.Configuration{{Kind: model.ClusterProviderConfigKind, Name: ref.Name, Account: account.Declared}},
		Acquire: func(ctx context.Context) (lbterraform.Executor, func(), diagnostic.Diagnostics) {
			p := c.p
			if ctx.Value(actorKey{}) == nil {
				p.wait(ctx, "acquire") // an operation begins when its reconcile waits or has ended
			}
			if p.w.now().Before(p.w.cloud.unstarted) {
				return nil, nil, diagnostic.Errorf("Provider not started", "The provider cannot be started.")
			}
			s := &server{
				p: p, schema: of.schema, configuration: ref.Name, account: access.account(),
				module: c.resourceType == pair, verdicts: map[string]verdict{},
			}
			if c.resourceType == pair {
				return module.NewOver(terraform{s}, p.w.module, map[string]provider.Server{source: s}), func() {}, nil
			}
			return executor{of.engines.Engine(s), p}, func() {}, nil
		},
	}
}

// Neighbours of a kind.
type neighbours struct {
	p     *process
	graph *references.Graph
}

func (n neighbours) References() *references.Graph { return n.graph }

func (n neighbours) Kind(gk runtimeschema.GroupKind) *managed.Kind {
	if k := n.p.kinds[gk.Kind]; k != nil {
		return k.Kind
	}
	return nil
}

func (n neighbours) Activated(configurations []string, modules bool) bool {
	out := true
	for _, name := range slices.Sorted(maps.Keys(n.p.kinds)) {
		if k := n.p.kinds[name]; !modules || k.HasObjectsOfAnyType() {
			out = k.Activated(configurations) && out
		}
	}
	return out
}

func (n neighbours) Served(gk runtimeschema.GroupKind) (string, bool) {
	return gk.Kind + "List", n.p.kinds[gk.Kind] != nil
}

// Lacks implements managed.Neighbours.
func (n neighbours) Lacks(gk runtimeschema.GroupKind, path string) error {
	if k := n.Kind(gk); k != nil {
		return k.Lacks(path)
	}
	return nil
}

func (neighbours) Settled() <-chan struct{} {
	closed := make(chan struct{})
	close(closed)
	return closed
}

// Claimed implements managed.Neighbours.
func (n neighbours) Claimed() <-chan struct{} { return n.p.when(n.p.allClaimed) }

// ModulesClaimed implements managed.Neighbours.
func (n neighbours) ModulesClaimed() <-chan struct{} { return n.p.when(n.p.modulesClaimed) }

func (n neighbours) Wake(k store.Key) { n.p.enqueue(k, 0) }

// UsersOf implements managed.Neighbours.
func (n neighbours) UsersOf(of store.Key) (out []store.Key) {
	for k, ref := range n.p.w.references {
		if of == configuration() && ref.field == "" {
			out = append(out, k)
		}
	}
	return out
}

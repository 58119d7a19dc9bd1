package engine

import (
	"context"
	"sync"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// Engine is a terraform.Executor over one configured provider server.
type Engine struct {
	server provider.Server
	shared *Factory
}

var _ terraform.Executor = (*Engine)(nil)

// New returns an engine over a server. The server must be configured, except for Validate and
// MoveResourceState.
func New(server provider.Server) *Engine { return new(Factory).Engine(server) }

// Factory makes engines that share facts derived from schemas, so that these are computed once and
// not for each server. The zero value is ready to use.
type Factory struct {
	traits sync.Map // *schema.Block to traits
}

// Engine returns an engine over a server, as New does.
func (f *Factory) Engine(server provider.Server) *Engine {
	return &Engine{server: server, shared: f}
}

// call is one operation on one resource type. It holds what all steps of the operation use.
type call struct {
	server   provider.Server
	provider *schema.Provider
	resource terraform.ResourceType
	schema   *schema.Resource
	state    cty.Type
	identity cty.Type // cty.NilType without an identity schema
	// meta is the encoded provider_meta; nil when the provider has no schema for it.
	meta []byte
	traits
}

// traits are facts about a schema that every call needs. They are determined once.
type traits struct{ hasWriteOnly, hasComputedBlocks, hasDynamicBlocks, provenModern bool }

func (f *Factory) traitsOf(b *schema.Block) traits {
	if t, ok := f.traits.Load(b); ok {
		return t.(traits)
	}
	t := traits{
		hasWriteOnly:      hasWriteOnly(b),
		hasComputedBlocks: hasComputedBlocks(b),
		hasDynamicBlocks:  hasDynamicBlocks(b),
		provenModern:      provenModern(b),
	}
	f.traits.Store(b, t)
	return t
}

func (e *Engine) begin(ctx context.Context, r terraform.ResourceType) (*call, diagnostic.Diagnostics) {
	p, diags := e.server.Schema(ctx)
	if diags.HasErrors() {
		return nil, diags.Errors()
	}
	c := &call{
		server: e.server, provider: p, resource: r, schema: r.Schema,
		state: r.Schema.ImpliedType(), identity: r.Schema.IdentityType(), traits: e.shared.traitsOf(r.Schema.Block),
	}
	if p.Meta != nil {
		meta, err := encode(r.ProviderMeta, p.Meta.ImpliedType())
		if err != nil {
			return nil, diagnostic.Errorf("Invalid provider_meta",
				"The provider_meta value for %s does not fit the provider's schema for it: %s.", r.Schema.Type, err)
		}
		c.meta = meta
	}
	return c, nil
}

// beginBlock begins an operation on something that has a configuration by a schema and no state
// that is kept: an action or an ephemeral resource. kind is its kind in messages.
func (e *Engine) beginBlock(
	ctx context.Context, kind, name string, blocks func(*schema.Provider) map[string]*schema.Block,
) (*call, diagnostic.Diagnostics) {
	p, diags := e.server.Schema(ctx)
	if diags.HasErrors() {
		return nil, diags.Errors()
	}
	b := blocks(p)[name]
	if b == nil {
		return nil, diagnostic.Errorf("Unknown "+kind, "The provider has no %s %s.", kind, name)
	}
	return &call{
		server: e.server, provider: p, schema: &schema.Resource{Type: name, Block: b},
		state: b.ImpliedType(), traits: e.shared.traitsOf(b),
	}, nil
}

// identityVersion returns the version of the current identity schema.
func (c *call) identityVersion() int64 {
	if c.schema.Identity == nil {
		return 0
	}
	return c.schema.Identity.Version
}

// notRefreshed returns an error if an instance holds values of another schema version, which
// only Refresh can upgrade.
func notRefreshed(in instance.Instance) diagnostic.Diagnostics {
	if len(in.RawState) == 0 && len(in.RawIdentity) == 0 {
		return nil
	}
	return diagnostic.Errorf("Resource instance needs a refresh", "The stored object is of another version of its "+
		"schema. It must be refreshed before anything is planned for it.")
}

// gone returns the instance after its object has ceased to exist.
func gone(in instance.Instance, c *call) instance.Instance {
	return instance.Instance{
		State: cty.NullVal(c.state), Identity: nullIdentity(c.identity),
		Deposed: in.Deposed, Operation: in.Operation,
	}
}

func nullIdentity(t cty.Type) cty.Value {
	if t == cty.NilType {
		return cty.NilVal
	}
	return cty.NullVal(t)
}

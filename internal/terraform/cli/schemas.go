package cli

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/schema"
)

// schemas are what the program is told of providers: of one resource type at a time, so that it
// need not take in what a provider with a thousand of them has to say, and as if the provider had
// nothing to be configured, which it is already.
type schemas struct {
	mu    sync.Mutex
	known map[schemaKey]*served
}

type schemaKey struct {
	provider *schema.Provider
	resource string
}

// served is the schema of one resource type, as the provider tells it.
type served struct {
	schema   *tfprotov6.GetProviderSchemaResponse
	identity *tfprotov6.GetResourceIdentitySchemasResponse
}

// maxSchemas is how many are remembered. Schemas of providers that were replaced are among them.
const maxSchemas = 4096

// get asks the provider, unless it told before.
func (s *schemas) get(ctx context.Context, server provider.Server, resource string) (*served, diagnostic.Diagnostics) {
	p, diags := server.Schema(ctx)
	if diags.HasErrors() {
		return nil, diags.Errors()
	}
	key := schemaKey{p, resource}
	s.mu.Lock()
	out := s.known[key]
	s.mu.Unlock()
	if out != nil {
		return out, nil
	}
	all, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return nil, provider.CallError(err)
	}
	out = &served{
		schema: &tfprotov6.GetProviderSchemaResponse{
			ServerCapabilities: &tfprotov6.ServerCapabilities{PlanDestroy: p.Capabilities.PlanDestroy},
			Provider:           &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{}},
			ProviderMeta:       all.ProviderMeta,
			ResourceSchemas:    map[string]*tfprotov6.Schema{},
		},
		identity: &tfprotov6.GetResourceIdentitySchemasResponse{IdentitySchemas: map[string]*tfprotov6.ResourceIdentitySchema{}},
	}
	if all.ResourceSchemas[resource] == nil {
		return nil, diagnostic.Errorf("Unknown resource type", "The provider has no resource type %s.", resource)
	}
	out.schema.ResourceSchemas[resource] = lenient(all.ResourceSchemas[resource], true)
	if r := p.Resources[resource]; r != nil && r.Identity != nil {
		identities, err := server.GetResourceIdentitySchemas(ctx, &tfprotov6.GetResourceIdentitySchemasRequest{})
		if err != nil {
			return nil, provider.CallError(err)
		}
		if i := identities.IdentitySchemas[resource]; i != nil {
			out.identity.IdentitySchemas[resource] = i
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil || len(s.known) >= maxSchemas {
		s.known = map[schemaKey]*served{}
	}
	s.known[key] = out
	return out, nil
}

// undemanding is a schema under which an empty configuration is one: what an object that is
// imported is like is left to the object.
func undemanding(s *served, resource string) *served {
	out, full := *s, *s.schema
	full.ResourceSchemas = map[string]*tfprotov6.Schema{resource: lenient(full.ResourceSchemas[resource], false)}
	out.schema = &full
	return &out
}

// lenient is a schema by which any number of blocks is right, and, unless it demands attributes, any
// of those may be left out. The provider knows better, and says so with attribute paths.
func lenient(s *tfprotov6.Schema, demanding bool) *tfprotov6.Schema {
	out := *s
	out.Block = lenientBlock(s.Block, demanding)
	return &out
}

func lenientBlock(b *tfprotov6.SchemaBlock, demanding bool) *tfprotov6.SchemaBlock {
	if b == nil {
		return nil
	}
	out := *b
	out.Attributes, out.BlockTypes = nil, nil
	for _, a := range b.Attributes {
		x := *a
		if x.Required && !demanding {
			x.Required, x.Optional = false, true
		}
		out.Attributes = append(out.Attributes, &x)
	}
	for _, n := range b.BlockTypes {
		x := *n
		x.MinItems, x.MaxItems, x.Block = 0, 0, lenientBlock(n.Block, demanding)
		out.BlockTypes = append(out.BlockTypes, &x)
	}
	return &out
}

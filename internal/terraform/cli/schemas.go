package cli

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
	"github.com/landbridge-io/landbridge/schema"
)

// schemas caches the schemas that the program gets: one resource type at a time, so that it need
// not read those of a provider with a thousand types, and without a provider configuration, since
// the provider is configured already.
type schemas struct {
	mu    sync.Mutex
	known map[schemaKey]*served
}

type schemaKey struct {
	provider *schema.Provider
	resource string
}

// served is the schema of one resource type.
type served struct {
	schema   *tfprotov6.GetProviderSchemaResponse
	identity *tfprotov6.GetResourceIdentitySchemasResponse
}

// maxSchemas bounds the cache, which may contain schemas of providers that were replaced.
const maxSchemas = 4096

// get returns the schema of a resource type. It asks the provider once.
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
			Provider:           commandline.NoConfiguration(),
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

// allOptional returns the schema with all attributes optional, so that the configuration of an
// object to import can be empty.
func allOptional(s *served, resource string) *served {
	out, full := *s, *s.schema
	full.ResourceSchemas = map[string]*tfprotov6.Schema{resource: lenient(full.ResourceSchemas[resource], false)}
	out.schema = &full
	return &out
}

// lenient returns a schema that allows any number of blocks, and, unless required is set, makes all
// attributes optional. The provider checks both, and its diagnostics have attribute paths.
func lenient(s *tfprotov6.Schema, required bool) *tfprotov6.Schema {
	out := *s
	out.Block = lenientBlock(s.Block, required)
	return &out
}

func lenientBlock(b *tfprotov6.SchemaBlock, required bool) *tfprotov6.SchemaBlock {
	if b == nil {
		return nil
	}
	out := *b
	out.Attributes, out.BlockTypes = nil, nil
	for _, a := range b.Attributes {
		x := *a
		if x.Required && !required {
			x.Required, x.Optional = false, true
		}
		out.Attributes = append(out.Attributes, &x)
	}
	for _, n := range b.BlockTypes {
		x := *n
		x.MinItems, x.MaxItems, x.Block = 0, 0, lenientBlock(n.Block, required)
		out.BlockTypes = append(out.BlockTypes, &x)
	}
	return &out
}

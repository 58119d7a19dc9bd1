package plugin

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/tfplugin"
	"github.com/landbridge-io/landbridge/schema"
)

// readSchema reads and converts all schemas.
func (s *Server) readSchema(ctx context.Context) error {
	answer, computed, err := s.providerSchema(ctx)
	if err != nil {
		return err
	}
	identities, err := provider.IdentitySchemas(ctx, s)
	if err != nil {
		return err
	}
	s.schema, s.schemaDiags = schema.FromProtocol(s.protocol, answer, identities, computed)
	return nil
}

// askForSchema asks the provider for its schema and ignores the answer.
func (s *Server) askForSchema(ctx context.Context) error {
	return s.invokeForSchema(ctx, &tfplugin.Empty{})
}

// maxSchema is the maximum size of a provider's schema, in bytes. In memory, it takes several times
// as much.
const maxSchema = 64 << 20

// invokeForSchema makes a call whose answer may be as large as a schema.
func (s *Server) invokeForSchema(ctx context.Context, answer proto.Message) error {
	err := s.invoke(ctx, tfplugin.GetProviderSchema, &tfplugin.Empty{}, answer, grpc.MaxCallRecvMsgSize(maxSchema))
	if status.Code(err) == codes.ResourceExhausted {
		return status.Errorf(codes.ResourceExhausted, "its schema is larger than %d MiB", maxSchema>>20)
	}
	return err
}

// GetProviderSchema returns all schemas except identity schemas.
func (s *Server) GetProviderSchema(
	ctx context.Context, _ *tfprotov6.GetProviderSchemaRequest,
) (*tfprotov6.GetProviderSchemaResponse, error) {
	answer, _, err := s.providerSchema(ctx)
	return answer, err
}

// providerSchema is GetProviderSchema with what the types of terraform-plugin-go do not have.
func (s *Server) providerSchema(ctx context.Context) (*tfprotov6.GetProviderSchemaResponse, schema.ComputedBlocks, error) {
	var a *tfplugin.GetProviderSchemaResponse
	if s.protocol == 5 {
		var a5 tfplugin.GetProviderSchemaResponseV5
		if err := s.invokeForSchema(ctx, &a5); err != nil {
			return nil, nil, err
		}
		a = lift(&a5)
	} else {
		a = new(tfplugin.GetProviderSchemaResponse)
		if err := s.invokeForSchema(ctx, a); err != nil {
			return nil, nil, err
		}
	}
	return fromProviderSchema(a)
}

// fromProviderSchema converts all schemas except identity schemas.
func fromProviderSchema(a *tfplugin.GetProviderSchemaResponse) (*tfprotov6.GetProviderSchemaResponse, schema.ComputedBlocks, error) {
	computed := schema.ComputedBlocks{}
	fromSchema := func(in *tfplugin.Schema) (*tfprotov6.Schema, error) { return fromSchema(in, computed) }
	out := &tfprotov6.GetProviderSchemaResponse{
		ServerCapabilities: fromCapabilities(a.ServerCapabilities),
		Diagnostics:        fromDiagnostics(a.Diagnostics),
	}
	var err error
	collect := func(e error) { err = errors.Join(err, e) }
	var e error
	out.Provider, e = fromSchema(a.Provider)
	collect(e)
	out.ProviderMeta, e = fromSchema(a.ProviderMeta)
	collect(e)
	out.ResourceSchemas, e = fromMap(a.ResourceSchemas, fromSchema)
	collect(e)
	out.DataSourceSchemas, e = fromMap(a.DataSourceSchemas, fromSchema)
	collect(e)
	out.Functions, e = fromMap(a.Functions, fromFunction)
	collect(e)
	out.EphemeralResourceSchemas, e = fromMap(a.EphemeralResourceSchemas, fromSchema)
	collect(e)
	out.ListResourceSchemas, e = fromMap(a.ListResourceSchemas, fromSchema)
	collect(e)
	out.StateStoreSchemas, e = fromMap(a.StateStoreSchemas, fromSchema)
	collect(e)
	out.ActionSchemas, e = fromMap(a.ActionSchemas, func(in *tfplugin.ActionSchema) (*tfprotov6.ActionSchema, error) {
		s, err := fromSchema(in.Schema)
		return &tfprotov6.ActionSchema{Schema: s}, err
	})
	collect(e)
	if err != nil {
		return nil, nil, fmt.Errorf("the provider's schema cannot be read: %w", err)
	}
	return out, computed, nil
}

// GetResourceIdentitySchemas returns the identity schemas.
func (s *Server) GetResourceIdentitySchemas(
	ctx context.Context, _ *tfprotov6.GetResourceIdentitySchemasRequest,
) (*tfprotov6.GetResourceIdentitySchemasResponse, error) {
	var a tfplugin.GetResourceIdentitySchemasResponse
	if err := s.invoke(ctx, tfplugin.GetResourceIdentitySchemas, &tfplugin.Empty{}, &a); err != nil {
		return nil, err
	}
	schemas, err := fromMap(a.IdentitySchemas, func(in *tfplugin.IdentitySchema) (*tfprotov6.ResourceIdentitySchema, error) {
		out := &tfprotov6.ResourceIdentitySchema{Version: in.Version}
		for _, attribute := range in.IdentityAttributes {
			t, err := fromType(attribute.Type)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", attribute.Name, err)
			}
			out.IdentityAttributes = append(out.IdentityAttributes, &tfprotov6.ResourceIdentitySchemaAttribute{
				Name:              attribute.Name,
				Type:              t,
				RequiredForImport: attribute.RequiredForImport,
				OptionalForImport: attribute.OptionalForImport,
				Description:       attribute.Description,
			})
		}
		return out, nil
	})
	if err != nil {
		return nil, fmt.Errorf("the provider's identity schemas cannot be read: %w", err)
	}
	return &tfprotov6.GetResourceIdentitySchemasResponse{
		IdentitySchemas: schemas,
		Diagnostics:     s.diagnostics(a.Diagnostics),
	}, nil
}

func fromMap[A, B any](in map[string]*A, from func(*A) (*B, error)) (map[string]*B, error) {
	out := make(map[string]*B, len(in))
	for name, a := range in {
		b, err := from(a)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out[name] = b
	}
	return out, nil
}

func fromType(in []byte) (tftypes.Type, error) {
	if len(in) == 0 {
		return nil, nil
	}
	//lint:ignore SA1019 types arrive in this wire format
	return tftypes.ParseJSONType(in)
}

// fromSchema converts a schema, and adds its computed blocks to computed.
func fromSchema(in *tfplugin.Schema, computed schema.ComputedBlocks) (*tfprotov6.Schema, error) {
	if in == nil {
		return nil, nil
	}
	b, err := fromBlock(in.Block, computed)
	return &tfprotov6.Schema{Version: in.Version, Block: b}, err
}

func fromBlock(in *tfplugin.Schema_Block, computed schema.ComputedBlocks) (*tfprotov6.SchemaBlock, error) {
	if in == nil {
		return nil, nil
	}
	attributes, err := fromAttributes(in.Attributes)
	if err != nil {
		return nil, err
	}
	out := &tfprotov6.SchemaBlock{
		Version:            in.Version,
		Attributes:         attributes,
		Description:        in.Description,
		DescriptionKind:    tfprotov6.StringKind(in.DescriptionKind),
		Deprecated:         in.Deprecated,
		DeprecationMessage: in.DeprecationMessage,
	}
	for _, n := range in.BlockTypes {
		b, err := fromBlock(n.Block, computed)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n.TypeName, err)
		}
		if n.Block.GetComputed() {
			computed[b] = true
		}
		out.BlockTypes = append(out.BlockTypes, &tfprotov6.SchemaNestedBlock{
			TypeName: n.TypeName,
			Block:    b,
			Nesting:  tfprotov6.SchemaNestedBlockNestingMode(n.Nesting),
			MinItems: n.MinItems,
			MaxItems: n.MaxItems,
		})
	}
	return out, nil
}

func fromAttributes(in []*tfplugin.Schema_Attribute) ([]*tfprotov6.SchemaAttribute, error) {
	var out []*tfprotov6.SchemaAttribute
	for _, a := range in {
		t, err := fromType(a.Type)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.Name, err)
		}
		x := &tfprotov6.SchemaAttribute{
			Name:               a.Name,
			Type:               t,
			Description:        a.Description,
			Required:           a.Required,
			Optional:           a.Optional,
			Computed:           a.Computed,
			Sensitive:          a.Sensitive,
			DescriptionKind:    tfprotov6.StringKind(a.DescriptionKind),
			Deprecated:         a.Deprecated,
			WriteOnly:          a.WriteOnly,
			DeprecationMessage: a.DeprecationMessage,
		}
		if n := a.NestedType; n != nil {
			nested, err := fromAttributes(n.Attributes)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", a.Name, err)
			}
			x.NestedType = &tfprotov6.SchemaObject{Attributes: nested, Nesting: tfprotov6.SchemaObjectNestingMode(n.Nesting)}
		}
		out = append(out, x)
	}
	return out, nil
}

func fromFunction(in *tfplugin.Function) (*tfprotov6.Function, error) {
	out := &tfprotov6.Function{
		Summary:            in.Summary,
		Description:        in.Description,
		DescriptionKind:    tfprotov6.StringKind(in.DescriptionKind),
		DeprecationMessage: in.DeprecationMessage,
	}
	for _, p := range in.Parameters {
		x, err := fromParameter(p)
		if err != nil {
			return nil, err
		}
		out.Parameters = append(out.Parameters, x)
	}
	var err error
	if in.VariadicParameter != nil {
		if out.VariadicParameter, err = fromParameter(in.VariadicParameter); err != nil {
			return nil, err
		}
	}
	if in.Return != nil {
		t, err := fromType(in.Return.Type)
		if err != nil {
			return nil, fmt.Errorf("return: %w", err)
		}
		out.Return = &tfprotov6.FunctionReturn{Type: t}
	}
	return out, nil
}

func fromParameter(in *tfplugin.Function_Parameter) (*tfprotov6.FunctionParameter, error) {
	t, err := fromType(in.Type)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	return &tfprotov6.FunctionParameter{
		AllowNullValue:     in.AllowNullValue,
		AllowUnknownValues: in.AllowUnknownValues,
		Description:        in.Description,
		DescriptionKind:    tfprotov6.StringKind(in.DescriptionKind),
		Name:               in.Name,
		Type:               t,
	}, nil
}

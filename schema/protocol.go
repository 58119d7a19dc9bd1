package schema

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
)

// FromProtocol makes the schema from the answers to GetProviderSchema and
// GetResourceIdentitySchemas. identities is nil for a provider without identities.
// A resource type whose schema breaks the rules Terraform enforces at load (contract § 1)
// is an error that names the type. computed has the blocks of the answer that are computed; it is
// nil if there are none.
func FromProtocol(
	protocol int, answer *tfprotov6.GetProviderSchemaResponse,
	identities *tfprotov6.GetResourceIdentitySchemasResponse, computed ComputedBlocks,
) (*Provider, Diagnostics) {
	diags := diagnostic.FromProtocol(answer.Diagnostics)
	if identities != nil {
		diags = append(diags, diagnostic.FromProtocol(identities.Diagnostics)...)
	}
	if diags.HasErrors() {
		return nil, diags
	}
	p := &Provider{
		Protocol:           protocol,
		Resources:          make(map[string]*Resource, len(answer.ResourceSchemas)),
		DataSources:        make(map[string]*Block, len(answer.DataSourceSchemas)),
		EphemeralResources: make(map[string]*Block, len(answer.EphemeralResourceSchemas)),
		ListResources:      make(map[string]*Block, len(answer.ListResourceSchemas)),
		Actions:            make(map[string]*Block, len(answer.ActionSchemas)),
		Functions:          slices.Sorted(maps.Keys(answer.Functions)),
	}
	if c := answer.ServerCapabilities; c != nil {
		p.Capabilities = Capabilities{
			PlanDestroy:               c.PlanDestroy,
			GetProviderSchemaOptional: c.GetProviderSchemaOptional,
			MoveResourceState:         c.MoveResourceState,
			GenerateResourceConfig:    c.GenerateResourceConfig,
		}
	}
	if answer.Provider == nil {
		return nil,
			append(diags, diagnostic.Errorf("Missing provider schema",
				"The provider's answer to GetProviderSchema has no provider schema.")...)
	}
	read := func(what string, s *tfprotov6.Schema) *Block {
		b, err := computed.blockFromProtocol(s)
		if err == nil {
			err = b.validate()
		}
		if err != nil {
			diags = append(diags, invalidSchema(what, err)...)
		}
		return b
	}
	p.Config, p.ConfigVersion = read("provider configuration", answer.Provider), answer.Provider.Version
	if answer.ProviderMeta != nil {
		p.Meta = read("provider_meta", answer.ProviderMeta)
	}
	for _, name := range slices.Sorted(maps.Keys(answer.ResourceSchemas)) {
		s := answer.ResourceSchemas[name]
		if err := checkName(name); err != nil {
			diags = append(diags, invalidSchema("a managed resource type", err)...)
			continue
		}
		r := &Resource{Type: name, Block: read("managed resource type "+name, s)}
		if s != nil {
			r.Version = s.Version
		}
		if r.Version < 0 {
			diags = append(diags, invalidSchema("managed resource type "+name, fmt.Errorf("negative version %d", r.Version))...)
		}
		if identities != nil && identities.IdentitySchemas[name] != nil {
			i, err := identityFromProtocol(identities.IdentitySchemas[name])
			if err != nil {
				diags = append(diags, invalidSchema("the identity of managed resource type "+name, err)...)
			}
			r.Identity = i
		}
		p.Resources[name] = r
	}
	for name, s := range answer.DataSourceSchemas {
		p.DataSources[name] = read("data source "+name, s)
	}
	for name, s := range answer.EphemeralResourceSchemas {
		p.EphemeralResources[name] = read("ephemeral resource type "+name, s)
	}
	for name, s := range answer.ListResourceSchemas {
		p.ListResources[name] = read("list resource type "+name, s)
	}
	for _, name := range p.Functions {
		if checkName(name) != nil || answer.Functions[name] == nil {
			continue // nothing can call it
		}
		f, err := functionFromProtocol(answer.Functions[name])
		if err != nil {
			diags = append(diags, invalidSchema("function "+name, err)...)
			continue
		}
		if p.Signatures == nil {
			p.Signatures = make(map[string]*Function, len(answer.Functions))
		}
		p.Signatures[name] = f
	}
	for name, s := range answer.ActionSchemas {
		if s != nil {
			p.Actions[name] = read("action "+name, s.Schema)
		}
	}
	if diags.HasErrors() {
		return nil, diags
	}
	return p, diags
}

// ComputedBlocks are the blocks of which the provider may make up values (protocol 6.11). The types
// of terraform-plugin-go do not have this property.
type ComputedBlocks map[*tfprotov6.SchemaBlock]bool

func invalidSchema(what string, err error) diagnostic.Diagnostics {
	return diagnostic.Errorf("Invalid provider schema",
		"The provider has invalid schema for %s, which is a bug in the provider: %s.", what, err)
}

func (c ComputedBlocks) blockFromProtocol(s *tfprotov6.Schema) (*Block, error) {
	if s == nil || s.Block == nil {
		return &Block{}, nil
	}
	return c.convertBlock(s.Block)
}

func (c ComputedBlocks) convertBlock(in *tfprotov6.SchemaBlock) (*Block, error) {
	if in == nil {
		return &Block{}, nil
	}
	b := &Block{
		Description:        Text{Text: in.Description, Markdown: in.DescriptionKind == tfprotov6.StringKindMarkdown},
		Deprecated:         in.Deprecated,
		DeprecationMessage: in.DeprecationMessage,
	}
	var err error
	if b.Attributes, err = convertAttributes(in.Attributes); err != nil {
		return b, err
	}
	for _, n := range in.BlockTypes {
		if n == nil {
			continue
		}
		nested, err := c.convertBlock(n.Block)
		if err != nil {
			return b, fmt.Errorf("%s: %w", n.TypeName, err)
		}
		nesting, ok := blockNestings[n.Nesting]
		if !ok {
			return b, fmt.Errorf("%s: unknown nesting mode %d", n.TypeName, n.Nesting)
		}
		if b.Blocks == nil {
			b.Blocks = make(map[string]*NestedBlock, len(in.BlockTypes))
		}
		b.Blocks[n.TypeName] = &NestedBlock{
			Nesting: nesting, Block: nested, MinItems: n.MinItems, MaxItems: n.MaxItems, Computed: c[n.Block],
		}
	}
	return b, nil
}

var blockNestings = map[tfprotov6.SchemaNestedBlockNestingMode]Nesting{
	tfprotov6.SchemaNestedBlockNestingModeSingle: NestingSingle,
	tfprotov6.SchemaNestedBlockNestingModeGroup:  NestingGroup,
	tfprotov6.SchemaNestedBlockNestingModeList:   NestingList,
	tfprotov6.SchemaNestedBlockNestingModeSet:    NestingSet,
	tfprotov6.SchemaNestedBlockNestingModeMap:    NestingMap,
}

var objectNestings = map[tfprotov6.SchemaObjectNestingMode]Nesting{
	tfprotov6.SchemaObjectNestingModeSingle: NestingSingle,
	tfprotov6.SchemaObjectNestingModeList:   NestingList,
	tfprotov6.SchemaObjectNestingModeSet:    NestingSet,
	tfprotov6.SchemaObjectNestingModeMap:    NestingMap,
}

func convertAttributes(in []*tfprotov6.SchemaAttribute) (map[string]*Attribute, error) {
	if len(in) == 0 {
		return nil, nil
	}
	out := make(map[string]*Attribute, len(in))
	for _, a := range in {
		if a == nil {
			continue
		}
		x := &Attribute{
			Description:        Text{Text: a.Description, Markdown: a.DescriptionKind == tfprotov6.StringKindMarkdown},
			Required:           a.Required,
			Optional:           a.Optional,
			Computed:           a.Computed,
			Sensitive:          a.Sensitive,
			WriteOnly:          a.WriteOnly,
			Deprecated:         a.Deprecated,
			DeprecationMessage: a.DeprecationMessage,
		}
		var err error
		switch {
		case a.NestedType != nil:
			nesting, ok := objectNestings[a.NestedType.Nesting]
			if !ok {
				return out, fmt.Errorf("%s: unknown nesting mode %d", a.Name, a.NestedType.Nesting)
			}
			x.Nested = &NestedAttributes{Nesting: nesting}
			x.Nested.Attributes, err = convertAttributes(a.NestedType.Attributes)
		case a.Type == nil:
			err = fmt.Errorf("no type")
		default:
			x.Type, err = convertType(a.Type)
		}
		if err != nil {
			return out, fmt.Errorf("%s: %w", a.Name, err)
		}
		out[a.Name] = x
	}
	return out, nil
}

func convertType(t tftypes.Type) (cty.Type, error) {
	//lint:ignore SA1019 the wire form of a type is needed here
	raw, err := t.MarshalJSON()
	if err != nil {
		return cty.NilType, err
	}
	return ctyjson.UnmarshalType(raw)
}

func identityFromProtocol(in *tfprotov6.ResourceIdentitySchema) (*Identity, error) {
	i := &Identity{Version: in.Version, Attributes: make(map[string]*IdentityAttribute, len(in.IdentityAttributes))}
	if i.Version < 0 {
		return i, fmt.Errorf("negative version %d", i.Version)
	}
	for _, a := range in.IdentityAttributes {
		if a == nil {
			continue
		}
		t, err := convertType(a.Type)
		if err != nil {
			return i, fmt.Errorf("%s: %w", a.Name, err)
		}
		if !t.IsPrimitiveType() && !(t.IsListType() && t.ElementType().IsPrimitiveType()) {
			return i, fmt.Errorf("%s: type %s, where only primitive types and lists of them are allowed", a.Name, t.FriendlyName())
		}
		if a.RequiredForImport == a.OptionalForImport {
			return i, fmt.Errorf("%s: exactly one of required_for_import and optional_for_import must be set", a.Name)
		}
		i.Attributes[a.Name] = &IdentityAttribute{
			Type: t, Description: a.Description,
			RequiredForImport: a.RequiredForImport, OptionalForImport: a.OptionalForImport,
		}
	}
	return i, nil
}

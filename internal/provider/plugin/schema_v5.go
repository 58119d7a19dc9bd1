package plugin

import "github.com/landbridge-io/landbridge/internal/tfplugin"

// lift converts a schema of protocol 5 to protocol 6, which can express all of it.
func lift(in *tfplugin.GetProviderSchemaResponseV5) *tfplugin.GetProviderSchemaResponse {
	return &tfplugin.GetProviderSchemaResponse{
		Provider:                 liftSchema(in.Provider),
		ResourceSchemas:          liftMap(in.ResourceSchemas, liftSchema),
		DataSourceSchemas:        liftMap(in.DataSourceSchemas, liftSchema),
		Diagnostics:              in.Diagnostics,
		ProviderMeta:             liftSchema(in.ProviderMeta),
		ServerCapabilities:       in.ServerCapabilities,
		Functions:                in.Functions,
		EphemeralResourceSchemas: liftMap(in.EphemeralResourceSchemas, liftSchema),
		ListResourceSchemas:      liftMap(in.ListResourceSchemas, liftSchema),
		ActionSchemas: liftMap(in.ActionSchemas, func(a *tfplugin.ActionSchemaV5) *tfplugin.ActionSchema {
			return &tfplugin.ActionSchema{Schema: liftSchema(a.Schema)}
		}),
	}
}

func liftMap[A, B any](in map[string]*A, lift func(*A) *B) map[string]*B {
	out := make(map[string]*B, len(in))
	for name, a := range in {
		out[name] = lift(a)
	}
	return out
}

func liftSchema(in *tfplugin.SchemaV5) *tfplugin.Schema {
	if in == nil {
		return nil
	}
	return &tfplugin.Schema{Version: in.Version, Block: liftBlock(in.Block)}
}

func liftBlock(in *tfplugin.SchemaV5_Block) *tfplugin.Schema_Block {
	if in == nil {
		return nil
	}
	out := &tfplugin.Schema_Block{
		Version:            in.Version,
		Description:        in.Description,
		DescriptionKind:    in.DescriptionKind,
		Deprecated:         in.Deprecated,
		DeprecationMessage: in.DeprecationMessage,
	}
	for _, a := range in.Attributes {
		out.Attributes = append(out.Attributes, &tfplugin.Schema_Attribute{
			Name:               a.Name,
			Type:               a.Type,
			Description:        a.Description,
			Required:           a.Required,
			Optional:           a.Optional,
			Computed:           a.Computed,
			Sensitive:          a.Sensitive,
			DescriptionKind:    a.DescriptionKind,
			Deprecated:         a.Deprecated,
			WriteOnly:          a.WriteOnly,
			DeprecationMessage: a.DeprecationMessage,
		})
	}
	for _, n := range in.BlockTypes {
		out.BlockTypes = append(out.BlockTypes, &tfplugin.Schema_NestedBlock{
			TypeName: n.TypeName,
			Block:    liftBlock(n.Block),
			Nesting:  n.Nesting,
			MinItems: n.MinItems,
			MaxItems: n.MaxItems,
		})
	}
	return out
}

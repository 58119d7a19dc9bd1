package inprocess

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// beside holds the parts of a call that tf5to6server drops. They bypass it in the call's context.
type beside struct {
	includeResource              bool
	limit                        int64
	includeResourceValue, limits *tfprotov6.DynamicValue
	generateResourceConfig       bool
}

type besideKey struct{}

// withBeside returns a context for the parts that the lift drops; nil for a provider of protocol 6.
func (s *Server) withBeside(ctx context.Context, b beside) (context.Context, *beside) {
	if s.protocol == 6 {
		return ctx, nil
	}
	return context.WithValue(ctx, besideKey{}, &b), &b
}

func getBeside(ctx context.Context) *beside {
	if b, ok := ctx.Value(besideKey{}).(*beside); ok {
		return b
	}
	return new(beside)
}

// below wraps the provider below the lift.
type below struct{ tfprotov5.ProviderServer }

func (p below) GetMetadata(ctx context.Context, r *tfprotov5.GetMetadataRequest) (*tfprotov5.GetMetadataResponse, error) {
	a, err := p.ProviderServer.GetMetadata(ctx, r)
	if a != nil && a.ServerCapabilities != nil {
		getBeside(ctx).generateResourceConfig = a.ServerCapabilities.GenerateResourceConfig
	}
	return a, err
}

func (p below) GetProviderSchema(ctx context.Context, r *tfprotov5.GetProviderSchemaRequest) (*tfprotov5.GetProviderSchemaResponse, error) {
	a, err := p.ProviderServer.GetProviderSchema(ctx, r)
	if a != nil && a.ServerCapabilities != nil {
		getBeside(ctx).generateResourceConfig = a.ServerCapabilities.GenerateResourceConfig
	}
	return a, err
}

// The calls below are made only if the provider implements them.

func (p below) ValidateListResourceConfig(
	ctx context.Context, r *tfprotov5.ValidateListResourceConfigRequest,
) (*tfprotov5.ValidateListResourceConfigResponse, error) {
	b := getBeside(ctx)
	r.IncludeResourceObject, r.Limit = lower(b.includeResourceValue), lower(b.limits)
	return p.ProviderServer.(tfprotov5.ListResourceServer).ValidateListResourceConfig(ctx, r)
}

func (p below) ListResource(ctx context.Context, r *tfprotov5.ListResourceRequest) (*tfprotov5.ListResourceServerStream, error) {
	b := getBeside(ctx)
	r.IncludeResource, r.Limit = b.includeResource, b.limit
	return p.ProviderServer.(tfprotov5.ListResourceServer).ListResource(ctx, r)
}

func (p below) ValidateActionConfig(
	ctx context.Context, r *tfprotov5.ValidateActionConfigRequest,
) (*tfprotov5.ValidateActionConfigResponse, error) {
	return p.ProviderServer.(tfprotov5.ActionServer).ValidateActionConfig(ctx, r)
}

func (p below) PlanAction(ctx context.Context, r *tfprotov5.PlanActionRequest) (*tfprotov5.PlanActionResponse, error) {
	return p.ProviderServer.(tfprotov5.ActionServer).PlanAction(ctx, r)
}

func (p below) InvokeAction(ctx context.Context, r *tfprotov5.InvokeActionRequest) (*tfprotov5.InvokeActionServerStream, error) {
	return p.ProviderServer.(tfprotov5.ActionServer).InvokeAction(ctx, r)
}

func lower(v *tfprotov6.DynamicValue) *tfprotov5.DynamicValue {
	if v == nil {
		return nil
	}
	return &tfprotov5.DynamicValue{MsgPack: v.MsgPack, JSON: v.JSON}
}

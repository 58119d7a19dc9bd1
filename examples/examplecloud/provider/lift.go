package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-mux/tf5to6server"
)

// lifted is a server of protocol 5 on protocol 6. Listing is lifted here: what
// terraform-plugin-mux v0.23.1 makes of a request has neither limit nor
// include_resource.
type lifted struct {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
	from tfprotov5.ListResourceServer
}

func lift(ctx context.Context, server tfprotov5.ProviderServer) (tfprotov6.ProviderServer, error) {
	to, err := tf5to6server.UpgradeServer(ctx, func() tfprotov5.ProviderServer { return server })
	if err != nil {
		return nil, err
	}
	from, canList := server.(tfprotov5.ListResourceServer)
	listTo, canLift := to.(tfprotov6.ListResourceServer)
	actionsTo, canAct := to.(tfprotov6.ActionServer)
	if !canList || !canLift || !canAct {
		return nil, fmt.Errorf("%T cannot list or act", server)
	}
	return lifted{to, listTo, actionsTo, from}, nil
}

func (l lifted) ListResource(ctx context.Context, req *tfprotov6.ListResourceRequest) (*tfprotov6.ListResourceServerStream, error) {
	stream, err := l.from.ListResource(ctx, &tfprotov5.ListResourceRequest{
		TypeName: req.TypeName, Config: (*tfprotov5.DynamicValue)(req.Config), IncludeResource: req.IncludeResource, Limit: req.Limit,
	})
	if err != nil || stream == nil {
		return nil, err
	}
	return &tfprotov6.ListResourceServerStream{Results: func(push func(tfprotov6.ListResourceResult) bool) {
		for result := range stream.Results {
			out := tfprotov6.ListResourceResult{DisplayName: result.DisplayName, Resource: (*tfprotov6.DynamicValue)(result.Resource)}
			if result.Identity != nil {
				out.Identity = &tfprotov6.ResourceIdentityData{IdentityData: (*tfprotov6.DynamicValue)(result.Identity.IdentityData)}
			}
			for _, d := range result.Diagnostics {
				out.Diagnostics = append(out.Diagnostics, &tfprotov6.Diagnostic{
					Severity: tfprotov6.DiagnosticSeverity(d.Severity), Summary: d.Summary, Detail: d.Detail, Attribute: d.Attribute,
				})
			}
			if !push(out) {
				return
			}
		}
	}}, nil
}

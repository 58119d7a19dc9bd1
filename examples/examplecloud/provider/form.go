package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/framework"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/release"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/sdkv2"
)

// Form is a way in which the provider is written.
type Form string

// The forms. cmd/terraform-provider-examplecloud-<form> are their programs.
const (
	SDKv2      Form = "sdkv2"
	Framework5 Form = "framework5"
	Framework6 Form = "framework6"
)

// Forms are all forms.
var Forms = []Form{SDKv2, Framework5, Framework6}

// Server makes a server, not yet configured. Each can be configured once.
//
// Whoever calls a server without a process in between stops a call by cancelling its
// context: StopProvider reaches calls only through the server of a process.
func (f Form) Server(ctx context.Context, r release.Release) (tfprotov6.ProviderServer, error) {
	switch f {
	case SDKv2:
		server, err := sdkv2.Server(ctx, r)
		if err != nil {
			return nil, err
		}
		return lift(ctx, server)
	case Framework5:
		return lift(ctx, framework.Server5(r))
	case Framework6:
		return framework.Server6(r), nil
	}
	return nil, fmt.Errorf("there is no form %q; there are %q", string(f), Forms)
}

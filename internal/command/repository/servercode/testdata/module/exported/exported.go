// Package exported makes servers, and has functions that do not.
package exported

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"example.org/terraform-provider-cloud/internal/provider"
)

func Server(context.Context) (func() tfprotov6.ProviderServer, error) {
	return providerserver.NewProtocol6(provider.New()), nil
}
func Region(region int) tfprotov6.ProviderServer { return nil }
func Name() string                               { return "cloud" }

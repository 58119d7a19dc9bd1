// Package provider is a provider on the plugin framework.
package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

type cloud struct{ version string }

func New() provider.Provider { return &cloud{} }
func WithVersion(v string) func() provider.Provider {
	return func() provider.Provider { return &cloud{v} }
}
func Beside(*schema.Provider) provider.Provider        { return &cloud{} }
func Concrete(context.Context, string) (*cloud, error) { return &cloud{}, nil }

func (c *cloud) Metadata(_ context.Context, _ provider.MetadataRequest, r *provider.MetadataResponse) {
	r.TypeName, r.Version = "cloud", c.version
}
func (*cloud) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse)          {}
func (*cloud) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}
func (*cloud) DataSources(context.Context) []func() datasource.DataSource                        { return nil }
func (*cloud) Resources(context.Context) []func() resource.Resource                              { return nil }

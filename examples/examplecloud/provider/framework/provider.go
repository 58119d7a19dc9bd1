package framework

import (
	"context"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/release"
)

// Provider is the example provider.
type Provider struct {
	protocol int
	release  release.Release
}

var (
	_ provider.ProviderWithListResources = (*Provider)(nil)
	_ provider.ProviderWithFunctions     = (*Provider)(nil)

	_ provider.ProviderWithActions            = (*Provider)(nil)
	_ provider.ProviderWithEphemeralResources = (*Provider)(nil)
)

// New makes a provider for protocol 5, which has blocks only, or 6, which has
// nested attributes too.
func New(protocol int, r release.Release) *Provider {
	return &Provider{protocol: protocol, release: r}
}

// Server5 is the provider on protocol 5.
func Server5(r release.Release) tfprotov5.ProviderServer {
	return providerserver.NewProtocol5(New(5, r))()
}

// Server6 is the provider on protocol 6.
func Server6(r release.Release) tfprotov6.ProviderServer {
	return providerserver.NewProtocol6(New(6, r))()
}

// Metadata implements provider.Provider.
func (p *Provider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "examplecloud"
	resp.Version = p.release.String()
}

// Schema implements provider.Provider.
func (p *Provider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = ConfigSchema()
}

// ConfigSchema is the schema of the provider's configuration. Every provider of the
// cloud has the same, as those that are combined must.
func ConfigSchema() schema.Schema {
	return schema.Schema{
		Attributes: map[string]schema.Attribute{
			"endpoint": schema.StringAttribute{Optional: true, Description: "Address of the cloud. $EXAMPLECLOUD_ENDPOINT if not set."},
			"region": schema.StringAttribute{
				Optional:    true,
				Description: "Region of objects that name none. $EXAMPLECLOUD_REGION, or us-east-1, if not set.",
			},
			"token": schema.StringAttribute{Optional: true, Sensitive: true, Description: "Token of the cloud. $EXAMPLECLOUD_TOKEN if not set."},
		},
	}
}

// Configure implements provider.Provider.
func (p *Provider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	c := Configure(ctx, req, resp)
	resp.ResourceData = c
	resp.ListResourceData = c
	resp.ActionData = c
	resp.EphemeralResourceData = c
	resp.DataSourceData = c
}

// Configure makes the client that a configuration asks for.
func Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) *client.Client {
	var config struct {
		Endpoint types.String `tfsdk:"endpoint"`
		Region   types.String `tfsdk:"region"`
		Token    types.String `tfsdk:"token"`
	}
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return nil
	}
	c, err := client.New(client.Config{
		Endpoint: orEnv(config.Endpoint, "EXAMPLECLOUD_ENDPOINT"),
		Region:   orEnv(config.Region, "EXAMPLECLOUD_REGION"),
		Token:    orEnv(config.Token, "EXAMPLECLOUD_TOKEN"),
	})
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("endpoint"), "Cannot use the endpoint", err.Error())
		return nil
	}
	return c
}

func orEnv(value types.String, name string) string {
	if value.ValueString() != "" {
		return value.ValueString()
	}
	return os.Getenv(name)
}

// resources makes one of every resource type.
func (p *Provider) resources() []resource.Resource {
	volume := func(name string, collection api.Collection[api.Volume]) volume {
		return volume{base: base{name: name}, collection: collection, release: p.release, state: p.release}
	}
	sameState := volume("volume_same_state", api.VolumesSameState)
	sameState.state = release.V0
	note := func(name string, collection api.Collection[api.Note]) note {
		return note{base: base{name: name}, collection: collection}
	}
	byIdentity := note("identity_import", api.IdentityImports)
	byIdentity.byIdentity = true
	all := []resource.Resource{
		&thing{base: base{name: "thing"}},
		&datastore{base: base{name: "datastore"}, protocol: p.protocol},
		&ticket{base: base{name: "ticket"}},
		&alias{base: base{name: "alias"}, collection: api.Aliases, mutable: true},
		&alias{base: base{name: "nickname"}, collection: api.Nicknames},
		&idImport{note("id_import", api.IDImports)},
		&identityImport{noteWithIdentity{byIdentity}},
		&noteWithIdentity{note("no_import", api.NoImports)},
		&credential{base: base{name: "credential"}},
		&record{base: base{name: "record"}},
		&shapes{base: base{name: "shapes"}, protocol: p.protocol},
	}
	volumes := []volumeWithUpgrade{
		{volumeWithIdentity{volume("volume", api.Volumes)}, upgradeComplete},
		{volumeWithIdentity{sameState}, upgradeComplete},
		{volumeWithIdentity{volume("volume_upgrade_gap", api.VolumesUpgradeGap)}, upgradeGap},
		{volumeWithIdentity{volume("volume_upgrade_fails", api.VolumesUpgradeFails)}, upgradeFails},
		{volumeWithIdentity{volume("volume_upgrade_invalid", api.VolumesUpgradeInvalid)}, upgradeInvalid},
		{volumeWithIdentity{volume("volume_upgrade_partial", api.VolumesUpgradePartial)}, upgradePartial},
	}
	withoutUpgrader := volumeWithIdentity{volume("volume_no_upgrader", api.VolumesNoUpgrader)}
	if p.release.HasIdentity() {
		for i := range volumes {
			all = append(all, &volumes[i])
		}
		return append(all, &withoutUpgrader)
	}
	for i := range volumes {
		all = append(all, &volumes[i].volume)
	}
	return append(all, &withoutUpgrader.volume)
}

// Resources makes the resource types anew each time, as the framework does for
// every call.
func (p *Provider) Resources(context.Context) []func() resource.Resource {
	var makers []func() resource.Resource
	for i := range p.resources() {
		makers = append(makers, func() resource.Resource { return p.resources()[i] })
	}
	return makers
}

// ListResources are all resource types that have an identity and can list.
func (p *Provider) ListResources(context.Context) []func() list.ListResource {
	var makers []func() list.ListResource
	for i, r := range p.resources() {
		_, listable := r.(lister)
		_, identified := r.(resource.ResourceWithIdentity)
		if listable && identified {
			makers = append(makers, func() list.ListResource { return &listResource{lister: p.resources()[i].(lister)} })
		}
	}
	return makers
}

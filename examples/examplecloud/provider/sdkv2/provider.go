package sdkv2

import (
	"context"
	"fmt"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-mux/tf5muxserver"
	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/release"
)

// New makes the provider.
func New(r release.Release) *schema.Provider {
	return &schema.Provider{
		Schema: map[string]*schema.Schema{
			"endpoint": {Type: schema.TypeString, Optional: true, Description: "Address of the cloud. $EXAMPLECLOUD_ENDPOINT if not set."},
			"region": {
				Type: schema.TypeString, Optional: true,
				Description: "Region of objects that name none. $EXAMPLECLOUD_REGION, or us-east-1, if not set.",
			},
			"token": {
				Type: schema.TypeString, Optional: true, Sensitive: true,
				Description: "Token of the cloud. $EXAMPLECLOUD_TOKEN if not set.",
			},
		},
		ConfigureContextFunc: func(_ context.Context, d *schema.ResourceData) (any, diag.Diagnostics) {
			c, err := client.New(client.Config{
				Endpoint: orEnv(d, "endpoint", "EXAMPLECLOUD_ENDPOINT"),
				Region:   orEnv(d, "region", "EXAMPLECLOUD_REGION"),
				Token:    orEnv(d, "token", "EXAMPLECLOUD_TOKEN"),
			})
			return c, diag.FromErr(err)
		},
		DataSourcesMap: dataSources(),
		ResourcesMap: map[string]*schema.Resource{
			"examplecloud_thing":     resourceThing(),
			"examplecloud_datastore": resourceDatastore(),
			"examplecloud_ticket":    resourceTicket(),
			"examplecloud_alias":     resourceAlias(api.Aliases, true),
			"examplecloud_nickname":  resourceAlias(api.Nicknames, false),

			"examplecloud_volume":                 resourceVolume(r, r, api.Volumes, upgradeComplete),
			"examplecloud_volume_no_upgrader":     resourceVolume(r, r, api.VolumesNoUpgrader, nil),
			"examplecloud_volume_upgrade_gap":     resourceVolume(r, r, api.VolumesUpgradeGap, upgradeGap),
			"examplecloud_volume_upgrade_fails":   resourceVolume(r, r, api.VolumesUpgradeFails, upgradeFails),
			"examplecloud_volume_upgrade_invalid": resourceVolume(r, r, api.VolumesUpgradeInvalid, upgradeInvalid),
			"examplecloud_volume_upgrade_partial": resourceVolume(r, r, api.VolumesUpgradePartial, upgradePartial),
			"examplecloud_volume_same_state":      resourceVolume(r, release.V0, api.VolumesSameState, upgradeComplete),

			"examplecloud_id_import":       resourceIDImport(),
			"examplecloud_identity_import": resourceIdentityImport(),
			"examplecloud_no_import":       resourceNoImport(),
			"examplecloud_odd_import":      resourceOddImport(),

			"examplecloud_credential": resourceCredential(),
			"examplecloud_record":     resourceRecord(),
			"examplecloud_shapes":     resourceShapes(),
		},
	}
}

func orEnv(d *schema.ResourceData, attribute, name string) string {
	if value := d.Get(attribute).(string); value != "" {
		return value
	}
	return os.Getenv(name)
}

// Server is the provider with its list resources.
func Server(ctx context.Context, r release.Release) (tfprotov5.ProviderServer, error) {
	provider := New(r)
	mux, err := tf5muxserver.NewMuxServer(ctx,
		provider.GRPCProvider,
		providerserver.NewProtocol5(&listProvider{sdk: provider, release: r}),
	)
	if err != nil {
		return nil, fmt.Errorf("combine the provider with its list resources: %w", err)
	}
	return mux.ProviderServer(), nil
}

// PlainServer is the provider as the SDK alone serves it: without list resources,
// and without the capabilities that combining servers adds, such as planning a
// destruction.
func PlainServer(r release.Release) tfprotov5.ProviderServer {
	return New(r).GRPCProvider()
}

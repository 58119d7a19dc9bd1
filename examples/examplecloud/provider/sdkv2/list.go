package sdkv2

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	fwdiag "github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	listschema "github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/framework"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/release"
)

// listProvider is a provider of the framework with nothing but list resources, for
// the resource types of the SDK: it is served beside them.
type listProvider struct {
	sdk     *schema.Provider
	release release.Release
}

var _ provider.ProviderWithListResources = (*listProvider)(nil)

func (p *listProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "examplecloud"
	resp.Version = p.release.String()
}

func (p *listProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = framework.ConfigSchema()
}

func (p *listProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	resp.ListResourceData = framework.Configure(ctx, req, resp)
}

func (p *listProvider) Resources(context.Context) []func() resource.Resource       { return nil }
func (p *listProvider) DataSources(context.Context) []func() datasource.DataSource { return nil }

// entry is one object of a list.
type entry struct {
	name string
	take func(*schema.ResourceData) diag.Diagnostics
}

// lister lists the objects of one resource type.
type lister struct {
	typeName string
	filters  []string
	entries  func(ctx context.Context, c *client.Client, filter map[string]string) ([]entry, error)
}

func listing[T any](
	typeName string, collection api.Collection[T], filters []string, name func(T) string,
	take func(*schema.ResourceData, T) diag.Diagnostics,
) lister {
	return lister{typeName, filters, func(ctx context.Context, c *client.Client, filter map[string]string) ([]entry, error) {
		objects, err := client.List(ctx, c, collection, filter)
		if err != nil {
			return nil, err
		}
		entries := make([]entry, 0, len(objects))
		for _, object := range objects {
			entries = append(entries, entry{name(object), func(d *schema.ResourceData) diag.Diagnostics { return take(d, object) }})
		}
		return entries, nil
	}}
}

func (p *listProvider) listers() []lister {
	byName := []string{"name"}
	note := func(typeName string, collection api.Collection[api.Note]) lister {
		return listing(typeName, collection, byName, func(n api.Note) string { return n.Name },
			func(d *schema.ResourceData, n api.Note) diag.Diagnostics {
				d.SetId(n.ID)
				return append(set(d, map[string]any{"name": n.Name, "text": n.Text}), setIdentity(d, map[string]any{"id": n.ID})...)
			})
	}
	at := p.release
	volume := func(typeName string, collection api.Collection[api.Volume], state release.Release) lister {
		return listing(typeName, collection, byName, func(v api.Volume) string { return v.Name },
			func(d *schema.ResourceData, v api.Volume) diag.Diagnostics {
				d.SetId(v.ID)
				return append(
					set(d, map[string]any{"name": v.Name, sizeName(state): v.SizeGiB, "public": publicAs(state, v.Public)}),
					setIdentity(d, map[string]any{idName(at): v.ID, "public": publicAs(at, v.Public)})...)
			})
	}
	all := []lister{
		listing("examplecloud_thing", api.Things, []string{"region", "name"}, func(t api.Thing) string { return t.Name }, thingTake),
		listing("examplecloud_datastore", api.Datastores, []string{"hci_cluster_uuid", "cluster_info_id", "name"},
			func(s api.Datastore) string { return s.Name }, datastoreTake),
		listing("examplecloud_ticket", api.Tickets, []string{"title", "create_token"}, func(t api.Ticket) string { return t.Title }, ticketTake),
		listing("examplecloud_alias", api.Aliases, byName, func(a api.Alias) string { return a.Name }, aliasTake),
		listing("examplecloud_nickname", api.Nicknames, byName, func(a api.Alias) string { return a.Name }, aliasTake),
		listing("examplecloud_credential", api.Credentials, byName, func(c api.Credential) string { return c.Name }, credentialTake),
		note("examplecloud_identity_import", api.IdentityImports),
		note("examplecloud_no_import", api.NoImports),
	}
	if p.release.HasIdentity() {
		all = append(all,
			volume("examplecloud_volume", api.Volumes, at),
			volume("examplecloud_volume_no_upgrader", api.VolumesNoUpgrader, at),
			volume("examplecloud_volume_upgrade_gap", api.VolumesUpgradeGap, at),
			volume("examplecloud_volume_upgrade_fails", api.VolumesUpgradeFails, at),
			volume("examplecloud_volume_upgrade_invalid", api.VolumesUpgradeInvalid, at),
			volume("examplecloud_volume_upgrade_partial", api.VolumesUpgradePartial, at),
			volume("examplecloud_volume_same_state", api.VolumesSameState, release.V0),
		)
	}
	return all
}

func (p *listProvider) ListResources(context.Context) []func() list.ListResource {
	var makers []func() list.ListResource
	for _, l := range p.listers() {
		makers = append(makers, func() list.ListResource {
			return &listResource{lister: l, resource: p.sdk.ResourcesMap[l.typeName]}
		})
	}
	return makers
}

// listResource lists the objects of a resource type of the SDK.
type listResource struct {
	lister
	resource *schema.Resource
	client   *client.Client
}

var (
	_ list.ListResourceWithConfigure    = (*listResource)(nil)
	_ list.ListResourceWithRawV5Schemas = (*listResource)(nil)
)

func (l *listResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = l.typeName
}

func (l *listResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	if req.ProviderData == nil {
		return
	}
	c, ok := req.ProviderData.(*client.Client)
	if !ok {
		resp.Diagnostics.AddError("Unexpected provider data", fmt.Sprintf("got %T, want a client", req.ProviderData))
	}
	l.client = c
}

// RawV5Schemas tells the framework the schemas of the SDK's resource type.
func (l *listResource) RawV5Schemas(ctx context.Context, _ list.RawV5SchemaRequest, resp *list.RawV5SchemaResponse) {
	resp.ProtoV5Schema = l.resource.ProtoSchema(ctx)()
	resp.ProtoV5IdentitySchema = l.resource.ProtoIdentitySchema(ctx)()
}

func (l *listResource) ListResourceConfigSchema(
	_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse,
) {
	resp.Schema = listschema.Schema{Attributes: map[string]listschema.Attribute{}}
	for _, name := range l.filters {
		resp.Schema.Attributes[name] = listschema.StringAttribute{Optional: true, Description: "Lists only objects with this " + name + "."}
	}
}

func (l *listResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var diags fwdiag.Diagnostics
	filter := map[string]string{}
	for _, name := range l.filters {
		var value types.String
		diags.Append(req.Config.GetAttribute(ctx, path.Root(name), &value)...)
		if name == "cluster_info_id" {
			name = "cluster_info.id"
		}
		filter[name] = value.ValueString()
	}
	if diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	entries, err := l.entries(ctx, l.client, filter)
	if err != nil {
		diags.AddError("Cannot list", err.Error())
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	stream.Results = func(push func(list.ListResult) bool) {
		for i, e := range entries {
			if req.Limit > 0 && int64(i) >= req.Limit {
				return
			}
			result := req.NewListResult(ctx)
			result.DisplayName = e.name
			if err := l.fill(&result, e, req.IncludeResource); err != nil {
				result.Diagnostics.AddError("Cannot list "+e.name, err.Error())
			}
			if !push(result) {
				return
			}
		}
	}
}

// fill has the SDK write state and identity, as Read would, and takes them over.
func (l *listResource) fill(result *list.ListResult, e entry, withResource bool) error {
	d := l.resource.Data(nil)
	for _, diagnostic := range e.take(d) {
		if diagnostic.Severity == diag.Error {
			return fmt.Errorf("%s", diagnostic.Summary)
		}
	}
	identity, err := d.TfTypeIdentityState()
	if err != nil {
		return err
	}
	result.Identity.Raw = *identity
	if !withResource {
		return nil
	}
	state, err := d.TfTypeResourceState()
	if err != nil {
		return err
	}
	result.Resource.Raw = *state
	return nil
}

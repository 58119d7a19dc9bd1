package framework

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
)

// dataSource is what all data sources have in common. Each finds the one object of a name.
type dataSource struct {
	name   string // "record" of examplecloud_record
	client *client.Client
}

// Metadata implements datasource.DataSource.
func (d *dataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + d.name
}

// Configure implements datasource.DataSourceWithConfigure.
func (d *dataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	if req.ProviderData == nil {
		return // not configured yet: only the schema is wanted
	}
	c, ok := req.ProviderData.(*client.Client)
	if !ok {
		resp.Diagnostics.AddError("Unexpected provider data", fmt.Sprintf("got %T, want a client", req.ProviderData))
	}
	d.client = c
}

// recordData reads a record.
type recordData struct{ dataSource }

type recordDataModel struct {
	ID      types.String `tfsdk:"id"`
	Name    types.String `tfsdk:"name"`
	Address types.String `tfsdk:"address"`
	Value   types.String `tfsdk:"value"`
	Serial  types.String `tfsdk:"serial"`
	Ports   types.List   `tfsdk:"ports"`
}

// Schema implements datasource.DataSource.
func (d *recordData) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Description: "The record of a name.",
		Attributes: map[string]schema.Attribute{
			"id":      schema.StringAttribute{Computed: true},
			"name":    schema.StringAttribute{Required: true},
			"address": schema.StringAttribute{Computed: true},
			"value":   schema.StringAttribute{Computed: true},
			"serial":  schema.StringAttribute{Computed: true},
			"ports":   schema.ListAttribute{ElementType: types.Int64Type, Computed: true},
		},
	}
}

// Read implements datasource.DataSource.
func (d *recordData) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var data recordDataModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &data)...)
	if resp.Diagnostics.HasError() {
		return
	}
	found, err := client.Find(ctx, d.client, api.Records, map[string]string{"name": known(data.Name)})
	if err != nil {
		resp.Diagnostics.AddError("Cannot read examplecloud_record", err.Error())
		return
	}
	ports := make([]int64, len(found.Rules))
	for i, rule := range found.Rules {
		ports[i] = rule.Port
	}
	list, diags := types.ListValueFrom(ctx, types.Int64Type, ports)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(resp.State.Set(ctx, recordDataModel{
		ID: text(found.ID), Name: data.Name, Address: text(found.Address), Value: text(found.Value), Serial: text(found.Serial), Ports: list,
	})...)
}

// credentialData reads a credential, whose API key is sensitive. If a password is given, it must be
// that of the credential.
type credentialData struct{ dataSource }

type credentialDataModel struct {
	ID             types.String `tfsdk:"id"`
	Name           types.String `tfsdk:"name"`
	Password       types.String `tfsdk:"password"`
	PasswordSHA256 types.String `tfsdk:"password_sha256"`
	APIKey         types.String `tfsdk:"api_key"`
}

// Schema implements datasource.DataSource.
func (d *credentialData) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Description: "The credential of a name.",
		Attributes: map[string]schema.Attribute{
			"id":   schema.StringAttribute{Computed: true},
			"name": schema.StringAttribute{Required: true},
			"password": schema.StringAttribute{
				Optional: true, Sensitive: true, Description: "The read fails unless it is the password of " +
					"the credential.",
			},
			"password_sha256": schema.StringAttribute{Computed: true},
			"api_key":         schema.StringAttribute{Computed: true, Sensitive: true},
		},
	}
}

// Read implements datasource.DataSource.
func (d *credentialData) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var data credentialDataModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &data)...)
	if resp.Diagnostics.HasError() {
		return
	}
	found, err := client.Find(ctx, d.client, api.Credentials, map[string]string{"name": known(data.Name)})
	if err != nil {
		resp.Diagnostics.AddError("Cannot read examplecloud_credential", err.Error())
		return
	}
	if sum := sha256.Sum256([]byte(known(data.Password))); !data.Password.IsNull() && hex.EncodeToString(sum[:]) != found.PasswordSHA256 {
		resp.Diagnostics.AddAttributeError(path.Root("password"), "Wrong password",
			"The credential has another password than "+known(data.Password)+".")
		return
	}
	data.ID, data.PasswordSHA256, data.APIKey = text(found.ID), text(found.PasswordSHA256), text(found.APIKey)
	resp.Diagnostics.Append(resp.State.Set(ctx, data)...)
}

// DataSources implements provider.Provider.
func (p *Provider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		func() datasource.DataSource { return &recordData{dataSource{name: "record"}} },
		func() datasource.DataSource { return &credentialData{dataSource{name: "credential"}} },
	}
}

package cloud

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Framework5 and Framework6 are the provider by the framework.
func Framework5(c *Cloud, o Options, prefix string) tfprotov5.ProviderServer {
	return providerserver.NewProtocol5(&frameworkProvider{c, o, prefix})()
}

// Framework6 is Framework5 over protocol 6.
func Framework6(c *Cloud, o Options, prefix string) tfprotov6.ProviderServer {
	return providerserver.NewProtocol6(&frameworkProvider{c, o, prefix})()
}

type frameworkProvider struct {
	cloud   *Cloud
	options Options
	prefix  string
}

func (p *frameworkProvider) Metadata(_ context.Context, _ provider.MetadataRequest, r *provider.MetadataResponse) {
	r.TypeName = p.prefix
}
func (p *frameworkProvider) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {
}
func (p *frameworkProvider) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}
func (p *frameworkProvider) DataSources(context.Context) []func() datasource.DataSource { return nil }
func (p *frameworkProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource {
		r := &thing{cloud: p.cloud, options: p.options}
		if p.options.Upgraders {
			return &upgradableThing{r}
		}
		return r
	}}
}

// thing is cloud_thing.
type thing struct {
	cloud   *Cloud
	options Options
}

var (
	_ resource.ResourceWithIdentity        = (*thing)(nil)
	_ resource.ResourceWithImportState     = (*thing)(nil)
	_ resource.ResourceWithUpgradeState    = (*upgradableThing)(nil)
	_ resource.ResourceWithUpgradeIdentity = (*upgradableThing)(nil)
)

type model struct {
	ID       types.String `tfsdk:"id"`
	Name     types.String `tfsdk:"name"`
	Size     types.Int64  `tfsdk:"size"`
	Label    types.String `tfsdk:"label"`
	Token    types.String `tfsdk:"token"`
	Revision types.Int64  `tfsdk:"revision"`
}

func (r *thing) Metadata(_ context.Context, q resource.MetadataRequest, s *resource.MetadataResponse) {
	s.TypeName = q.ProviderTypeName + "_thing"
}

func (r *thing) Schema(_ context.Context, _ resource.SchemaRequest, s *resource.SchemaResponse) {
	s.Schema = schema.Schema{Version: r.options.SchemaVersion, Attributes: map[string]schema.Attribute{
		"id":       schema.StringAttribute{Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()}},
		"name":     schema.StringAttribute{Required: true, PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()}},
		"size":     schema.Int64Attribute{Optional: true},
		"label":    schema.StringAttribute{Optional: true, Computed: true},
		"token":    schema.StringAttribute{Optional: true, WriteOnly: true},
		"revision": schema.Int64Attribute{Computed: true},
	}}
}

func (r *thing) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, s *resource.IdentitySchemaResponse) {
	s.IdentitySchema = identityschema.Schema{Version: r.options.IdentityVersion, Attributes: map[string]identityschema.Attribute{
		"id": identityschema.StringAttribute{RequiredForImport: true},
	}}
}

func (m *model) set(o Object) {
	m.ID, m.Name, m.Label, m.Revision = types.StringValue(o.ID), types.StringValue(o.Name), types.StringValue(o.Label), types.Int64Value(o.Revision)
	if !m.Size.IsNull() || o.Size != 0 {
		m.Size = types.Int64Value(o.Size)
	}
	m.Token = types.StringNull()
}

func (r *thing) Create(ctx context.Context, q resource.CreateRequest, s *resource.CreateResponse) {
	var m, config model
	s.Diagnostics.Append(q.Plan.Get(ctx, &m)...)
	s.Diagnostics.Append(q.Config.Get(ctx, &config)...)
	if s.Diagnostics.HasError() {
		return
	}
	o := r.cloud.Put(Object{Name: m.Name.ValueString(), Label: m.Label.ValueString(), Size: m.Size.ValueInt64(), Token: config.Token.ValueString()})
	m.set(o)
	s.Diagnostics.Append(s.State.Set(ctx, &m)...)
	s.Diagnostics.Append(s.Identity.SetAttribute(ctx, path.Root("id"), o.IdentityID())...)
	if r.cloud.FailCreate {
		s.Diagnostics.AddError("create failed half-way", "")
	}
}

func (r *thing) Read(ctx context.Context, q resource.ReadRequest, s *resource.ReadResponse) {
	var m model
	s.Diagnostics.Append(q.State.Get(ctx, &m)...)
	if s.Diagnostics.HasError() {
		return
	}
	o, ok := r.cloud.Get(m.ID.ValueString())
	if !ok {
		s.State.RemoveResource(ctx)
		return
	}
	m.set(o)
	s.Diagnostics.Append(s.State.Set(ctx, &m)...)
	s.Diagnostics.Append(s.Identity.SetAttribute(ctx, path.Root("id"), o.IdentityID())...)
}

// Update says nothing of the identity, as many providers do.
func (r *thing) Update(ctx context.Context, q resource.UpdateRequest, s *resource.UpdateResponse) {
	var m, prior model
	s.Diagnostics.Append(q.Plan.Get(ctx, &m)...)
	s.Diagnostics.Append(q.State.Get(ctx, &prior)...)
	if s.Diagnostics.HasError() {
		return
	}
	if r.cloud.FailUpdate {
		s.Diagnostics.AddError("update failed", "")
		return
	}
	o, ok := r.cloud.Get(prior.ID.ValueString())
	if !ok {
		s.Diagnostics.AddError("no such thing", "")
		return
	}
	o.Label, o.Size = m.Label.ValueString(), m.Size.ValueInt64()
	m.set(r.cloud.Put(o))
	s.Diagnostics.Append(s.State.Set(ctx, &m)...)
}

func (r *thing) Delete(ctx context.Context, q resource.DeleteRequest, s *resource.DeleteResponse) {
	// The identity has to be there, as for providers that delete by it.
	var id types.String
	s.Diagnostics.Append(q.Identity.GetAttribute(ctx, path.Root("id"), &id)...)
	if r.cloud.FailDelete {
		s.Diagnostics.AddError("delete failed", "")
	}
	if s.Diagnostics.HasError() {
		return
	}
	r.cloud.Delete(id.ValueString())
}

func (r *thing) ImportState(ctx context.Context, q resource.ImportStateRequest, s *resource.ImportStateResponse) {
	resource.ImportStatePassthroughWithIdentity(ctx, path.Root("id"), path.Root("id"), q, s)
}

// upgradableThing is thing with upgraders from version 0.
type upgradableThing struct{ *thing }

func (r *upgradableThing) UpgradeState(context.Context) map[int64]resource.StateUpgrader {
	return map[int64]resource.StateUpgrader{0: {
		PriorSchema: &schema.Schema{Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{Computed: true}, "title": schema.StringAttribute{Required: true},
		}},
		StateUpgrader: func(ctx context.Context, q resource.UpgradeStateRequest, s *resource.UpgradeStateResponse) {
			var prior struct {
				ID    types.String `tfsdk:"id"`
				Title types.String `tfsdk:"title"`
			}
			s.Diagnostics.Append(q.State.Get(ctx, &prior)...)
			s.Diagnostics.Append(s.State.Set(ctx, &model{ID: prior.ID, Name: prior.Title})...)
		},
	}}
}

func (r *upgradableThing) UpgradeIdentity(context.Context) map[int64]resource.IdentityUpgrader {
	return map[int64]resource.IdentityUpgrader{0: {
		PriorSchema: &identityschema.Schema{Attributes: map[string]identityschema.Attribute{
			"key": identityschema.StringAttribute{RequiredForImport: true},
		}},
		IdentityUpgrader: func(ctx context.Context, q resource.UpgradeIdentityRequest, s *resource.UpgradeIdentityResponse) {
			var key types.String
			s.Diagnostics.Append(q.Identity.GetAttribute(ctx, path.Root("key"), &key)...)
			if key.ValueString() == "" {
				s.Diagnostics = append(s.Diagnostics, diag.NewErrorDiagnostic("no key", ""))
				return
			}
			s.Diagnostics.Append(s.Identity.Set(ctx, struct {
				ID types.String `tfsdk:"id"`
			}{key})...)
		},
	}}
}

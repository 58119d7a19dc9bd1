package framework

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
)

// thing is the plain case: the cloud assigns the id, and the provider's
// configuration has a default for the region.
type thing struct{ base }

var (
	_ resource.ResourceWithConfigure   = (*thing)(nil)
	_ resource.ResourceWithIdentity    = (*thing)(nil)
	_ resource.ResourceWithImportState = (*thing)(nil)
)

type thingModel struct {
	ID     types.String `tfsdk:"id"`
	Region types.String `tfsdk:"region"`
	Name   types.String `tfsdk:"name"`
	Size   types.Int64  `tfsdk:"size"`
	Tags   types.Map    `tfsdk:"tags"`
}

type thingIdentity struct {
	ID     types.String `tfsdk:"id"`
	Region types.String `tfsdk:"region"`
}

func (r *thing) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Description: "An object with an id that the cloud assigns.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()}},
			"region": schema.StringAttribute{
				Optional: true, Computed: true, Description: "Region it is in. That of the provider's configuration if not set.",
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown(), stringplanmodifier.RequiresReplace()},
			},
			"name": schema.StringAttribute{Required: true},
			"size": schema.Int64Attribute{Optional: true, Computed: true, Default: int64default.StaticInt64(1)},
			"tags": schema.MapAttribute{Optional: true, ElementType: types.StringType},
		},
	}
}

func (r *thing) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{
		Attributes: map[string]identityschema.Attribute{
			"id": identityschema.StringAttribute{RequiredForImport: true, Description: "Id of the thing."},
			"region": identityschema.StringAttribute{
				OptionalForImport: true,
				Description:       "Region of the thing. That of the provider's configuration if not set.",
			},
		},
	}
}

func (r *thing) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var data thingModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &data)...)
	if resp.Diagnostics.HasError() {
		return
	}
	tags := map[string]string{}
	resp.Diagnostics.Append(data.Tags.ElementsAs(ctx, &tags, false)...)
	region := firstOf(known(data.Region), r.client.Region)
	task, err := client.Begin(ctx, r.client, api.Things, api.Thing{
		Name: known(data.Name), Region: region, Size: data.Size.ValueInt64(), Tags: tags,
	})
	if err != nil {
		r.fail(&resp.Diagnostics, "create", err)
		return
	}
	// The id is known before the thing is there. State and identity are set before
	// polling: whatever happens from here on, the thing is not lost.
	data.ID, data.Region = types.StringValue(task.ObjectID), types.StringValue(region)
	resp.Diagnostics.Append(resp.State.Set(ctx, data)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, thingIdentity{ID: data.ID, Region: data.Region})...)
	if resp.Diagnostics.HasError() {
		return
	}
	made, err := client.Await(ctx, r.client, api.Things, task)
	if err != nil {
		r.fail(&resp.Diagnostics, "create", err)
		return
	}
	resp.Diagnostics.Append(data.take(ctx, made)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, data)...)
}

func (r *thing) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var data thingModel
	resp.Diagnostics.Append(req.State.Get(ctx, &data)...)
	if resp.Diagnostics.HasError() {
		return
	}
	made, err := client.Get(ctx, r.client, api.Things, known(data.ID), firstOf(known(data.Region), r.client.Region))
	if client.NotFound(err) {
		resp.State.RemoveResource(ctx)
		return
	}
	if err != nil {
		r.fail(&resp.Diagnostics, "read", err)
		return
	}
	resp.Diagnostics.Append(data.take(ctx, made)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, data)...)
	// Read completes the identity: whoever imported may have left out the region.
	resp.Diagnostics.Append(resp.Identity.Set(ctx, thingIdentityOf(made))...)
}

func (r *thing) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var data thingModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &data)...)
	if resp.Diagnostics.HasError() {
		return
	}
	tags := map[string]string{}
	resp.Diagnostics.Append(data.Tags.ElementsAs(ctx, &tags, false)...)
	made, err := client.Update(ctx, r.client, api.Things, known(data.ID), map[string]any{
		"name": known(data.Name), "size": data.Size.ValueInt64(), "tags": tags,
	})
	if err != nil {
		r.fail(&resp.Diagnostics, "update", err)
		return
	}
	// The identity cannot change; the framework keeps the one that there is.
	resp.Diagnostics.Append(data.take(ctx, made)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, data)...)
}

func (r *thing) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var data thingModel
	resp.Diagnostics.Append(req.State.Get(ctx, &data)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if err := client.Delete(ctx, r.client, api.Things, known(data.ID)); err != nil {
		r.fail(&resp.Diagnostics, "delete", err)
	}
}

// ImportState accepts an id, or an identity of which the region may be left out.
func (r *thing) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if req.ID != "" {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), req.ID)...)
		return
	}
	var identity thingIdentity
	resp.Diagnostics.Append(req.Identity.Get(ctx, &identity)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), identity.ID)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("region"), identity.Region)...)
}

func (m *thingModel) take(ctx context.Context, made api.Thing) diag.Diagnostics {
	m.ID, m.Region, m.Name, m.Size = text(made.ID), text(made.Region), text(made.Name), types.Int64Value(made.Size)
	if len(made.Tags) == 0 && m.Tags.IsNull() {
		m.Tags = types.MapNull(types.StringType)
		return nil
	}
	tags, diags := types.MapValueFrom(ctx, types.StringType, made.Tags)
	m.Tags = tags
	return diags
}

func (r *thing) filters() []string { return []string{"region", "name"} }

func (r *thing) list(ctx context.Context, filter map[string]string) ([]listed, error) {
	return listAll(ctx, r.client, api.Things, filter, func(made api.Thing) listed {
		var data thingModel
		diags := data.take(ctx, made)
		return listed{name: made.Name, identity: thingIdentityOf(made), state: data, diags: diags}
	})
}

func thingIdentityOf(made api.Thing) thingIdentity {
	return thingIdentity{ID: text(made.ID), Region: text(made.Region)}
}

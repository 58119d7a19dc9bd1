package framework

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
)

// record is written as many resources are, and not as they should be: what the cloud
// answers goes into the state as it is, and Create ends with a read. So the faults of
// a cloud come through.
type record struct{ base }

var (
	_ resource.ResourceWithIdentity    = (*record)(nil)
	_ resource.ResourceWithImportState = (*record)(nil)
)

type recordModel struct {
	ID        types.String `tfsdk:"id"`
	Name      types.String `tfsdk:"name"`
	Address   types.String `tfsdk:"address"`
	Value     types.String `tfsdk:"value"`
	Document  types.String `tfsdk:"document"`
	Lines     types.List   `tfsdk:"lines"`
	Rules     []ruleModel  `tfsdk:"rules"`
	Serial    types.String `tfsdk:"serial"`
	UpdatedAt types.String `tfsdk:"updated_at"`
}

type ruleModel struct {
	Port     types.Int64  `tfsdk:"port"`
	Protocol types.String `tfsdk:"protocol"`
}

func (r *record) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	keep := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	resp.Schema = schema.Schema{
		Description: "A named object whose provider passes on whatever the cloud answers.",
		Attributes: map[string]schema.Attribute{
			"id":         schema.StringAttribute{Computed: true, PlanModifiers: keep},
			"name":       schema.StringAttribute{Required: true},
			"address":    schema.StringAttribute{Optional: true, PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()}},
			"value":      schema.StringAttribute{Optional: true},
			"document":   schema.StringAttribute{Optional: true},
			"lines":      schema.ListAttribute{Optional: true, ElementType: types.StringType},
			"serial":     schema.StringAttribute{Computed: true, PlanModifiers: keep},
			"updated_at": schema.StringAttribute{Computed: true},
		},
		Blocks: map[string]schema.Block{
			"rules": schema.SetNestedBlock{NestedObject: schema.NestedBlockObject{Attributes: map[string]schema.Attribute{
				"port": schema.Int64Attribute{Required: true}, "protocol": schema.StringAttribute{Optional: true},
			}}},
		},
	}
}

func (r *record) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityByID()
}

func (r *record) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resource.ImportStatePassthroughWithIdentity(ctx, path.Root("id"), path.Root("id"), req, resp)
}

func (r *record) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var data recordModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &data)...)
	wanted := data.wanted(ctx, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	task, err := client.Begin(ctx, r.client, api.Records, wanted)
	if err != nil {
		r.fail(&resp.Diagnostics, "create", err)
		return
	}
	data.ID, data.Serial, data.UpdatedAt = types.StringValue(task.ObjectID), types.StringNull(), types.StringNull()
	resp.Diagnostics.Append(resp.State.Set(ctx, data)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, idIdentity{data.ID})...)
	if _, err := client.Wait(ctx, r.client, task); err != nil {
		r.fail(&resp.Diagnostics, "create", err)
		return
	}
	made, err := client.Get(ctx, r.client, api.Records, task.ObjectID, "")
	switch {
	case client.NotFound(err):
		resp.State.RemoveResource(ctx)
	case err != nil:
		// It is there: the next refresh completes it.
		resp.Diagnostics.AddWarning("Cannot read examplecloud_"+r.name, err.Error())
	default:
		r.keep(ctx, data, made, &resp.State, resp.Identity, &resp.Diagnostics)
	}
}

func (r *record) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var data recordModel
	resp.Diagnostics.Append(req.State.Get(ctx, &data)...)
	made, err := client.Get(ctx, r.client, api.Records, known(data.ID), "")
	switch {
	case client.NotFound(err):
		resp.State.RemoveResource(ctx)
	case err != nil:
		r.fail(&resp.Diagnostics, "read", err)
	default:
		r.keep(ctx, data, made, &resp.State, resp.Identity, &resp.Diagnostics)
	}
}

func (r *record) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var data recordModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &data)...)
	wanted := data.wanted(ctx, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	made, err := client.Update(ctx, r.client, api.Records, known(data.ID), map[string]any{
		"name": wanted.Name, "value": wanted.Value, "document": wanted.Document, "lines": wanted.Lines, "rules": wanted.Rules,
	})
	if err != nil {
		r.fail(&resp.Diagnostics, "update", err)
		return
	}
	r.keep(ctx, data, made, &resp.State, resp.Identity, &resp.Diagnostics)
}

func (r *record) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var data recordModel
	resp.Diagnostics.Append(req.State.Get(ctx, &data)...)
	if err := client.Delete(ctx, r.client, api.Records, known(data.ID)); err != nil {
		r.fail(&resp.Diagnostics, "delete", err)
	}
}

// keep puts what the cloud has answered into the state.
func (r *record) keep(
	ctx context.Context, data recordModel, made api.Record, state *tfsdk.State, identity *tfsdk.ResourceIdentity,
	diags *diag.Diagnostics,
) {
	data.ID, data.Name, data.Address = text(made.ID), text(made.Name), optionalText(data.Address, made.Address)
	data.Value, data.Document = optionalText(data.Value, made.Value), optionalText(data.Document, made.Document)
	data.Serial, data.UpdatedAt = text(made.Serial), text(made.UpdatedAt)
	if len(made.Lines) > 0 || !data.Lines.IsNull() {
		lines, more := types.ListValueFrom(ctx, types.StringType, made.Lines)
		diags.Append(more...)
		data.Lines = lines
	}
	data.Rules = nil
	for _, rule := range made.Rules {
		data.Rules = append(data.Rules, ruleModel{types.Int64Value(rule.Port), text(rule.Protocol)})
	}
	diags.Append(state.Set(ctx, data)...)
	diags.Append(identity.Set(ctx, idIdentity{data.ID})...)
}

func (m *recordModel) wanted(ctx context.Context, diags *diag.Diagnostics) api.Record {
	out := api.Record{Name: known(m.Name), Address: known(m.Address), Value: known(m.Value), Document: known(m.Document)}
	if !m.Lines.IsNull() && !m.Lines.IsUnknown() {
		diags.Append(m.Lines.ElementsAs(ctx, &out.Lines, false)...)
	}
	for _, rule := range m.Rules {
		out.Rules = append(out.Rules, api.Rule{Port: rule.Port.ValueInt64(), Protocol: known(rule.Protocol)})
	}
	return out
}

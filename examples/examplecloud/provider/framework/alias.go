package framework

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
)

// alias has a name for its identity, and the name can change. As nickname it lacks
// the declaration that it can: then every rename is an "Unexpected Identity Change".
type alias struct {
	base
	collection api.Collection[api.Alias]
	mutable    bool
}

var (
	_ resource.ResourceWithIdentity    = (*alias)(nil)
	_ resource.ResourceWithImportState = (*alias)(nil)
	_ resource.ResourceWithModifyPlan  = (*alias)(nil)
)

type aliasModel struct {
	ID           types.String `tfsdk:"id"`
	Name         types.String `tfsdk:"name"`
	Target       types.String `tfsdk:"target"`
	PlanIdentity types.Bool   `tfsdk:"plan_identity"`
}

type aliasIdentity struct {
	Name types.String `tfsdk:"name"`
}

func (r *alias) Metadata(ctx context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	r.base.Metadata(ctx, req, resp)
	resp.ResourceBehavior.MutableIdentity = r.mutable
}

func (r *alias) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Description: "A name for something else.",
		Attributes: map[string]schema.Attribute{
			"id":     schema.StringAttribute{Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()}},
			"name":   schema.StringAttribute{Required: true, Description: "Unique name. It can be changed."},
			"target": schema.StringAttribute{Optional: true},
			"plan_identity": schema.BoolAttribute{
				Optional: true, Description: "Whether a rename plans the new identity, or only its result has it.",
			},
		},
	}
}

func (r *alias) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{
		Attributes: map[string]identityschema.Attribute{"name": identityschema.StringAttribute{RequiredForImport: true}},
	}
}

func (r *alias) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	var data aliasModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &data)...)
	if data.PlanIdentity.ValueBool() && !data.Name.IsUnknown() {
		resp.Diagnostics.Append(resp.Identity.Set(ctx, aliasIdentity{data.Name})...)
	}
}

func (r *alias) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var data aliasModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &data)...)
	if resp.Diagnostics.HasError() {
		return
	}
	task, err := client.Begin(ctx, r.client, r.collection, api.Alias{Name: known(data.Name), Target: known(data.Target)})
	if err != nil {
		r.fail(&resp.Diagnostics, "create", err)
		return
	}
	data.ID = types.StringValue(task.ObjectID)
	resp.Diagnostics.Append(resp.State.Set(ctx, data)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, aliasIdentity{data.Name})...)
	if resp.Diagnostics.HasError() {
		return
	}
	if _, err := client.Await(ctx, r.client, r.collection, task); err != nil {
		r.fail(&resp.Diagnostics, "create", err)
	}
}

// Read finds the alias by its id, whatever it is called now, and after an import
// by identity by its name.
func (r *alias) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var data aliasModel
	resp.Diagnostics.Append(req.State.Get(ctx, &data)...)
	if resp.Diagnostics.HasError() {
		return
	}
	var made api.Alias
	var err error
	if data.ID.IsNull() {
		made, err = client.Find(ctx, r.client, r.collection, map[string]string{"name": known(data.Name)})
	} else {
		made, err = client.Get(ctx, r.client, r.collection, known(data.ID), "")
	}
	if client.NotFound(err) {
		resp.State.RemoveResource(ctx)
		return
	}
	if err != nil {
		r.fail(&resp.Diagnostics, "read", err)
		return
	}
	data.take(made)
	resp.Diagnostics.Append(resp.State.Set(ctx, data)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, aliasIdentity{data.Name})...)
}

func (r *alias) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var data aliasModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &data)...)
	if resp.Diagnostics.HasError() {
		return
	}
	made, err := client.Update(ctx, r.client, r.collection, known(data.ID), map[string]any{
		"name": known(data.Name), "target": known(data.Target),
	})
	if err != nil {
		r.fail(&resp.Diagnostics, "update", err)
		return
	}
	data.take(made)
	resp.Diagnostics.Append(resp.State.Set(ctx, data)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, aliasIdentity{data.Name})...)
}

func (r *alias) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var data aliasModel
	resp.Diagnostics.Append(req.State.Get(ctx, &data)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if err := client.Delete(ctx, r.client, r.collection, known(data.ID)); err != nil {
		r.fail(&resp.Diagnostics, "delete", err)
	}
}

// ImportState accepts the cloud's id, or the name as identity.
func (r *alias) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if req.ID != "" {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), req.ID)...)
		return
	}
	var identity aliasIdentity
	resp.Diagnostics.Append(req.Identity.Get(ctx, &identity)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("name"), identity.Name)...)
}

func (m *aliasModel) take(made api.Alias) {
	m.ID, m.Name, m.Target = text(made.ID), text(made.Name), optionalText(m.Target, made.Target)
}

func (r *alias) filters() []string { return []string{"name"} }

func (r *alias) list(ctx context.Context, filter map[string]string) ([]listed, error) {
	return listAll(ctx, r.client, r.collection, filter, func(made api.Alias) listed {
		var data aliasModel
		data.take(made)
		return listed{name: made.Name, identity: aliasIdentity{data.Name}, state: data}
	})
}

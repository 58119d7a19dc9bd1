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

// note is the simplest object; the types made of it differ in what they can import.
type note struct {
	base
	collection api.Collection[api.Note]
	// byIdentity finds the object by its identity alone, whatever the state says.
	byIdentity bool
}

// noteWithIdentity has an identity, but no import: examplecloud_no_import.
type noteWithIdentity struct{ note }

// idImport has no identity, and imports by id only: examplecloud_id_import.
type idImport struct{ note }

// identityImport imports by identity only, and finds its object by nothing else
// afterwards: examplecloud_identity_import.
type identityImport struct{ noteWithIdentity }

var (
	_ resource.ResourceWithIdentity    = (*noteWithIdentity)(nil)
	_ resource.ResourceWithImportState = (*idImport)(nil)
	_ resource.ResourceWithImportState = (*identityImport)(nil)
)

type noteModel struct {
	ID   types.String `tfsdk:"id"`
	Name types.String `tfsdk:"name"`
	Text types.String `tfsdk:"text"`
}

func (r *note) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Description: "A named text.",
		Attributes: map[string]schema.Attribute{
			"id":   schema.StringAttribute{Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()}},
			"name": schema.StringAttribute{Required: true},
			"text": schema.StringAttribute{Optional: true},
		},
	}
}

func (r *noteWithIdentity) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityByID()
}

func (r *idImport) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resource.ImportStatePassthroughID(ctx, path.Root("id"), req, resp)
}

// ImportState lets the identity through to Read and sets no state at all.
func (r *identityImport) ImportState(_ context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if req.ID != "" {
		resp.Diagnostics.AddError("Import by id is not supported", "Import examplecloud_"+r.name+" by its identity.")
	}
}

func (r *note) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var data noteModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &data)...)
	if resp.Diagnostics.HasError() {
		return
	}
	task, err := client.Begin(ctx, r.client, r.collection, api.Note{Name: known(data.Name), Text: known(data.Text)})
	if err != nil {
		r.fail(&resp.Diagnostics, "create", err)
		return
	}
	data.ID = types.StringValue(task.ObjectID)
	resp.Diagnostics.Append(resp.State.Set(ctx, data)...)
	if resp.Identity != nil {
		resp.Diagnostics.Append(resp.Identity.Set(ctx, idIdentity{data.ID})...)
	}
	if _, err := client.Await(ctx, r.client, r.collection, task); err != nil {
		r.fail(&resp.Diagnostics, "create", err)
	}
}

func (r *note) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var data noteModel
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &data)...)
	}
	// Right after an import by identity there may be nothing but the identity.
	r.find(ctx, &data, req.Identity, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	made, err := client.Get(ctx, r.client, r.collection, known(data.ID), "")
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
	if resp.Identity != nil {
		resp.Diagnostics.Append(resp.Identity.Set(ctx, idIdentity{data.ID})...)
	}
}

func (r *note) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var data noteModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &data)...)
	r.find(ctx, &data, req.Identity, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	made, err := client.Update(ctx, r.client, r.collection, known(data.ID), map[string]any{"name": known(data.Name), "text": known(data.Text)})
	if err != nil {
		r.fail(&resp.Diagnostics, "update", err)
		return
	}
	data.take(made)
	resp.Diagnostics.Append(resp.State.Set(ctx, data)...)
}

func (r *note) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var data noteModel
	resp.Diagnostics.Append(req.State.Get(ctx, &data)...)
	r.find(ctx, &data, req.Identity, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if err := client.Delete(ctx, r.client, r.collection, known(data.ID)); err != nil {
		r.fail(&resp.Diagnostics, "delete", err)
	}
}

// find takes the id from the identity where the type goes by that.
func (r *note) find(ctx context.Context, data *noteModel, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	if !r.byIdentity {
		return
	}
	data.ID = types.StringNull()
	if identity != nil && !identity.Raw.IsNull() {
		diags.Append(identity.GetAttribute(ctx, path.Root("id"), &data.ID)...)
	}
	if known(data.ID) == "" {
		diags.AddError("Missing identity", "examplecloud_"+r.name+" is found by its identity, and none was given.")
	}
}

func (m *noteModel) take(made api.Note) {
	m.ID, m.Name, m.Text = text(made.ID), text(made.Name), optionalText(m.Text, made.Text)
}

func (r *noteWithIdentity) filters() []string { return []string{"name"} }

func (r *noteWithIdentity) list(ctx context.Context, filter map[string]string) ([]listed, error) {
	return listAll(ctx, r.client, r.collection, filter, func(made api.Note) listed {
		var data noteModel
		data.take(made)
		return listed{name: made.Name, identity: idIdentity{data.ID}, state: data}
	})
}

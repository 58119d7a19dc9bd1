package framework

import (
	"context"
	"crypto/rand"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
)

// ticket has nothing unique that is known beforehand. A create token makes its
// creation idempotent. A token that the configuration gives holds across processes;
// one that the provider makes, only for repeats within one creation. It cannot be
// made while planning: a second plan of the same change would have another one.
type ticket struct{ base }

var (
	_ resource.ResourceWithIdentity    = (*ticket)(nil)
	_ resource.ResourceWithImportState = (*ticket)(nil)
)

type ticketModel struct {
	ID          types.String `tfsdk:"id"`
	Title       types.String `tfsdk:"title"`
	Body        types.String `tfsdk:"body"`
	Severity    types.String `tfsdk:"severity"`
	CreateToken types.String `tfsdk:"create_token"`
}

type idIdentity struct {
	ID types.String `tfsdk:"id"`
}

func (r *ticket) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Description: "An object whose names are not unique, created once per token.",
		Attributes: map[string]schema.Attribute{
			"id":       schema.StringAttribute{Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()}},
			"title":    schema.StringAttribute{Required: true},
			"body":     schema.StringAttribute{Optional: true},
			"severity": schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("normal")},
			"create_token": schema.StringAttribute{
				Optional: true, Computed: true, Description: "Two creations with the same token make one ticket. Made up if not set.",
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown(), stringplanmodifier.RequiresReplaceIfConfigured()},
			},
		},
	}
}

// identityByID is the identity schema of all types that have just an id.
func identityByID() identityschema.Schema {
	return identityschema.Schema{
		Attributes: map[string]identityschema.Attribute{"id": identityschema.StringAttribute{RequiredForImport: true}},
	}
}

func (r *ticket) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityByID()
}

func (r *ticket) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var data ticketModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &data)...)
	if resp.Diagnostics.HasError() {
		return
	}
	data.CreateToken = types.StringValue(firstOf(known(data.CreateToken), rand.Text()))
	task, err := client.BeginOnce(ctx, r.client, api.Tickets, api.Ticket{
		Title: known(data.Title), Body: known(data.Body), Severity: known(data.Severity), CreateToken: known(data.CreateToken),
	})
	if err != nil {
		r.fail(&resp.Diagnostics, "create", err)
		return
	}
	data.ID = types.StringValue(task.ObjectID)
	resp.Diagnostics.Append(resp.State.Set(ctx, data)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, idIdentity{data.ID})...)
	if resp.Diagnostics.HasError() {
		return
	}
	made, err := client.Await(ctx, r.client, api.Tickets, task)
	if err != nil {
		r.fail(&resp.Diagnostics, "create", err)
		return
	}
	data.take(made)
	resp.Diagnostics.Append(resp.State.Set(ctx, data)...)
}

func (r *ticket) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var data ticketModel
	resp.Diagnostics.Append(req.State.Get(ctx, &data)...)
	if resp.Diagnostics.HasError() {
		return
	}
	made, err := client.Get(ctx, r.client, api.Tickets, known(data.ID), "")
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
	resp.Diagnostics.Append(resp.Identity.Set(ctx, idIdentity{data.ID})...)
}

func (r *ticket) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var data ticketModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &data)...)
	if resp.Diagnostics.HasError() {
		return
	}
	made, err := client.Update(ctx, r.client, api.Tickets, known(data.ID), map[string]any{
		"title": known(data.Title), "body": known(data.Body), "severity": known(data.Severity),
	})
	if err != nil {
		r.fail(&resp.Diagnostics, "update", err)
		return
	}
	data.take(made)
	resp.Diagnostics.Append(resp.State.Set(ctx, data)...)
}

func (r *ticket) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var data ticketModel
	resp.Diagnostics.Append(req.State.Get(ctx, &data)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if err := client.Delete(ctx, r.client, api.Tickets, known(data.ID)); err != nil {
		r.fail(&resp.Diagnostics, "delete", err)
	}
}

// ImportState: the one attribute of the identity is the one of the state.
func (r *ticket) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resource.ImportStatePassthroughWithIdentity(ctx, path.Root("id"), path.Root("id"), req, resp)
}

func (m *ticketModel) take(made api.Ticket) {
	m.ID, m.Title, m.Severity = text(made.ID), text(made.Title), text(made.Severity)
	m.Body = optionalText(m.Body, made.Body)
	m.CreateToken = text(made.CreateToken)
}

func (r *ticket) filters() []string { return []string{"title", "create_token"} }

func (r *ticket) list(ctx context.Context, filter map[string]string) ([]listed, error) {
	return listAll(ctx, r.client, api.Tickets, filter, func(made api.Ticket) listed {
		var data ticketModel
		data.take(made)
		return listed{name: made.Title, identity: idIdentity{data.ID}, state: data}
	})
}

package framework

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
)

// credential has a sensitive argument, a write-only one, and a sensitive result.
type credential struct{ base }

var (
	_ resource.ResourceWithIdentity    = (*credential)(nil)
	_ resource.ResourceWithImportState = (*credential)(nil)
)

type credentialModel struct {
	ID              types.String `tfsdk:"id"`
	Name            types.String `tfsdk:"name"`
	Password        types.String `tfsdk:"password"`
	SecretWO        types.String `tfsdk:"secret_wo"`
	SecretWOVersion types.Int64  `tfsdk:"secret_wo_version"`
	PasswordSHA256  types.String `tfsdk:"password_sha256"`
	SecretSHA256    types.String `tfsdk:"secret_sha256"`
	APIKey          types.String `tfsdk:"api_key"`
}

func (r *credential) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	keep := []planmodifier.String{stringplanmodifier.UseStateForUnknown()}
	resp.Schema = schema.Schema{
		Description: "Secrets in and out.",
		Attributes: map[string]schema.Attribute{
			"id":       schema.StringAttribute{Computed: true, PlanModifiers: keep},
			"name":     schema.StringAttribute{Required: true},
			"password": schema.StringAttribute{Optional: true, Sensitive: true},
			"secret_wo": schema.StringAttribute{
				Optional: true, Sensitive: true, WriteOnly: true,
				Description: "Never stored. Sent on creation, and when secret_wo_version changes.",
			},
			"secret_wo_version": schema.Int64Attribute{Optional: true},
			"password_sha256":   schema.StringAttribute{Computed: true, Description: "Hexadecimal digest of the password that the cloud has."},
			"secret_sha256":     schema.StringAttribute{Computed: true, Description: "Hexadecimal digest of the secret that the cloud has."},
			"api_key":           schema.StringAttribute{Computed: true, Sensitive: true, PlanModifiers: keep},
		},
	}
}

func (r *credential) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityByID()
}

func (r *credential) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var data credentialModel
	var secret types.String
	resp.Diagnostics.Append(req.Plan.Get(ctx, &data)...)
	// What is write-only is in the configuration alone.
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("secret_wo"), &secret)...)
	if resp.Diagnostics.HasError() {
		return
	}
	task, err := client.Begin(ctx, r.client, api.Credentials, api.Credential{
		Name: known(data.Name), Password: known(data.Password), Secret: known(secret),
	})
	if err != nil {
		r.fail(&resp.Diagnostics, "create", err)
		return
	}
	data.ID = types.StringValue(task.ObjectID)
	data.PasswordSHA256, data.SecretSHA256, data.APIKey = types.StringNull(), types.StringNull(), types.StringNull()
	resp.Diagnostics.Append(resp.State.Set(ctx, data)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, idIdentity{data.ID})...)
	if resp.Diagnostics.HasError() {
		return
	}
	made, err := client.Await(ctx, r.client, api.Credentials, task)
	if err != nil {
		r.fail(&resp.Diagnostics, "create", err)
		return
	}
	data.take(made)
	resp.Diagnostics.Append(resp.State.Set(ctx, data)...)
}

func (r *credential) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var data credentialModel
	resp.Diagnostics.Append(req.State.Get(ctx, &data)...)
	if resp.Diagnostics.HasError() {
		return
	}
	made, err := client.Get(ctx, r.client, api.Credentials, known(data.ID), "")
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

func (r *credential) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var data, before credentialModel
	var secret types.String
	resp.Diagnostics.Append(req.Plan.Get(ctx, &data)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &before)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("secret_wo"), &secret)...)
	if resp.Diagnostics.HasError() {
		return
	}
	fields := map[string]any{"name": known(data.Name)}
	if !data.Password.Equal(before.Password) {
		fields["password"] = known(data.Password)
	}
	if !data.SecretWOVersion.Equal(before.SecretWOVersion) {
		fields["secret"] = known(secret)
	}
	made, err := client.Update(ctx, r.client, api.Credentials, known(data.ID), fields)
	if err != nil {
		r.fail(&resp.Diagnostics, "update", err)
		return
	}
	data.take(made)
	resp.Diagnostics.Append(resp.State.Set(ctx, data)...)
}

func (r *credential) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var data credentialModel
	resp.Diagnostics.Append(req.State.Get(ctx, &data)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if err := client.Delete(ctx, r.client, api.Credentials, known(data.ID)); err != nil {
		r.fail(&resp.Diagnostics, "delete", err)
	}
}

func (r *credential) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resource.ImportStatePassthroughWithIdentity(ctx, path.Root("id"), path.Root("id"), req, resp)
}

func (m *credentialModel) take(made api.Credential) {
	m.ID, m.Name, m.APIKey = text(made.ID), text(made.Name), text(made.APIKey)
	m.PasswordSHA256, m.SecretSHA256 = text(made.PasswordSHA256), text(made.SecretSHA256)
	m.SecretWO = types.StringNull()
}

func (r *credential) filters() []string { return []string{"name"} }

func (r *credential) list(ctx context.Context, filter map[string]string) ([]listed, error) {
	return listAll(ctx, r.client, api.Credentials, filter, func(made api.Credential) listed {
		var data credentialModel
		data.take(made)
		return listed{name: made.Name, identity: idIdentity{data.ID}, state: data}
	})
}

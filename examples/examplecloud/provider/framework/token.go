package framework

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
)

// token is a token of the cloud. It lasts until its lifetime has passed since it was opened or
// renewed, or until it is closed.
type token struct{ client *client.Client }

var (
	_ ephemeral.EphemeralResourceWithConfigure      = (*token)(nil)
	_ ephemeral.EphemeralResourceWithValidateConfig = (*token)(nil)
	_ ephemeral.EphemeralResourceWithRenew          = (*token)(nil)
	_ ephemeral.EphemeralResourceWithClose          = (*token)(nil)
)

// EphemeralResources are what is not stored.
func (p *Provider) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{func() ephemeral.EphemeralResource { return &token{} }}
}

type tokenModel struct {
	Name      types.String `tfsdk:"name"`
	Lifetime  types.String `tfsdk:"lifetime"`
	Renewable types.Bool   `tfsdk:"renewable"`
	ID        types.String `tfsdk:"id"`
	Secret    types.String `tfsdk:"secret"`
	ExpiresAt types.String `tfsdk:"expires_at"`
}

// tokenKey is the key of the private data, which is a keptToken.
const tokenKey = "token"

// keptToken is what renewing and closing need. The secret is not among it.
type keptToken struct {
	ID        string        `json:"id"`
	Lifetime  time.Duration `json:"lifetime"`
	Renewable bool          `json:"renewable"`
}

func (r *token) Metadata(_ context.Context, req ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_token"
}

func (r *token) Configure(_ context.Context, req ephemeral.ConfigureRequest, resp *ephemeral.ConfigureResponse) {
	if req.ProviderData == nil {
		return // not configured yet: only the schema is wanted
	}
	c, ok := req.ProviderData.(*client.Client)
	if !ok {
		resp.Diagnostics.AddError("Unexpected provider data", fmt.Sprintf("got %T, want a client", req.ProviderData))
	}
	r.client = c
}

func (r *token) Schema(_ context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	resp.Schema = schema.Schema{
		Description: "A token that lets its owner in, like the cloud's own.",
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{Required: true},
			"lifetime": schema.StringAttribute{
				Optional: true, Computed: true,
				Description: "How long it lasts after it was opened or renewed, such as 1m30s. One hour if not set.",
			},
			"renewable":  schema.BoolAttribute{Optional: true, Description: "Whether it can be renewed: yes if not set."},
			"id":         schema.StringAttribute{Computed: true},
			"secret":     schema.StringAttribute{Computed: true, Sensitive: true},
			"expires_at": schema.StringAttribute{Computed: true, Description: "When it expires unless it is renewed."},
		},
	}
}

func (r *token) ValidateConfig(ctx context.Context, req ephemeral.ValidateConfigRequest, resp *ephemeral.ValidateConfigResponse) {
	var data tokenModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &data)...)
	if resp.Diagnostics.HasError() || data.Lifetime.IsNull() || data.Lifetime.IsUnknown() {
		return
	}
	if d, err := time.ParseDuration(known(data.Lifetime)); err != nil || d <= 0 {
		resp.Diagnostics.AddAttributeError(path.Root("lifetime"), "Invalid lifetime", "A duration such as 1m30s is needed.")
	}
}

func (r *token) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	var data tokenModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &data)...)
	if resp.Diagnostics.HasError() {
		return
	}
	lifetime := time.Hour
	if !data.Lifetime.IsNull() {
		lifetime, _ = time.ParseDuration(known(data.Lifetime)) // was validated
	}
	task, err := client.Begin(ctx, r.client, api.Tokens, api.Token{Name: known(data.Name), Lifetime: api.Duration(lifetime)})
	if err != nil {
		resp.Diagnostics.AddError("Cannot open examplecloud_token", err.Error())
		return
	}
	made, err := client.Await(ctx, r.client, api.Tokens, task)
	if err != nil {
		// What is not returned is never closed.
		_ = client.Delete(ctx, r.client, api.Tokens, task.ObjectID) // the first error matters
		resp.Diagnostics.AddError("Cannot open examplecloud_token", err.Error())
		return
	}
	kept := keptToken{ID: made.ID, Lifetime: lifetime, Renewable: data.Renewable.IsNull() || data.Renewable.ValueBool()}
	data.ID, data.Secret, data.ExpiresAt = text(made.ID), text(made.Secret), text(made.ExpiresAt)
	if data.Lifetime.IsNull() {
		data.Lifetime = types.StringValue(lifetime.String())
	}
	resp.Diagnostics.Append(resp.Result.Set(ctx, data)...)
	encoded, err := json.Marshal(kept)
	if err != nil {
		resp.Diagnostics.AddError("Cannot open examplecloud_token", err.Error())
		return
	}
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, tokenKey, encoded)...)
	resp.RenewAt = kept.renewAt(made)
}

// renewAt is when the token has to be renewed: a fifth of its lifetime before it expires. One that
// cannot be renewed has the time as well, so that it is opened anew.
func (k keptToken) renewAt(made api.Token) time.Time {
	expires, err := time.Parse(time.RFC3339Nano, made.ExpiresAt)
	if err != nil {
		return time.Time{}
	}
	return expires.Add(-k.Lifetime / 5)
}

func (r *token) Renew(ctx context.Context, req ephemeral.RenewRequest, resp *ephemeral.RenewResponse) {
	kept := keptOf(ctx, req.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if !kept.Renewable {
		resp.Diagnostics.AddError("Cannot renew examplecloud_token", "It is not renewable.")
		return
	}
	made, err := client.Update(ctx, r.client, api.Tokens, kept.ID, map[string]any{"lifetime": api.Duration(kept.Lifetime)})
	if err != nil {
		resp.Diagnostics.AddError("Cannot renew examplecloud_token", err.Error())
		return
	}
	resp.RenewAt = kept.renewAt(made)
}

func (r *token) Close(ctx context.Context, req ephemeral.CloseRequest, resp *ephemeral.CloseResponse) {
	kept := keptOf(ctx, req.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if err := client.Delete(ctx, r.client, api.Tokens, kept.ID); err != nil {
		resp.Diagnostics.AddError("Cannot close examplecloud_token", err.Error())
	}
}

// keptOf is what Open has left.
func keptOf(ctx context.Context, private interface {
	GetKey(context.Context, string) ([]byte, diag.Diagnostics)
}, diags *diag.Diagnostics) (kept keptToken) {
	encoded, more := private.GetKey(ctx, tokenKey)
	diags.Append(more...)
	if diags.HasError() {
		return kept
	}
	if err := json.Unmarshal(encoded, &kept); err != nil {
		diags.AddError("Unexpected private data", err.Error())
	}
	return kept
}

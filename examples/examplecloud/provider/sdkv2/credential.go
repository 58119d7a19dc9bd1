package sdkv2

import (
	"context"

	"github.com/hashicorp/go-cty/cty"
	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
)

// resourceCredential has a sensitive argument, a write-only one, and a sensitive
// result.
func resourceCredential() *schema.Resource {
	return &schema.Resource{
		Description: "Secrets in and out.",
		Schema: map[string]*schema.Schema{
			"name":     {Type: schema.TypeString, Required: true},
			"password": {Type: schema.TypeString, Optional: true, Sensitive: true},
			"secret_wo": {
				Type: schema.TypeString, Optional: true, Sensitive: true, WriteOnly: true,
				Description: "Never stored. Sent on creation, and when secret_wo_version changes.",
			},
			"secret_wo_version": {Type: schema.TypeInt, Optional: true},
			"password_sha256":   {Type: schema.TypeString, Computed: true, Description: "Hexadecimal digest of the password that the cloud has."},
			"secret_sha256":     {Type: schema.TypeString, Computed: true, Description: "Hexadecimal digest of the secret that the cloud has."},
			"api_key":           {Type: schema.TypeString, Computed: true, Sensitive: true},
		},
		Identity: identityByID(),
		Importer: &schema.ResourceImporter{StateContext: schema.ImportStatePassthroughWithIdentity("id")},
		CreateContext: func(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
			c := clientOf(meta)
			secret, diags := writeOnly(d, "secret_wo")
			if diags.HasError() {
				return diags
			}
			task, err := client.Begin(ctx, c, api.Credentials, api.Credential{Name: get(d, "name"), Password: get(d, "password"), Secret: secret})
			if err != nil {
				return fail("create the credential", err)
			}
			d.SetId(task.ObjectID)
			if diags := setIdentity(d, map[string]any{"id": task.ObjectID}); diags.HasError() {
				return diags
			}
			made, err := client.Await(ctx, c, api.Credentials, task)
			if err != nil {
				return fail("create the credential", err)
			}
			return credentialTake(d, made)
		},
		ReadContext: func(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
			made, err := client.Get(ctx, clientOf(meta), api.Credentials, d.Id(), "")
			if client.NotFound(err) {
				d.SetId("")
				return nil
			}
			if err != nil {
				return fail("read the credential", err)
			}
			return credentialTake(d, made)
		},
		UpdateContext: func(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
			fields := map[string]any{"name": get(d, "name")}
			if d.HasChange("password") {
				fields["password"] = get(d, "password")
			}
			if d.HasChange("secret_wo_version") {
				secret, diags := writeOnly(d, "secret_wo")
				if diags.HasError() {
					return diags
				}
				fields["secret"] = secret
			}
			made, err := client.Update(ctx, clientOf(meta), api.Credentials, d.Id(), fields)
			if err != nil {
				return fail("update the credential", err)
			}
			return credentialTake(d, made)
		},
		DeleteContext: func(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
			if err := client.Delete(ctx, clientOf(meta), api.Credentials, d.Id()); err != nil {
				return fail("delete the credential", err)
			}
			return nil
		},
	}
}

// writeOnly reads a write-only argument, which is in the configuration alone.
func writeOnly(d *schema.ResourceData, name string) (string, diag.Diagnostics) {
	value, diags := d.GetRawConfigAt(cty.GetAttrPath(name))
	if diags.HasError() || value.IsNull() || !value.IsKnown() {
		return "", diags
	}
	return value.AsString(), nil
}

func credentialTake(d *schema.ResourceData, made api.Credential) diag.Diagnostics {
	d.SetId(made.ID)
	return append(set(d, map[string]any{
		"name": made.Name, "password_sha256": made.PasswordSHA256, "secret_sha256": made.SecretSHA256, "api_key": made.APIKey,
	}), setIdentity(d, map[string]any{"id": made.ID})...)
}

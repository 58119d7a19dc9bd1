package sdkv2

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
)

// dataSources are those of the provider. Each finds the one object of a name.
func dataSources() map[string]*schema.Resource {
	return map[string]*schema.Resource{"examplecloud_record": recordData(), "examplecloud_credential": credentialData()}
}

// recordData reads a record.
func recordData() *schema.Resource {
	return &schema.Resource{
		Description: "The record of a name.",
		Schema: map[string]*schema.Schema{
			"name":    {Type: schema.TypeString, Required: true},
			"address": {Type: schema.TypeString, Computed: true},
			"value":   {Type: schema.TypeString, Computed: true},
			"serial":  {Type: schema.TypeString, Computed: true},
			"ports":   {Type: schema.TypeList, Computed: true, Elem: &schema.Schema{Type: schema.TypeInt}},
		},
		ReadContext: func(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
			found, err := client.Find(ctx, clientOf(meta), api.Records, map[string]string{"name": get(d, "name")})
			if err != nil {
				return fail("read the record", err)
			}
			d.SetId(found.ID)
			ports := make([]any, len(found.Rules))
			for i, rule := range found.Rules {
				ports[i] = int(rule.Port)
			}
			return set(d, map[string]any{"address": found.Address, "value": found.Value, "serial": found.Serial, "ports": ports})
		},
	}
}

// credentialData reads a credential, whose API key is sensitive. If a password is given, it must be
// that of the credential.
func credentialData() *schema.Resource {
	return &schema.Resource{
		Description: "The credential of a name.",
		Schema: map[string]*schema.Schema{
			"name": {Type: schema.TypeString, Required: true},
			"password": {
				Type: schema.TypeString, Optional: true, Sensitive: true,
				Description: "The read fails unless it is the password of the credential.",
			},
			"password_sha256": {Type: schema.TypeString, Computed: true},
			"api_key":         {Type: schema.TypeString, Computed: true, Sensitive: true},
		},
		ReadContext: func(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
			found, err := client.Find(ctx, clientOf(meta), api.Credentials, map[string]string{"name": get(d, "name")})
			if err != nil {
				return fail("read the credential", err)
			}
			password := get(d, "password")
			if sum := sha256.Sum256([]byte(password)); password != "" && hex.EncodeToString(sum[:]) != found.PasswordSHA256 {
				return diag.Errorf("the credential has another password than %s", password)
			}
			d.SetId(found.ID)
			return set(d, map[string]any{"password_sha256": found.PasswordSHA256, "api_key": found.APIKey})
		},
	}
}

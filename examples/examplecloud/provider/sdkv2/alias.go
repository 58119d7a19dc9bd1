package sdkv2

import (
	"context"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
)

// resourceAlias has a name for its identity, and the name can change. As nickname it
// lacks the declaration that it can: then every rename is an "Unexpected Identity
// Change".
func resourceAlias(collection api.Collection[api.Alias], mutable bool) *schema.Resource {
	return &schema.Resource{
		Description: "A name for something else.",
		Schema: map[string]*schema.Schema{
			"name":   {Type: schema.TypeString, Required: true, Description: "Unique name. It can be changed."},
			"target": {Type: schema.TypeString, Optional: true},
			"plan_identity": {
				Type: schema.TypeBool, Optional: true,
				Description: "Whether a rename plans the new identity, or only its result has it.",
			},
		},
		Identity: &schema.ResourceIdentity{
			SchemaFunc: func() map[string]*schema.Schema {
				return map[string]*schema.Schema{"name": {Type: schema.TypeString, RequiredForImport: true}}
			},
		},
		ResourceBehavior: schema.ResourceBehavior{MutableIdentity: mutable},

		CustomizeDiff: func(_ context.Context, d *schema.ResourceDiff, _ any) error {
			if !d.Get("plan_identity").(bool) || !d.NewValueKnown("name") {
				return nil
			}
			identity, err := d.Identity()
			if err != nil {
				return err
			}
			return identity.Set("name", d.Get("name"))
		},
		CreateContext: func(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
			c := clientOf(meta)
			task, err := client.Begin(ctx, c, collection, api.Alias{Name: get(d, "name"), Target: get(d, "target")})
			if err != nil {
				return fail("create the alias", err)
			}
			d.SetId(task.ObjectID)
			if diags := setIdentity(d, map[string]any{"name": get(d, "name")}); diags.HasError() {
				return diags
			}
			made, err := client.Await(ctx, c, collection, task)
			if err != nil {
				return fail("create the alias", err)
			}
			return aliasTake(d, made)
		},
		// Read finds the alias by its id, whatever it is called now.
		ReadContext: func(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
			made, err := client.Get(ctx, clientOf(meta), collection, d.Id(), "")
			if client.NotFound(err) {
				d.SetId("")
				return nil
			}
			if err != nil {
				return fail("read the alias", err)
			}
			return aliasTake(d, made)
		},
		UpdateContext: func(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
			made, err := client.Update(ctx, clientOf(meta), collection, d.Id(), map[string]any{"name": get(d, "name"), "target": get(d, "target")})
			if err != nil {
				return fail("update the alias", err)
			}
			return aliasTake(d, made)
		},
		DeleteContext: func(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
			if err := client.Delete(ctx, clientOf(meta), collection, d.Id()); err != nil {
				return fail("delete the alias", err)
			}
			return nil
		},
		// Import accepts the cloud's id, or the name as identity. The SDK needs an id
		// in any case, so the name is looked up here already.
		Importer: &schema.ResourceImporter{
			StateContext: func(ctx context.Context, d *schema.ResourceData, meta any) ([]*schema.ResourceData, error) {
				if d.Id() != "" {
					return []*schema.ResourceData{d}, nil
				}
				identity, err := d.Identity()
				if err != nil {
					return nil, err
				}
				made, err := client.Find(ctx, clientOf(meta), collection, map[string]string{"name": identity.Get("name").(string)})
				if err != nil {
					return nil, err
				}
				d.SetId(made.ID)
				return []*schema.ResourceData{d}, nil
			},
		},
	}
}

func aliasTake(d *schema.ResourceData, made api.Alias) diag.Diagnostics {
	d.SetId(made.ID)
	return append(set(d, map[string]any{"name": made.Name, "target": made.Target}), setIdentity(d, map[string]any{"name": made.Name})...)
}

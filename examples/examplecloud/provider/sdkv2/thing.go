package sdkv2

import (
	"context"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
)

// resourceThing is the plain case: the cloud assigns the id, and the provider's
// configuration has a default for the region.
func resourceThing() *schema.Resource {
	return &schema.Resource{
		Description:   "An object with an id that the cloud assigns.",
		CreateContext: thingCreate,
		ReadContext:   thingRead,
		UpdateContext: thingUpdate,
		DeleteContext: thingDelete,
		Schema: map[string]*schema.Schema{
			"region": {
				Type: schema.TypeString, Optional: true, Computed: true, ForceNew: true,
				Description: "Region it is in. That of the provider's configuration if not set.",
			},
			"name": {Type: schema.TypeString, Required: true},
			"size": {Type: schema.TypeInt, Optional: true, Default: 1},
			"tags": {Type: schema.TypeMap, Optional: true, Elem: &schema.Schema{Type: schema.TypeString}},
		},
		Identity: &schema.ResourceIdentity{
			SchemaFunc: func() map[string]*schema.Schema {
				return map[string]*schema.Schema{
					"id": {Type: schema.TypeString, RequiredForImport: true, Description: "Id of the thing."},
					"region": {
						Type: schema.TypeString, OptionalForImport: true,
						Description: "Region of the thing. That of the provider's configuration if not set.",
					},
				}
			},
		},
		Importer: &schema.ResourceImporter{StateContext: thingImport},
	}
}

func thingCreate(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	c := clientOf(meta)
	region := firstOf(get(d, "region"), c.Region)
	task, err := client.Begin(ctx, c, api.Things, api.Thing{
		Name: get(d, "name"), Region: region, Size: int64(d.Get("size").(int)), Tags: stringMap(d.Get("tags")),
	})
	if err != nil {
		return fail("create the thing", err)
	}
	// The id is known before the thing is there. Id and identity are set before
	// polling: whatever happens from here on, the thing is not lost.
	d.SetId(task.ObjectID)
	if diags := setIdentity(d, map[string]any{"id": task.ObjectID, "region": region}); diags.HasError() {
		return diags
	}
	if diags := set(d, map[string]any{"region": region}); diags.HasError() {
		return diags
	}
	made, err := client.Await(ctx, c, api.Things, task)
	if err != nil {
		return fail("create the thing", err)
	}
	return thingTake(d, made)
}

func thingRead(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	c := clientOf(meta)
	made, err := client.Get(ctx, c, api.Things, d.Id(), firstOf(get(d, "region"), c.Region))
	if client.NotFound(err) {
		d.SetId("")
		return nil
	}
	if err != nil {
		return fail("read the thing", err)
	}
	// Read completes the identity: whoever imported may have left out the region.
	return thingTake(d, made)
}

func thingUpdate(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	made, err := client.Update(ctx, clientOf(meta), api.Things, d.Id(), map[string]any{
		"name": get(d, "name"), "size": d.Get("size"), "tags": stringMap(d.Get("tags")),
	})
	if err != nil {
		return fail("update the thing", err)
	}
	return thingTake(d, made)
}

func thingDelete(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	if err := client.Delete(ctx, clientOf(meta), api.Things, d.Id()); err != nil {
		return fail("delete the thing", err)
	}
	return nil
}

// thingImport accepts an id, or an identity of which the region may be left out.
func thingImport(_ context.Context, d *schema.ResourceData, _ any) ([]*schema.ResourceData, error) {
	if d.Id() != "" {
		return []*schema.ResourceData{d}, nil
	}
	identity, err := d.Identity()
	if err != nil {
		return nil, err
	}
	// The SDK needs an id in any case; other attributes are what Read needs.
	d.SetId(identity.Get("id").(string))
	if region, ok := identity.GetOk("region"); ok {
		if err := d.Set("region", region); err != nil {
			return nil, err
		}
	}
	return []*schema.ResourceData{d}, nil
}

func thingTake(d *schema.ResourceData, made api.Thing) diag.Diagnostics {
	d.SetId(made.ID)
	if diags := set(d, map[string]any{"region": made.Region, "name": made.Name, "size": made.Size, "tags": made.Tags}); diags.HasError() {
		return diags
	}
	return setIdentity(d, map[string]any{"id": made.ID, "region": made.Region})
}

package cloud

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/go-cty/cty"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

// SDK is the provider by the legacy plugin SDK. Its resource types are prefixed, so that it
// can be muxed with the framework's.
func SDK(c *Cloud, o Options, prefix string) tfprotov5.ProviderServer {
	return schema.NewGRPCProviderServer(&schema.Provider{ResourcesMap: map[string]*schema.Resource{
		prefix + "_thing":  sdkThing(c, o),
		prefix + "_legacy": sdkLegacy(c),
	}})
}

func sdkThing(c *Cloud, o Options) *schema.Resource {
	r := &schema.Resource{
		SchemaVersion: int(o.SchemaVersion),
		Schema: map[string]*schema.Schema{
			"name":     {Type: schema.TypeString, Required: true, ForceNew: true},
			"size":     {Type: schema.TypeInt, Optional: true},
			"label":    {Type: schema.TypeString, Optional: true, Computed: true},
			"token":    {Type: schema.TypeString, Optional: true, WriteOnly: true},
			"revision": {Type: schema.TypeInt, Computed: true},
		},
		Timeouts: &schema.ResourceTimeout{
			Create: schema.DefaultTimeout(3 * time.Minute),
			Read:   schema.DefaultTimeout(2 * time.Minute),
			Delete: schema.DefaultTimeout(7 * time.Minute),
		},
		Identity: &schema.ResourceIdentity{
			Version: o.IdentityVersion,
			SchemaFunc: func() map[string]*schema.Schema {
				return map[string]*schema.Schema{"id": {Type: schema.TypeString, RequiredForImport: true}}
			},
		},
		Importer: &schema.ResourceImporter{StateContext: schema.ImportStatePassthroughWithIdentity("id")},
		CreateContext: func(_ context.Context, d *schema.ResourceData, _ any) diag.Diagnostics {
			token, diags := d.GetRawConfigAt(cty.GetAttrPath("token"))
			if diags.HasError() {
				return diags
			}
			object := Object{Name: d.Get("name").(string), Label: d.Get("label").(string), Size: int64(d.Get("size").(int))}
			if !token.IsNull() {
				object.Token = token.AsString()
			}
			object = c.Put(object)
			if err := sdkSet(d, object); err != nil {
				return diag.FromErr(err)
			}
			if c.FailCreate {
				return diag.Errorf("create failed half-way")
			}
			return nil
		},
		ReadContext: func(_ context.Context, d *schema.ResourceData, _ any) diag.Diagnostics {
			object, ok := c.Get(d.Id())
			if !ok {
				d.SetId("")
				return nil
			}
			return diag.FromErr(sdkSet(d, object))
		},
		UpdateContext: func(_ context.Context, d *schema.ResourceData, _ any) diag.Diagnostics {
			if c.FailUpdate {
				return diag.Errorf("update failed")
			}
			object, ok := c.Get(d.Id())
			if !ok {
				return diag.Errorf("no such thing")
			}
			object.Label, object.Size = d.Get("label").(string), int64(d.Get("size").(int))
			return diag.FromErr(sdkSet(d, c.Put(object)))
		},
		DeleteContext: func(_ context.Context, d *schema.ResourceData, _ any) diag.Diagnostics {
			if c.FailDelete {
				return diag.Errorf("delete failed")
			}
			c.Delete(d.Id())
			return nil
		},
	}
	if o.Upgraders {
		r.StateUpgraders = []schema.StateUpgrader{{
			Version: 0,
			Type:    cty.Object(map[string]cty.Type{"id": cty.String, "title": cty.String}),
			Upgrade: func(_ context.Context, raw map[string]any, _ any) (map[string]any, error) {
				return map[string]any{"id": raw["id"], "name": raw["title"]}, nil
			},
		}}
		r.Identity.IdentityUpgraders = []schema.IdentityUpgrader{{
			Version: 0,
			Type:    tftypes.Object{AttributeTypes: map[string]tftypes.Type{"key": tftypes.String}},
			Upgrade: func(_ context.Context, raw map[string]any, _ any) (map[string]any, error) {
				if raw["key"] == "" {
					return nil, errors.New("no key")
				}
				return map[string]any{"id": raw["key"]}, nil
			},
		}}
	}
	return r
}

func sdkSet(d *schema.ResourceData, o Object) error {
	d.SetId(o.ID)
	identity, err := d.Identity()
	if err != nil {
		return err
	}
	return errors.Join(
		d.Set("name", o.Name), d.Set("label", o.Label), d.Set("size", o.Size), d.Set("revision", o.Revision),
		identity.Set("id", o.IdentityID()),
	)
}

// sdkLegacy has an optional and computed list block, a list attribute and a timeouts block.
func sdkLegacy(c *Cloud) *schema.Resource {
	set := func(d *schema.ResourceData, o Object) diag.Diagnostics {
		d.SetId(o.ID)
		if len(d.Get("rule").([]any)) == 0 {
			return diag.FromErr(d.Set("rule", []any{map[string]any{"port": 80}}))
		}
		return nil
	}
	return &schema.Resource{
		Schema: map[string]*schema.Schema{
			"name":  {Type: schema.TypeString, Optional: true},
			"zones": {Type: schema.TypeList, Optional: true, Elem: &schema.Schema{Type: schema.TypeString}},
			"rule": {Type: schema.TypeList, Optional: true, Computed: true, Elem: &schema.Resource{Schema: map[string]*schema.Schema{
				"port": {Type: schema.TypeInt, Optional: true},
			}}},
		},
		Timeouts: &schema.ResourceTimeout{Create: schema.DefaultTimeout(time.Minute), Delete: schema.DefaultTimeout(time.Minute)},
		CreateContext: func(_ context.Context, d *schema.ResourceData, _ any) diag.Diagnostics {
			return set(d, c.Put(Object{Name: d.Get("name").(string)}))
		},
		ReadContext: func(_ context.Context, d *schema.ResourceData, _ any) diag.Diagnostics {
			object, ok := c.Get(d.Id())
			if !ok {
				d.SetId("")
				return nil
			}
			return set(d, object)
		},
		UpdateContext: func(_ context.Context, d *schema.ResourceData, _ any) diag.Diagnostics {
			object, _ := c.Get(d.Id())
			object.Name = d.Get("name").(string)
			return set(d, c.Put(object))
		},
		DeleteContext: func(_ context.Context, d *schema.ResourceData, _ any) diag.Diagnostics {
			c.Delete(d.Id())
			return nil
		},
	}
}

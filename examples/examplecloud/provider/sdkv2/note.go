package sdkv2

import (
	"context"
	"errors"
	"strings"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
)

// resourceNote is the simplest object; the types made of it differ in what they can
// import.
func resourceNote(collection api.Collection[api.Note]) *schema.Resource {
	return resourceNoteBy(collection, func(d *schema.ResourceData) (string, error) { return d.Id(), nil })
}

// resourceNoteBy is a note that is found by the id that idOf tells.
func resourceNoteBy(collection api.Collection[api.Note], idOf func(*schema.ResourceData) (string, error)) *schema.Resource {
	var r *schema.Resource
	take := func(d *schema.ResourceData, made api.Note) diag.Diagnostics {
		d.SetId(made.ID)
		diags := set(d, map[string]any{"name": made.Name, "text": made.Text})
		if r.Identity != nil {
			diags = append(diags, setIdentity(d, map[string]any{"id": made.ID})...)
		}
		return diags
	}
	r = &schema.Resource{
		Description: "A named text.",
		Schema: map[string]*schema.Schema{
			"name": {Type: schema.TypeString, Required: true},
			"text": {Type: schema.TypeString, Optional: true},
		},
		CreateContext: func(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
			c := clientOf(meta)
			wanted := api.Note{Name: get(d, "name"), Text: get(d, "text")}
			task, err := client.Begin(ctx, c, collection, wanted)
			if err != nil {
				return fail("create the note", err)
			}
			wanted.ID = task.ObjectID
			if diags := take(d, wanted); diags.HasError() {
				return diags
			}
			if _, err := client.Await(ctx, c, collection, task); err != nil {
				return fail("create the note", err)
			}
			return nil
		},
		ReadContext: func(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
			id, err := idOf(d)
			if err != nil {
				return fail("read the note", err)
			}
			made, err := client.Get(ctx, clientOf(meta), collection, id, "")
			if client.NotFound(err) {
				d.SetId("")
				return nil
			}
			if err != nil {
				return fail("read the note", err)
			}
			return take(d, made)
		},
		UpdateContext: func(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
			id, err := idOf(d)
			if err != nil {
				return fail("update the note", err)
			}
			made, err := client.Update(ctx, clientOf(meta), collection, id, map[string]any{"name": get(d, "name"), "text": get(d, "text")})
			if err != nil {
				return fail("update the note", err)
			}
			return take(d, made)
		},
		DeleteContext: func(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
			id, err := idOf(d)
			if err == nil {
				err = client.Delete(ctx, clientOf(meta), collection, id)
			}
			if err != nil {
				return fail("delete the note", err)
			}
			return nil
		},
	}
	return r
}

// resourceIDImport has no identity, and imports by id only.
func resourceIDImport() *schema.Resource {
	r := resourceNote(api.IDImports)
	r.Importer = &schema.ResourceImporter{StateContext: schema.ImportStatePassthroughContext}
	return r
}

// resourceIdentityImport imports by identity only, and finds its object by nothing
// else afterwards.
func resourceIdentityImport() *schema.Resource {
	r := resourceNoteBy(api.IdentityImports, func(d *schema.ResourceData) (string, error) {
		identity, err := d.Identity()
		if err != nil {
			return "", err
		}
		id, _ := identity.Get("id").(string)
		if id == "" {
			return "", errors.New("it is found by its identity, and none was given")
		}
		return id, nil
	})
	r.Identity = identityByID()
	passThrough := schema.ImportStatePassthroughWithIdentity("id")
	r.Importer = &schema.ResourceImporter{
		StateContext: func(ctx context.Context, d *schema.ResourceData, meta any) ([]*schema.ResourceData, error) {
			if d.Id() != "" {
				return nil, errors.New("import by id is not supported: import examplecloud_identity_import by its identity")
			}
			return passThrough(ctx, d, meta)
		},
	}
	return r
}

// resourceNoImport has an identity, but no import.
func resourceNoImport() *schema.Resource {
	r := resourceNote(api.NoImports)
	r.Identity = identityByID()
	return r
}

// resourceOddImport does with some ids what importers may do, and hardly any does:
//
//	none          no object
//	several:a,b   one object for each id
//	other:a       an object of another type, examplecloud_id_import
//
// With all other ids, and by identity, it imports as others do.
func resourceOddImport() *schema.Resource {
	r := resourceNote(api.OddImports)
	r.Identity = identityByID()
	passThrough := schema.ImportStatePassthroughWithIdentity("id")
	r.Importer = &schema.ResourceImporter{
		StateContext: func(ctx context.Context, d *schema.ResourceData, meta any) ([]*schema.ResourceData, error) {
			how, ids, _ := strings.Cut(d.Id(), ":")
			switch how {
			case "none":
				return nil, nil
			case "several":
				var all []*schema.ResourceData
				for id := range strings.SplitSeq(ids, ",") {
					one := r.Data(nil)
					one.SetType("examplecloud_odd_import")
					one.SetId(id)
					all = append(all, one)
				}
				return all, nil
			case "other":
				other := resourceIDImport().Data(nil)
				other.SetType("examplecloud_id_import")
				other.SetId(ids)
				return []*schema.ResourceData{other}, nil
			}
			return passThrough(ctx, d, meta)
		},
	}
	return r
}

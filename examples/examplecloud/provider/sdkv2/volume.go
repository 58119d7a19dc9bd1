package sdkv2

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/hashicorp/go-cty/cty"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/release"
)

// resourceVolume is the same object in every release of the provider, and each
// release writes its state and identity in its own way:
//
//	release  state                               identity
//	before   id, name, size,     public (bool)   none
//	0        id, name, size,     public (bool)   id,        public (bool)
//	1        id, name, size,     public (string) id,        public (string)
//	2        id, name, size_gib, public (string) volume_id, public (string)
//
// The identity is at one release, and the state may be at another: of one type only the identity
// has a history.
func resourceVolume(
	at, state release.Release, collection api.Collection[api.Volume],
	upgraders func(release.Release) []schema.IdentityUpgrader,
) *schema.Resource {
	take := func(d *schema.ResourceData, made api.Volume) diag.Diagnostics {
		d.SetId(made.ID)
		diags := set(d, map[string]any{"name": made.Name, sizeName(state): made.SizeGiB, "public": publicAs(state, made.Public)})
		if at.HasIdentity() {
			diags = append(diags, setIdentity(d, map[string]any{idName(at): made.ID, "public": publicAs(at, made.Public)})...)
		}
		return diags
	}
	r := &schema.Resource{
		Description:    "An object whose schemas have a history.",
		SchemaVersion:  int(state.Version()),
		Schema:         volumeSchema(state),
		StateUpgraders: volumeStateUpgraders(state),
		// The cloud is asked for the volume if its size changes, as providers do that check a plan
		// against what exists.
		CustomizeDiff: func(ctx context.Context, d *schema.ResourceDiff, meta any) error {
			c, configured := meta.(*client.Client)
			if !configured || d.Id() == "" || !d.HasChange(sizeName(state)) {
				return nil
			}
			name, _ := d.GetChange("name")
			_, err := client.List(ctx, c, collection, map[string]string{"name": name.(string)})
			return err
		},
		CreateContext: func(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
			c := clientOf(meta)
			public, err := isPublic(d.Get("public"))
			if err != nil {
				return diag.FromErr(err)
			}
			wanted := api.Volume{Name: get(d, "name"), SizeGiB: int64(d.Get(sizeName(state)).(int)), Public: public}
			task, err := client.Begin(ctx, c, collection, wanted)
			if err != nil {
				return fail("create the volume", err)
			}
			wanted.ID = task.ObjectID
			if diags := take(d, wanted); diags.HasError() {
				return diags
			}
			made, err := client.Await(ctx, c, collection, task)
			if err != nil {
				return fail("create the volume", err)
			}
			return take(d, made)
		},
		ReadContext: func(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
			made, err := client.Get(ctx, clientOf(meta), collection, d.Id(), "")
			if client.NotFound(err) {
				d.SetId("")
				return nil
			}
			if err != nil {
				return fail("read the volume", err)
			}
			return take(d, made)
		},
		UpdateContext: func(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
			made, err := client.Update(ctx, clientOf(meta), collection, d.Id(), map[string]any{
				"name": get(d, "name"), "size_gib": d.Get(sizeName(state)),
			})
			if err != nil {
				return fail("update the volume", err)
			}
			return take(d, made)
		},
		DeleteContext: func(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
			if err := client.Delete(ctx, clientOf(meta), collection, d.Id()); err != nil {
				return fail("delete the volume", err)
			}
			return nil
		},
		Importer: &schema.ResourceImporter{StateContext: schema.ImportStatePassthroughContext},
	}
	if !at.HasIdentity() {
		return r
	}
	r.Importer.StateContext = schema.ImportStatePassthroughWithIdentity(idName(at))
	r.Identity = &schema.ResourceIdentity{
		Version: at.Version(),
		SchemaFunc: func() map[string]*schema.Schema {
			s := map[string]*schema.Schema{
				idName(at): {Type: schema.TypeString, RequiredForImport: true},
				"public":   {Type: publicType(at), OptionalForImport: at != release.Mistaken},
			}
			if at == release.Mistaken && collection == api.VolumesSameState {
				// Identities have primitive types and lists of them only, and the framework has no
				// others.
				s["labels"] = &schema.Schema{Type: schema.TypeMap, OptionalForImport: true, Elem: &schema.Schema{Type: schema.TypeString}}
				s["public"].OptionalForImport = true
			}
			return s
		},
	}
	if upgraders != nil {
		r.Identity.IdentityUpgraders = upgraders(at)
	}
	return r
}

func volumeSchema(at release.Release) map[string]*schema.Schema {
	return map[string]*schema.Schema{
		"name":       {Type: schema.TypeString, Required: true},
		sizeName(at): {Type: schema.TypeInt, Optional: true, Default: 1},
		"public":     {Type: publicType(at), Optional: true, ForceNew: true, Default: publicAs(at, false)},
	}
}

func sizeName(at release.Release) string {
	if at >= release.V2 {
		return "size_gib"
	}
	return "size"
}

func idName(at release.Release) string {
	if at >= release.V2 {
		return "volume_id"
	}
	return "id"
}

func publicType(at release.Release) schema.ValueType {
	if at >= release.V1 {
		return schema.TypeString
	}
	return schema.TypeBool
}

// publicAs is the value of public as a release writes it.
func publicAs(at release.Release, public bool) any {
	if at >= release.V1 {
		return strconv.FormatBool(public)
	}
	return public
}

func isPublic(value any) (bool, error) {
	switch value := value.(type) {
	case bool:
		return value, nil
	case string:
		public, err := strconv.ParseBool(value)
		if err != nil {
			return false, fmt.Errorf(`public is "true" or "false", not %q`, value)
		}
		return public, nil
	}
	return false, fmt.Errorf("public is a %T", value)
}

// configured is for upgraders, which may ask the cloud. These do not, but others would:
// whoever forgets to configure the provider before an upgrade is told here.
func configured(meta any) error {
	if _, ok := meta.(*client.Client); !ok {
		return errors.New("the provider is not configured: identities are upgraded by a configured provider")
	}
	return nil
}

// volumeIdentityUpgraders upgrade by one version each: the SDK chains them.
func volumeIdentityUpgraders() []schema.IdentityUpgrader {
	return []schema.IdentityUpgrader{
		{
			Version: 0,
			Type:    tftypes.Object{AttributeTypes: map[string]tftypes.Type{"id": tftypes.String, "public": tftypes.Bool}},
			Upgrade: func(_ context.Context, identity map[string]any, meta any) (map[string]any, error) {
				if err := configured(meta); err != nil {
					return nil, err
				}
				if public, ok := identity["public"].(bool); ok {
					identity["public"] = strconv.FormatBool(public)
				}
				return identity, nil
			},
		},
		{
			Version: 1,
			Type:    tftypes.Object{AttributeTypes: map[string]tftypes.Type{"id": tftypes.String, "public": tftypes.String}},
			Upgrade: func(_ context.Context, identity map[string]any, meta any) (map[string]any, error) {
				if err := configured(meta); err != nil {
					return nil, err
				}
				identity["volume_id"] = identity["id"]
				delete(identity, "id")
				return identity, nil
			},
		},
	}
}

// upgradeComplete upgrades from every older version.
func upgradeComplete(to release.Release) []schema.IdentityUpgrader {
	return volumeIdentityUpgraders()[:to.Version()]
}

// upgradeGap lacks the upgrader from version 0.
func upgradeGap(to release.Release) []schema.IdentityUpgrader {
	all := upgradeComplete(to)
	if len(all) == 0 {
		return nil
	}
	return all[1:]
}

// upgradeFails has upgraders that cannot do it.
func upgradeFails(to release.Release) []schema.IdentityUpgrader {
	all := upgradeComplete(to)
	for i := range all {
		all[i].Upgrade = func(context.Context, map[string]any, any) (map[string]any, error) {
			return nil, errors.New("cannot upgrade the identity: the old one says too little")
		}
	}
	return all
}

// upgradeInvalid has upgraders whose results do not fit the schema. (Nothing that
// these can answer is unknown.)
func upgradeInvalid(to release.Release) []schema.IdentityUpgrader {
	all := upgradeComplete(to)
	for i := range all {
		all[i].Upgrade = func(context.Context, map[string]any, any) (map[string]any, error) {
			return map[string]any{"nobody_knows_this": true}, nil
		}
	}
	return all
}

// upgradePartial has upgraders that leave the id null: they do not know it, and Read does.
func upgradePartial(to release.Release) []schema.IdentityUpgrader {
	all := upgradeComplete(to)
	for i := range all {
		all[i].Upgrade = func(_ context.Context, identity map[string]any, _ any) (map[string]any, error) {
			return map[string]any{"public": fmt.Sprint(identity["public"])}, nil
		}
	}
	return all
}

// volumeStateUpgraders take over states of older releases.
func volumeStateUpgraders(to release.Release) []schema.StateUpgrader {
	return []schema.StateUpgrader{
		{
			Version: 0,
			Type:    cty.Object(map[string]cty.Type{"id": cty.String, "name": cty.String, "size": cty.Number, "public": cty.Bool}),
			Upgrade: func(_ context.Context, state map[string]any, _ any) (map[string]any, error) {
				if public, ok := state["public"].(bool); ok {
					state["public"] = strconv.FormatBool(public)
				}
				return state, nil
			},
		},
		{
			Version: 1,
			Type:    cty.Object(map[string]cty.Type{"id": cty.String, "name": cty.String, "size": cty.Number, "public": cty.String}),
			Upgrade: func(_ context.Context, state map[string]any, _ any) (map[string]any, error) {
				state["size_gib"] = state["size"]
				delete(state, "size")
				return state, nil
			},
		},
	}[:to.Version()]
}

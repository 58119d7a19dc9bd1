package framework

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/release"
)

// volume is the same object in every release of the provider, and each release
// writes its state and identity in its own way:
//
//	release  state                               identity
//	before   id, name, size,     public (bool)   none
//	0        id, name, size,     public (bool)   id,        public (bool)
//	1        id, name, size,     public (string) id,        public (string)
//	2        id, name, size_gib, public (string) volume_id, public (string)
//
// A provider has one release at a time and would have a model for each schema; as
// this one has all, it reads and writes attribute by attribute.
type volume struct {
	base
	collection api.Collection[api.Volume]
	// release is that of the identity, and state that of the state: of one type only the
	// identity has a history.
	release, state release.Release
}

// volumeWithIdentity is a volume since release 0.
type volumeWithIdentity struct{ volume }

// volumeWithUpgrade is a volume that takes over identities of older releases.
type volumeWithUpgrade struct {
	volumeWithIdentity
	upgraders func(release.Release) map[int64]resource.IdentityUpgrader
}

var (
	_ resource.ResourceWithImportState     = (*volume)(nil)
	_ resource.ResourceWithModifyPlan      = (*volume)(nil)
	_ resource.ResourceWithUpgradeState    = (*volume)(nil)
	_ resource.ResourceWithIdentity        = (*volumeWithIdentity)(nil)
	_ resource.ResourceWithUpgradeIdentity = (*volumeWithUpgrade)(nil)
)

func (r *volume) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = volumeSchema(r.state)
}

func volumeSchema(at release.Release) schema.Schema {
	s := schema.Schema{
		Description: "An object whose schemas have a history.",
		Version:     at.Version(),
		Attributes: map[string]schema.Attribute{
			"id":         schema.StringAttribute{Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()}},
			"name":       schema.StringAttribute{Required: true},
			sizeName(at): schema.Int64Attribute{Optional: true, Computed: true, Default: int64default.StaticInt64(1)},
		},
	}
	if at >= release.V1 {
		s.Attributes["public"] = schema.StringAttribute{
			Optional: true, Computed: true, Default: stringdefault.StaticString("false"),
			PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
		}
	} else {
		s.Attributes["public"] = schema.BoolAttribute{
			Optional: true, Computed: true, Default: booldefault.StaticBool(false),
			PlanModifiers: []planmodifier.Bool{boolplanmodifier.RequiresReplace()},
		}
	}
	return s
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

// publicAs is the value of public as a release writes it.
func publicAs(at release.Release, public bool) any {
	if at >= release.V1 {
		return strconv.FormatBool(public)
	}
	return public
}

func (r *volumeWithIdentity) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = volumeIdentitySchema(r.release)
}

func volumeIdentitySchema(at release.Release) identityschema.Schema {
	s := identityschema.Schema{
		Version:    at.Version(),
		Attributes: map[string]identityschema.Attribute{idName(at): identityschema.StringAttribute{RequiredForImport: true}},
	}
	if at >= release.V1 {
		s.Attributes["public"] = identityschema.StringAttribute{OptionalForImport: at != release.Mistaken}
	} else {
		s.Attributes["public"] = identityschema.BoolAttribute{OptionalForImport: true}
	}
	return s
}

// UpgradeIdentity is asked for upgraders from every older version straight to the
// current one: the framework does not chain them.
func (r *volumeWithUpgrade) UpgradeIdentity(context.Context) map[int64]resource.IdentityUpgrader {
	all := r.upgraders(r.release)
	if r.client != nil {
		return all
	}
	// These do not ask the cloud, but others would: whoever forgets to configure the
	// provider before an upgrade is told here.
	for version, upgrader := range all {
		upgrader.IdentityUpgrader = func(_ context.Context, _ resource.UpgradeIdentityRequest, resp *resource.UpgradeIdentityResponse) {
			resp.Diagnostics.AddError("The provider is not configured", "Identities are upgraded by a configured provider.")
		}
		all[version] = upgrader
	}
	return all
}

// upgradeComplete upgrades from every older version.
func upgradeComplete(to release.Release) map[int64]resource.IdentityUpgrader {
	all := map[int64]resource.IdentityUpgrader{}
	for from := release.V0; from.Version() < to.Version(); from++ {
		prior := volumeIdentitySchema(from)
		all[from.Version()] = resource.IdentityUpgrader{
			PriorSchema: &prior,
			IdentityUpgrader: func(ctx context.Context, req resource.UpgradeIdentityRequest, resp *resource.UpgradeIdentityResponse) {
				var id types.String
				resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root(idName(from)), &id)...)
				public := types.StringNull()
				if from >= release.V1 {
					resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root("public"), &public)...)
				} else {
					var old types.Bool
					resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root("public"), &old)...)
					if !old.IsNull() {
						public = types.StringValue(strconv.FormatBool(old.ValueBool()))
					}
				}
				if resp.Diagnostics.HasError() {
					return
				}
				resp.Identity.Raw = tftypes.NewValue(resp.Identity.Schema.Type().TerraformType(ctx), nil)
				resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root(idName(to)), id)...)
				resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("public"), public)...)
			},
		}
	}
	return all
}

// upgradeGap lacks the upgrader from version 0.
func upgradeGap(to release.Release) map[int64]resource.IdentityUpgrader {
	all := upgradeComplete(to)
	delete(all, release.V0.Version())
	return all
}

// upgradeFails has upgraders that cannot do it.
func upgradeFails(to release.Release) map[int64]resource.IdentityUpgrader {
	return upgradeWith(to, func(_ context.Context, _ resource.UpgradeIdentityRequest, resp *resource.UpgradeIdentityResponse) {
		resp.Diagnostics.AddError("Cannot upgrade the identity", "The old identity says too little.")
	})
}

// upgradeInvalid has upgraders that leave something unknown, which cannot be stored.
func upgradeInvalid(to release.Release) map[int64]resource.IdentityUpgrader {
	return upgradeWith(to, func(ctx context.Context, _ resource.UpgradeIdentityRequest, resp *resource.UpgradeIdentityResponse) {
		resp.Identity.Raw = tftypes.NewValue(resp.Identity.Schema.Type().TerraformType(ctx), nil)
		resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root(idName(to)), types.StringUnknown())...)
	})
}

// upgradePartial has upgraders that leave the id null: they do not know it, and Read does. They
// have no schema of the former version, so they are given what is stored as it is.
func upgradePartial(to release.Release) map[int64]resource.IdentityUpgrader {
	all := upgradeWith(to, func(ctx context.Context, req resource.UpgradeIdentityRequest, resp *resource.UpgradeIdentityResponse) {
		var old struct{ Public any }
		if err := json.Unmarshal(req.RawIdentity.JSON, &old); err != nil || req.Identity != nil {
			resp.Diagnostics.AddError("Unexpected identity", fmt.Sprintf("%s: %v", req.RawIdentity.JSON, err))
			return
		}
		resp.Identity.Raw = tftypes.NewValue(resp.Identity.Schema.Type().TerraformType(ctx), nil)
		resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root(idName(to)), types.StringNull())...)
		resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("public"), types.StringValue(fmt.Sprint(old.Public)))...)
	})
	for version, upgrader := range all {
		upgrader.PriorSchema = nil
		all[version] = upgrader
	}
	return all
}

func upgradeWith(
	to release.Release,
	upgrade func(context.Context, resource.UpgradeIdentityRequest, *resource.UpgradeIdentityResponse),
) map[int64]resource.IdentityUpgrader {
	all := upgradeComplete(to)
	for version, upgrader := range all {
		upgrader.IdentityUpgrader = upgrade
		all[version] = upgrader
	}
	return all
}

// UpgradeState takes over states of older releases.
func (r *volume) UpgradeState(context.Context) map[int64]resource.StateUpgrader {
	all := map[int64]resource.StateUpgrader{}
	for from := release.V0; from.Version() < r.state.Version(); from++ {
		prior := volumeSchema(from)
		all[from.Version()] = resource.StateUpgrader{
			PriorSchema: &prior,
			StateUpgrader: func(ctx context.Context, req resource.UpgradeStateRequest, resp *resource.UpgradeStateResponse) {
				old, diags := readVolume(ctx, from, req.State.GetAttribute)
				resp.Diagnostics.Append(diags...)
				if resp.Diagnostics.HasError() {
					return
				}
				resp.State.Raw = tftypes.NewValue(resp.State.Schema.Type().TerraformType(ctx), nil)
				resp.Diagnostics.Append(writeVolume(ctx, r.state, resp.State.SetAttribute, old)...)
			},
		}
	}
	return all
}

type getter func(context.Context, path.Path, any) diag.Diagnostics

func readVolume(ctx context.Context, at release.Release, get getter) (api.Volume, diag.Diagnostics) {
	var id, name types.String
	var size types.Int64
	diags := get(ctx, path.Root("id"), &id)
	diags.Append(get(ctx, path.Root("name"), &name)...)
	diags.Append(get(ctx, path.Root(sizeName(at)), &size)...)
	read := api.Volume{ID: known(id), Name: known(name), SizeGiB: size.ValueInt64()}
	if at < release.V1 {
		var public types.Bool
		diags.Append(get(ctx, path.Root("public"), &public)...)
		read.Public = public.ValueBool()
		return read, diags
	}
	var public types.String
	diags.Append(get(ctx, path.Root("public"), &public)...)
	if known(public) != "" {
		parsed, err := strconv.ParseBool(known(public))
		if err != nil {
			diags.AddAttributeError(path.Root("public"), "Unexpected value", `public is "true" or "false".`)
		}
		read.Public = parsed
	}
	return read, diags
}

func writeVolume(ctx context.Context, at release.Release, set setter, v api.Volume) diag.Diagnostics {
	diags := set(ctx, path.Root("id"), v.ID)
	diags.Append(set(ctx, path.Root("name"), v.Name)...)
	diags.Append(set(ctx, path.Root(sizeName(at)), v.SizeGiB)...)
	diags.Append(set(ctx, path.Root("public"), publicAs(at, v.Public))...)
	return diags
}

func writeVolumeIdentity(ctx context.Context, at release.Release, set setter, v api.Volume) diag.Diagnostics {
	diags := set(ctx, path.Root(idName(at)), v.ID)
	diags.Append(set(ctx, path.Root("public"), publicAs(at, v.Public))...)
	return diags
}

// ModifyPlan asks the cloud for the volume if its size changes, as providers do that check a plan
// against what exists.
func (r *volume) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() || req.State.Raw.IsNull() || r.client == nil {
		return
	}
	var name types.String
	var before, after types.Int64
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root(sizeName(r.state)), &before)...)
	resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, path.Root(sizeName(r.state)), &after)...)
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("name"), &name)...)
	if resp.Diagnostics.HasError() || before.Equal(after) {
		return
	}
	if _, err := client.List(ctx, r.client, r.collection, map[string]string{"name": known(name)}); err != nil {
		r.fail(&resp.Diagnostics, "plan", err)
	}
}

func (r *volume) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	data, diags := readVolume(ctx, r.state, req.Plan.GetAttribute)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	data.ID = ""
	task, err := client.Begin(ctx, r.client, r.collection, data)
	if err != nil {
		r.fail(&resp.Diagnostics, "create", err)
		return
	}
	data.ID = task.ObjectID
	resp.Diagnostics.Append(writeVolume(ctx, r.state, resp.State.SetAttribute, data)...)
	if resp.Identity != nil {
		resp.Diagnostics.Append(writeVolumeIdentity(ctx, r.release, resp.Identity.SetAttribute, data)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	if _, err := client.Await(ctx, r.client, r.collection, task); err != nil {
		r.fail(&resp.Diagnostics, "create", err)
	}
}

func (r *volume) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var id types.String
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("id"), &id)...)
	made, err := client.Get(ctx, r.client, r.collection, known(id), "")
	if client.NotFound(err) {
		resp.State.RemoveResource(ctx)
		return
	}
	if err != nil {
		r.fail(&resp.Diagnostics, "read", err)
		return
	}
	resp.Diagnostics.Append(writeVolume(ctx, r.state, resp.State.SetAttribute, made)...)
	if resp.Identity != nil {
		resp.Diagnostics.Append(writeVolumeIdentity(ctx, r.release, resp.Identity.SetAttribute, made)...)
	}
}

func (r *volume) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	data, diags := readVolume(ctx, r.state, req.Plan.GetAttribute)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	made, err := client.Update(ctx, r.client, r.collection, data.ID, map[string]any{"name": data.Name, "size_gib": data.SizeGiB})
	if err != nil {
		r.fail(&resp.Diagnostics, "update", err)
		return
	}
	resp.Diagnostics.Append(writeVolume(ctx, r.state, resp.State.SetAttribute, made)...)
}

func (r *volume) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var id types.String
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("id"), &id)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if err := client.Delete(ctx, r.client, r.collection, known(id)); err != nil {
		r.fail(&resp.Diagnostics, "delete", err)
	}
}

func (r *volume) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if req.Identity == nil {
		resource.ImportStatePassthroughID(ctx, path.Root("id"), req, resp)
		return
	}
	resource.ImportStatePassthroughWithIdentity(ctx, path.Root("id"), path.Root(idName(r.release)), req, resp)
}

func (r *volumeWithIdentity) filters() []string { return []string{"name"} }

func (r *volumeWithIdentity) list(ctx context.Context, filter map[string]string) ([]listed, error) {
	return listAll(ctx, r.client, r.collection, filter, func(made api.Volume) listed {
		return listed{
			name:        made.Name,
			setIdentity: func(set setter) diag.Diagnostics { return writeVolumeIdentity(ctx, r.release, set, made) },
			setState:    func(set setter) diag.Diagnostics { return writeVolume(ctx, r.state, set, made) },
		}
	})
}

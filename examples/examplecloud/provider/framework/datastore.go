package framework

import (
	"context"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
)

// datastore is made by a task, and its id is not known before the task has ended.
// So cluster and name, which are unique and known beforehand, identify it.
type datastore struct {
	base
	protocol int
}

var (
	_ resource.ResourceWithIdentity       = (*datastore)(nil)
	_ resource.ResourceWithImportState    = (*datastore)(nil)
	_ resource.ResourceWithModifyPlan     = (*datastore)(nil)
	_ resource.ResourceWithValidateConfig = (*datastore)(nil)
)

type datastoreModel struct {
	ID             types.String      `tfsdk:"id"`
	HCIClusterUUID types.String      `tfsdk:"hci_cluster_uuid"`
	ClusterInfo    *clusterInfoModel `tfsdk:"cluster_info"`
	Name           types.String      `tfsdk:"name"`
	CapacityGiB    types.Int64       `tfsdk:"capacity_gib"`
	Status         types.String      `tfsdk:"status"`
	Timeouts       timeouts.Value    `tfsdk:"timeouts"`
}

type clusterInfoModel struct {
	ID   types.String `tfsdk:"id"`
	Name types.String `tfsdk:"name"`
}

// Identities have no nested attributes: cluster_info.id becomes cluster_info_id.
type datastoreIdentity struct {
	HCIClusterUUID types.String `tfsdk:"hci_cluster_uuid"`
	ClusterInfoID  types.String `tfsdk:"cluster_info_id"`
	Name           types.String `tfsdk:"name"`
}

func (r *datastore) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	replace := []planmodifier.String{stringplanmodifier.RequiresReplace()}
	clusterInfo := map[string]schema.Attribute{
		"id":   schema.StringAttribute{Required: true, PlanModifiers: replace},
		"name": schema.StringAttribute{Optional: true},
	}
	resp.Schema = schema.Schema{
		Description: "An object that a task creates, with a name that is unique within its cluster.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
			"hci_cluster_uuid": schema.StringAttribute{Required: true, PlanModifiers: replace},
			"name":             schema.StringAttribute{Required: true, PlanModifiers: replace},
			"capacity_gib":     schema.Int64Attribute{Optional: true, Computed: true, Default: int64default.StaticInt64(10)},
			"status": schema.StringAttribute{
				Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
			},
		},
	}
	limits := timeouts.Opts{Create: true, Delete: true}
	if r.protocol == 6 {
		resp.Schema.Attributes["cluster_info"] = schema.SingleNestedAttribute{Required: true, Attributes: clusterInfo}
		resp.Schema.Attributes["timeouts"] = timeouts.Attributes(ctx, limits)
		return
	}
	resp.Schema.Blocks = map[string]schema.Block{
		"cluster_info": schema.SingleNestedBlock{Attributes: clusterInfo},
		"timeouts":     timeouts.Block(ctx, limits),
	}
}

func (r *datastore) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{
		Attributes: map[string]identityschema.Attribute{
			"hci_cluster_uuid": identityschema.StringAttribute{RequiredForImport: true},
			"cluster_info_id":  identityschema.StringAttribute{RequiredForImport: true},
			"name":             identityschema.StringAttribute{RequiredForImport: true},
		},
	}
}

// ValidateConfig asks for the block that protocol 5 has no way to require.
func (r *datastore) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var info types.Object
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("cluster_info"), &info)...)
	if r.protocol == 5 && info.IsNull() {
		resp.Diagnostics.AddAttributeError(path.Root("cluster_info"), "Missing cluster_info",
			"A datastore is in a cluster: cluster_info is required.")
	}
}

// ModifyPlan plans the identity as soon as all of it is known, which is before the
// datastore is made: whoever applies the plan can find the datastore again even if
// the answer never comes.
func (r *datastore) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() || !req.State.Raw.IsNull() {
		return
	}
	var identity datastoreIdentity
	resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, path.Root("hci_cluster_uuid"), &identity.HCIClusterUUID)...)
	resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, path.Root("cluster_info").AtName("id"), &identity.ClusterInfoID)...)
	resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, path.Root("name"), &identity.Name)...)
	if identity.HCIClusterUUID.IsUnknown() || identity.ClusterInfoID.IsUnknown() || identity.Name.IsUnknown() || resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity)...)
}

func (r *datastore) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var data datastoreModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &data)...)
	if resp.Diagnostics.HasError() {
		return
	}
	limit, diags := data.Timeouts.Create(ctx, 20*time.Minute)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()

	task, err := client.Begin(ctx, r.client, api.Datastores, api.Datastore{
		HCIClusterUUID: known(data.HCIClusterUUID), Name: known(data.Name), CapacityGiB: data.CapacityGiB.ValueInt64(),
		ClusterInfo: api.ClusterInfo{ID: known(data.ClusterInfo.ID), Name: known(data.ClusterInfo.Name)},
	})
	if err != nil && !client.Unanswered(err) {
		r.fail(&resp.Diagnostics, "create", err) // refused: there is none, so there is no state
		return
	}
	// From here on there may be a datastore. State and identity are set before
	// polling, with the parts that are known: the rest is null, never unknown.
	data.ID, data.Status = types.StringNull(), types.StringNull()
	resp.Diagnostics.Append(resp.State.Set(ctx, data)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, data.identity())...)
	if err != nil {
		r.fail(&resp.Diagnostics, "create", err)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	made, err := client.Await(ctx, r.client, api.Datastores, task)
	if err != nil {
		r.fail(&resp.Diagnostics, "create", err)
		return
	}
	data.take(made)
	resp.Diagnostics.Append(resp.State.Set(ctx, data)...)
}

func (r *datastore) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var data datastoreModel
	resp.Diagnostics.Append(req.State.Get(ctx, &data)...)
	if resp.Diagnostics.HasError() {
		return
	}
	made, err := client.Find(ctx, r.client, api.Datastores, data.fields())
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
	resp.Diagnostics.Append(resp.Identity.Set(ctx, data.identity())...)
}

func (r *datastore) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var data datastoreModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &data)...)
	if resp.Diagnostics.HasError() {
		return
	}
	made, err := client.Find(ctx, r.client, api.Datastores, data.fields())
	if err == nil {
		made, err = client.Update(ctx, r.client, api.Datastores, made.ID, map[string]any{
			"capacity_gib": data.CapacityGiB.ValueInt64(),
			"cluster_info": api.ClusterInfo{ID: known(data.ClusterInfo.ID), Name: known(data.ClusterInfo.Name)},
		})
	}
	if err != nil {
		r.fail(&resp.Diagnostics, "update", err)
		return
	}
	data.take(made)
	resp.Diagnostics.Append(resp.State.Set(ctx, data)...)
}

func (r *datastore) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var data datastoreModel
	resp.Diagnostics.Append(req.State.Get(ctx, &data)...)
	if resp.Diagnostics.HasError() {
		return
	}
	limit, diags := data.Timeouts.Delete(ctx, 20*time.Minute)
	resp.Diagnostics.Append(diags...)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if err := r.remove(ctx, data.fields()); err != nil {
		r.fail(&resp.Diagnostics, "delete", err)
	}
}

// remove deletes the datastore. One that is still being made would appear
// afterwards, so its creation is cancelled first.
func (r *datastore) remove(ctx context.Context, fields map[string]string) error {
	tasks, err := client.Tasks(ctx, r.client, api.Datastores, fields)
	if err != nil {
		return err
	}
	for _, task := range tasks {
		if err := r.client.Cancel(ctx, task.ID); err != nil {
			return err
		}
	}
	made, err := client.Find(ctx, r.client, api.Datastores, fields)
	if client.NotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return client.Delete(ctx, r.client, api.Datastores, made.ID)
}

// ImportState accepts <hci_cluster_uuid>/<cluster_info.id>/<name>, or the identity.
func (r *datastore) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	var identity datastoreIdentity
	if req.ID != "" {
		parts := strings.SplitN(req.ID, "/", 3)
		if len(parts) != 3 {
			resp.Diagnostics.AddError("Unexpected import id", "The id of a datastore is <hci_cluster_uuid>/<cluster_info.id>/<name>.")
			return
		}
		identity = datastoreIdentity{text(parts[0]), text(parts[1]), text(parts[2])}
	} else {
		resp.Diagnostics.Append(req.Identity.Get(ctx, &identity)...)
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("hci_cluster_uuid"), identity.HCIClusterUUID)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("cluster_info").AtName("id"), identity.ClusterInfoID)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("name"), identity.Name)...)
}

func (m *datastoreModel) identity() datastoreIdentity {
	return datastoreIdentity{HCIClusterUUID: m.HCIClusterUUID, ClusterInfoID: m.ClusterInfo.ID, Name: m.Name}
}

// fields are those by which the cloud finds the datastore.
func (m *datastoreModel) fields() map[string]string {
	return map[string]string{
		"hci_cluster_uuid": known(m.HCIClusterUUID), "cluster_info.id": known(m.ClusterInfo.ID), "name": known(m.Name),
	}
}

func (m *datastoreModel) take(made api.Datastore) {
	m.ID, m.HCIClusterUUID, m.Name, m.Status = text(made.ID), text(made.HCIClusterUUID), text(made.Name), text(made.Status)
	m.CapacityGiB = types.Int64Value(made.CapacityGiB)
	info := clusterInfoModel{ID: text(made.ClusterInfo.ID), Name: text(made.ClusterInfo.Name)}
	if m.ClusterInfo != nil {
		info.Name = optionalText(m.ClusterInfo.Name, made.ClusterInfo.Name)
	}
	m.ClusterInfo = &info
}

func (r *datastore) filters() []string {
	return []string{"hci_cluster_uuid", "cluster_info_id", "name"}
}

func (r *datastore) list(ctx context.Context, filter map[string]string) ([]listed, error) {
	filter["cluster_info.id"] = filter["cluster_info_id"]
	delete(filter, "cluster_info_id")
	return listAll(ctx, r.client, api.Datastores, filter, func(made api.Datastore) listed {
		data := datastoreModel{Timeouts: noTimeouts()}
		data.take(made)
		return listed{name: made.Name, identity: data.identity(), state: data}
	})
}

package sdkv2

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
)

// resourceDatastore is made by a task, and its id is not known before the task has
// ended. The SDK knows no state without an id, so the id is made of what is known
// beforehand, and the cloud's own id has another name.
func resourceDatastore() *schema.Resource {
	return &schema.Resource{
		Description:   "An object that a task creates, with a name that is unique within its cluster.",
		CreateContext: datastoreCreate,
		ReadContext:   datastoreRead,
		UpdateContext: datastoreUpdate,
		DeleteContext: datastoreDelete,
		CustomizeDiff: datastorePlan,
		Timeouts: &schema.ResourceTimeout{
			Create: schema.DefaultTimeout(20 * time.Minute),
			Delete: schema.DefaultTimeout(20 * time.Minute),
		},
		Schema: map[string]*schema.Schema{
			"hci_cluster_uuid": {Type: schema.TypeString, Required: true, ForceNew: true},
			"cluster_info": {
				Type: schema.TypeList, Required: true, MinItems: 1, MaxItems: 1,
				Elem: &schema.Resource{Schema: map[string]*schema.Schema{
					"id":   {Type: schema.TypeString, Required: true, ForceNew: true},
					"name": {Type: schema.TypeString, Optional: true},
				}},
			},
			"name":         {Type: schema.TypeString, Required: true, ForceNew: true},
			"capacity_gib": {Type: schema.TypeInt, Optional: true, Default: 10},
			"internal_id":  {Type: schema.TypeString, Computed: true, Description: "The id that the cloud gave it."},
			"status":       {Type: schema.TypeString, Computed: true},
		},
		Identity: &schema.ResourceIdentity{
			// Identities have no nested attributes: cluster_info.id becomes cluster_info_id.
			SchemaFunc: func() map[string]*schema.Schema {
				return map[string]*schema.Schema{
					"hci_cluster_uuid": {Type: schema.TypeString, RequiredForImport: true},
					"cluster_info_id":  {Type: schema.TypeString, RequiredForImport: true},
					"name":             {Type: schema.TypeString, RequiredForImport: true},
				}
			},
		},
		Importer: &schema.ResourceImporter{StateContext: datastoreImport},
	}
}

// datastorePlan plans the identity as soon as all of it is known, which is before
// the datastore is made: whoever applies the plan can find the datastore again even
// if the answer never comes.
func datastorePlan(_ context.Context, d *schema.ResourceDiff, _ any) error {
	if d.Id() != "" || !d.NewValueKnown("hci_cluster_uuid") || !d.NewValueKnown("cluster_info.0.id") || !d.NewValueKnown("name") {
		return nil
	}
	identity, err := d.Identity()
	if err != nil {
		return err
	}
	for name, from := range map[string]string{"hci_cluster_uuid": "hci_cluster_uuid", "cluster_info_id": "cluster_info.0.id", "name": "name"} {
		if err := identity.Set(name, d.Get(from)); err != nil {
			return err
		}
	}
	return nil
}

func datastoreCreate(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	c := clientOf(meta)
	wanted := api.Datastore{
		HCIClusterUUID: get(d, "hci_cluster_uuid"), Name: get(d, "name"), CapacityGiB: int64(d.Get("capacity_gib").(int)),
		ClusterInfo: api.ClusterInfo{ID: get(d, "cluster_info.0.id"), Name: get(d, "cluster_info.0.name")},
	}
	task, err := client.Begin(ctx, c, api.Datastores, wanted)
	if err != nil && !client.Unanswered(err) {
		return fail("create the datastore", err) // refused: there is none, so there is no state
	}
	// From here on there may be a datastore: id and identity are set before polling.
	d.SetId(datastoreID(wanted))
	if diags := setIdentity(d, datastoreIdentity(wanted)); diags.HasError() {
		return diags
	}
	if err != nil {
		return fail("create the datastore", err)
	}
	made, err := client.Await(ctx, c, api.Datastores, task)
	if err != nil {
		return fail("create the datastore", err)
	}
	return datastoreTake(d, made)
}

func datastoreRead(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	fields, err := datastoreFields(d.Id())
	if err != nil {
		return diag.FromErr(err)
	}
	made, err := client.Find(ctx, clientOf(meta), api.Datastores, fields)
	if client.NotFound(err) {
		d.SetId("")
		return nil
	}
	if err != nil {
		return fail("read the datastore", err)
	}
	return datastoreTake(d, made)
}

func datastoreUpdate(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	c := clientOf(meta)
	fields, err := datastoreFields(d.Id())
	if err != nil {
		return diag.FromErr(err)
	}
	made, err := client.Find(ctx, c, api.Datastores, fields)
	if err == nil {
		made, err = client.Update(ctx, c, api.Datastores, made.ID, map[string]any{
			"capacity_gib": d.Get("capacity_gib"),
			"cluster_info": api.ClusterInfo{ID: get(d, "cluster_info.0.id"), Name: get(d, "cluster_info.0.name")},
		})
	}
	if err != nil {
		return fail("update the datastore", err)
	}
	return datastoreTake(d, made)
}

// datastoreDelete deletes the datastore. One that is still being made would appear
// afterwards, so its creation is cancelled first.
func datastoreDelete(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	c := clientOf(meta)
	fields, err := datastoreFields(d.Id())
	if err != nil {
		return diag.FromErr(err)
	}
	tasks, err := client.Tasks(ctx, c, api.Datastores, fields)
	if err != nil {
		return fail("delete the datastore", err)
	}
	for _, task := range tasks {
		if err := c.Cancel(ctx, task.ID); err != nil {
			return fail("delete the datastore", err)
		}
	}
	made, err := client.Find(ctx, c, api.Datastores, fields)
	if client.NotFound(err) {
		return nil
	}
	if err == nil {
		err = client.Delete(ctx, c, api.Datastores, made.ID)
	}
	if err != nil {
		return fail("delete the datastore", err)
	}
	return nil
}

// datastoreImport accepts <hci_cluster_uuid>/<cluster_info.id>/<name>, or the identity.
func datastoreImport(_ context.Context, d *schema.ResourceData, _ any) ([]*schema.ResourceData, error) {
	if d.Id() != "" {
		_, err := datastoreFields(d.Id())
		return []*schema.ResourceData{d}, err
	}
	identity, err := d.Identity()
	if err != nil {
		return nil, err
	}
	d.SetId(datastoreID(api.Datastore{
		HCIClusterUUID: identity.Get("hci_cluster_uuid").(string), Name: identity.Get("name").(string),
		ClusterInfo: api.ClusterInfo{ID: identity.Get("cluster_info_id").(string)},
	}))
	return []*schema.ResourceData{d}, nil
}

func datastoreID(store api.Datastore) string {
	return store.HCIClusterUUID + "/" + store.ClusterInfo.ID + "/" + store.Name
}

// datastoreFields are those by which the cloud finds the datastore.
func datastoreFields(id string) (map[string]string, error) {
	parts := strings.SplitN(id, "/", 3)
	if len(parts) != 3 {
		return nil, fmt.Errorf("unexpected id %q: the id of a datastore is <hci_cluster_uuid>/<cluster_info.id>/<name>", id)
	}
	return map[string]string{"hci_cluster_uuid": parts[0], "cluster_info.id": parts[1], "name": parts[2]}, nil
}

func datastoreIdentity(store api.Datastore) map[string]any {
	return map[string]any{"hci_cluster_uuid": store.HCIClusterUUID, "cluster_info_id": store.ClusterInfo.ID, "name": store.Name}
}

func datastoreTake(d *schema.ResourceData, made api.Datastore) diag.Diagnostics {
	d.SetId(datastoreID(made))
	diags := set(d, map[string]any{
		"hci_cluster_uuid": made.HCIClusterUUID, "name": made.Name, "capacity_gib": made.CapacityGiB,
		"cluster_info": []any{map[string]any{"id": made.ClusterInfo.ID, "name": made.ClusterInfo.Name}},
		"internal_id":  made.ID, "status": made.Status,
	})
	if diags.HasError() {
		return diags
	}
	return setIdentity(d, datastoreIdentity(made))
}

package sdkv2

import (
	"context"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
)

// resourceRecord is written as many resources are, and not as they should be: what
// the cloud answers goes into the state as it is, and Create ends with Read. So the
// faults of a cloud come through.
func resourceRecord() *schema.Resource {
	return &schema.Resource{
		Description:   "A named object whose provider passes on whatever the cloud answers.",
		CreateContext: recordCreate,
		ReadContext:   recordRead,
		UpdateContext: recordUpdate,
		DeleteContext: recordDelete,
		Schema: map[string]*schema.Schema{
			"name":     {Type: schema.TypeString, Required: true},
			"address":  {Type: schema.TypeString, Optional: true, ForceNew: true},
			"value":    {Type: schema.TypeString, Optional: true},
			"document": {Type: schema.TypeString, Optional: true},
			"lines":    {Type: schema.TypeList, Optional: true, Elem: &schema.Schema{Type: schema.TypeString}},
			"rules": {Type: schema.TypeSet, Optional: true, Elem: &schema.Resource{Schema: map[string]*schema.Schema{
				"port":     {Type: schema.TypeInt, Required: true},
				"protocol": {Type: schema.TypeString, Optional: true},
			}}},
			"serial":     {Type: schema.TypeString, Computed: true},
			"updated_at": {Type: schema.TypeString, Computed: true},
		},
		Identity: identityByID(),
		Importer: &schema.ResourceImporter{StateContext: schema.ImportStatePassthroughWithIdentity("id")},
	}
}

func recordCreate(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	c := clientOf(meta)
	wanted := api.Record{
		Name: get(d, "name"), Address: get(d, "address"), Value: get(d, "value"), Document: get(d, "document"),
		Lines: recordLines(d), Rules: recordRules(d),
	}
	task, err := client.Begin(ctx, c, api.Records, wanted)
	if err != nil {
		return fail("create the record", err)
	}
	d.SetId(task.ObjectID)
	if diags := setIdentity(d, map[string]any{"id": task.ObjectID}); diags.HasError() {
		return diags
	}
	if _, err := client.Wait(ctx, c, task); err != nil {
		return fail("create the record", err)
	}
	diags := recordRead(ctx, d, meta)
	for i := range diags {
		// It is there: the next refresh completes it.
		diags[i].Severity = diag.Warning
	}
	return diags
}

func recordRead(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	made, err := client.Get(ctx, clientOf(meta), api.Records, d.Id(), "")
	if client.NotFound(err) {
		d.SetId("")
		return nil
	}
	if err != nil {
		return fail("read the record", err)
	}
	return recordTake(d, made)
}

func recordUpdate(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	made, err := client.Update(ctx, clientOf(meta), api.Records, d.Id(), map[string]any{
		"name": get(d, "name"), "value": get(d, "value"), "document": get(d, "document"), "lines": recordLines(d), "rules": recordRules(d),
	})
	if err != nil {
		return fail("update the record", err)
	}
	return recordTake(d, made)
}

func recordDelete(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	if err := client.Delete(ctx, clientOf(meta), api.Records, d.Id()); err != nil {
		return fail("delete the record", err)
	}
	return nil
}

func recordLines(d *schema.ResourceData) []string {
	var lines []string
	for _, line := range d.Get("lines").([]any) {
		text, _ := line.(string)
		lines = append(lines, text)
	}
	return lines
}

func recordRules(d *schema.ResourceData) []api.Rule {
	var rules []api.Rule
	for _, rule := range d.Get("rules").(*schema.Set).List() {
		fields := rule.(map[string]any)
		rules = append(rules, api.Rule{Port: int64(fields["port"].(int)), Protocol: fields["protocol"].(string)})
	}
	return rules
}

func recordTake(d *schema.ResourceData, made api.Record) diag.Diagnostics {
	d.SetId(made.ID)
	var rules []any
	for _, rule := range made.Rules {
		rules = append(rules, map[string]any{"port": int(rule.Port), "protocol": rule.Protocol})
	}
	diags := set(d, map[string]any{
		"name": made.Name, "address": made.Address, "value": made.Value, "document": made.Document, "lines": made.Lines, "rules": rules,
		"serial": made.Serial, "updated_at": made.UpdatedAt,
	})
	if diags.HasError() {
		return diags
	}
	return setIdentity(d, map[string]any{"id": made.ID})
}

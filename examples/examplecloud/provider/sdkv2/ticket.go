package sdkv2

import (
	"context"
	"crypto/rand"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
)

// resourceTicket has nothing unique that is known beforehand. A create token makes
// its creation idempotent. A token that the configuration gives holds across
// processes; one that the provider makes, only for repeats within one creation. It
// cannot be made while planning: a second plan of the same change would have
// another one.
func resourceTicket() *schema.Resource {
	return &schema.Resource{
		Description:   "An object whose names are not unique, created once per token.",
		CreateContext: ticketCreate,
		ReadContext:   ticketRead,
		UpdateContext: ticketUpdate,
		DeleteContext: ticketDelete,
		Schema: map[string]*schema.Schema{
			"title":    {Type: schema.TypeString, Required: true},
			"body":     {Type: schema.TypeString, Optional: true},
			"severity": {Type: schema.TypeString, Optional: true, Default: "normal"},
			"create_token": {
				Type: schema.TypeString, Optional: true, Computed: true, ForceNew: true,
				Description: "Two creations with the same token make one ticket. Made up if not set.",
			},
		},
		Identity: identityByID(),
		// The one attribute of the identity is the one of the state.
		Importer: &schema.ResourceImporter{StateContext: schema.ImportStatePassthroughWithIdentity("id")},
	}
}

func ticketCreate(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	c := clientOf(meta)
	token := firstOf(get(d, "create_token"), rand.Text())
	task, err := client.BeginOnce(ctx, c, api.Tickets, api.Ticket{
		Title: get(d, "title"), Body: get(d, "body"), Severity: get(d, "severity"), CreateToken: token,
	})
	if err != nil {
		return fail("create the ticket", err)
	}
	d.SetId(task.ObjectID)
	diags := append(set(d, map[string]any{"create_token": token}), setIdentity(d, map[string]any{"id": task.ObjectID})...)
	if diags.HasError() {
		return diags
	}
	made, err := client.Await(ctx, c, api.Tickets, task)
	if err != nil {
		return fail("create the ticket", err)
	}
	return ticketTake(d, made)
}

func ticketRead(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	made, err := client.Get(ctx, clientOf(meta), api.Tickets, d.Id(), "")
	if client.NotFound(err) {
		d.SetId("")
		return nil
	}
	if err != nil {
		return fail("read the ticket", err)
	}
	return ticketTake(d, made)
}

func ticketUpdate(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	made, err := client.Update(ctx, clientOf(meta), api.Tickets, d.Id(), map[string]any{
		"title": get(d, "title"), "body": get(d, "body"), "severity": get(d, "severity"),
	})
	if err != nil {
		return fail("update the ticket", err)
	}
	return ticketTake(d, made)
}

func ticketDelete(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
	if err := client.Delete(ctx, clientOf(meta), api.Tickets, d.Id()); err != nil {
		return fail("delete the ticket", err)
	}
	return nil
}

func ticketTake(d *schema.ResourceData, made api.Ticket) diag.Diagnostics {
	d.SetId(made.ID)
	return append(
		set(d, map[string]any{"title": made.Title, "body": made.Body, "severity": made.Severity, "create_token": made.CreateToken}),
		setIdentity(d, map[string]any{"id": made.ID})...)
}

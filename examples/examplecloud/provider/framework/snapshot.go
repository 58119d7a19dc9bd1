package framework

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
)

// snapshot makes a snapshot of a record each time that it is invoked, and tells how far it is.
type snapshot struct{ client *client.Client }

var _ action.ActionWithConfigure = (*snapshot)(nil)

// Actions are what can be done with objects.
func (p *Provider) Actions(context.Context) []func() action.Action {
	return []func() action.Action{func() action.Action { return &snapshot{} }}
}

func (a *snapshot) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_snapshot"
}

func (a *snapshot) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	if req.ProviderData == nil {
		return // not configured yet: only the schema is wanted
	}
	c, ok := req.ProviderData.(*client.Client)
	if !ok {
		resp.Diagnostics.AddError("Unexpected provider data", fmt.Sprintf("got %T, want a client", req.ProviderData))
	}
	a.client = c
}

func (a *snapshot) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		Description: "Makes a snapshot of a record.",
		Attributes: map[string]schema.Attribute{
			"source": schema.StringAttribute{Required: true, Description: "Id of the record."},
			"label":  schema.StringAttribute{Required: true, Description: "Label of the snapshot. Labels are not unique."},
			"key_wo": schema.StringAttribute{Optional: true, WriteOnly: true, Description: "Key by which the snapshot is encrypted. Never stored."},
		},
	}
}

// Invoke makes the snapshot by a task, which is cancelled if the invocation is. What was not
// answered may have been done: an error would say that it was not, but there is no other way to say
// so.
func (a *snapshot) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var data struct {
		Source types.String `tfsdk:"source"`
		Label  types.String `tfsdk:"label"`
		KeyWO  types.String `tfsdk:"key_wo"`
	}
	resp.Diagnostics.Append(req.Config.Get(ctx, &data)...)
	if resp.Diagnostics.HasError() {
		return
	}
	progress := func(format string, args ...any) {
		resp.SendProgress(action.InvokeProgressEvent{Message: fmt.Sprintf(format, args...)})
	}
	if _, err := client.Get(ctx, a.client, api.Records, known(data.Source), ""); err != nil {
		resp.Diagnostics.AddError("Cannot read the record", err.Error())
		return
	}
	task, err := client.Begin(ctx, a.client, api.Snapshots, api.Snapshot{
		Source: known(data.Source), Label: known(data.Label), Key: known(data.KeyWO),
	})
	if err != nil {
		resp.Diagnostics.AddError("Cannot begin the snapshot", err.Error())
		return
	}
	progress("snapshot %s has begun", task.ObjectID)
	task, err = client.Wait(ctx, a.client, task)
	if err != nil {
		if ctx.Err() != nil {
			_ = a.client.Cancel(context.WithoutCancel(ctx), task.ID) // the error tells what has happened
		}
		resp.Diagnostics.AddError("The snapshot was not completed", err.Error())
		return
	}
	progress("snapshot %s is complete", task.ObjectID)
}

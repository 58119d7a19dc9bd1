package framework

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
)

// lister is a resource type that can list its objects.
type lister interface {
	resource.ResourceWithConfigure
	// filters are the arguments by which the list can be narrowed down.
	filters() []string
	// list lists by the values of the filters; "" does not narrow.
	list(ctx context.Context, filter map[string]string) ([]listed, error)
}

// listed is one object of a list.
type listed struct {
	name     string
	identity any // the identity's model
	state    any // the resource's model
	diags    diag.Diagnostics
	// What has no model sets its attributes itself.
	setIdentity, setState func(set setter) diag.Diagnostics
}

// setter is SetAttribute of a state, a plan, an identity or a listed resource.
type setter func(context.Context, path.Path, any) diag.Diagnostics

func listAll[T any](
	ctx context.Context, c *client.Client, collection api.Collection[T], filter map[string]string, as func(T) listed,
) ([]listed, error) {
	objects, err := client.List(ctx, c, collection, filter)
	if err != nil {
		return nil, err
	}
	all := make([]listed, 0, len(objects))
	for _, object := range objects {
		all = append(all, as(object))
	}
	return all, nil
}

// listResource makes a list resource of a resource type that can list.
type listResource struct{ lister }

var _ list.ListResourceWithConfigure = (*listResource)(nil)

func (l *listResource) ListResourceConfigSchema(
	_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse,
) {
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{}}
	for _, name := range l.filters() {
		resp.Schema.Attributes[name] = schema.StringAttribute{Optional: true, Description: "Lists only objects with this " + name + "."}
	}
}

func (l *listResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var diags diag.Diagnostics
	filter := map[string]string{}
	for _, name := range l.filters() {
		var value types.String
		diags.Append(req.Config.GetAttribute(ctx, path.Root(name), &value)...)
		filter[name] = known(value)
	}
	if diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	all, err := l.list(ctx, filter)
	if err != nil {
		diags.AddError("Cannot list", err.Error())
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	stream.Results = func(push func(list.ListResult) bool) {
		for i, object := range all {
			if req.Limit > 0 && int64(i) >= req.Limit {
				return
			}
			result := req.NewListResult(ctx)
			result.DisplayName = object.name
			result.Diagnostics.Append(object.diags...)
			if object.setIdentity != nil {
				result.Diagnostics.Append(object.setIdentity(result.Identity.SetAttribute)...)
			} else {
				result.Diagnostics.Append(result.Identity.Set(ctx, object.identity)...)
			}
			if req.IncludeResource {
				if object.setState != nil {
					result.Diagnostics.Append(object.setState(result.Resource.SetAttribute)...)
				} else {
					result.Diagnostics.Append(result.Resource.Set(ctx, object.state)...)
				}
			}
			if !push(result) {
				return
			}
		}
	}
}

// noTimeouts is what an object without configured timeouts has.
func noTimeouts() timeouts.Value {
	return timeouts.Value{Object: types.ObjectNull(map[string]attr.Type{"create": types.StringType, "delete": types.StringType})}
}

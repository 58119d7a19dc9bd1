package framework

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/float64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/listplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
)

// shapes has an attribute of every type, a block of every nesting, and an identity
// of every type that identities can have. The cloud keeps its whole state as one
// document; what goes in comes out.
type shapes struct {
	base
	protocol int
}

var (
	_ resource.ResourceWithIdentity    = (*shapes)(nil)
	_ resource.ResourceWithImportState = (*shapes)(nil)
)

type shapesIdentity struct {
	ID       types.String  `tfsdk:"id"`
	Zones    types.List    `tfsdk:"zones"`
	Levels   types.List    `tfsdk:"levels"`
	Switches types.List    `tfsdk:"switches"`
	Weight   types.Float64 `tfsdk:"weight"`
	Active   types.Bool    `tfsdk:"active"`
}

// take takes the values that the identity has from the state.
func (i *shapesIdentity) take(ctx context.Context, state tfsdk.State) diag.Diagnostics {
	var diags diag.Diagnostics
	for name, target := range map[string]any{
		"zones": &i.Zones, "levels": &i.Levels, "switches": &i.Switches, "weight": &i.Weight, "active": &i.Active,
	} {
		diags.Append(state.GetAttribute(ctx, path.Root(name), target)...)
	}
	return diags
}

// keyList is a list that the identity has, too.
func keyList(element attr.Type) schema.ListAttribute {
	return schema.ListAttribute{Optional: true, ElementType: element, PlanModifiers: []planmodifier.List{listplanmodifier.RequiresReplace()}}
}

func (r *shapes) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	pair := types.ObjectType{AttrTypes: map[string]attr.Type{"key": types.StringType, "value": types.Int64Type}}
	inner := func() map[string]schema.Attribute {
		return map[string]schema.Attribute{
			"name":    schema.StringAttribute{Required: true},
			"note":    schema.StringAttribute{Optional: true},
			"kind":    schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("plain")},
			"numbers": schema.ListAttribute{Optional: true, ElementType: types.Int64Type},
		}
	}
	resp.Schema = schema.Schema{
		Description: "Everything that a schema can have.",
		Attributes: map[string]schema.Attribute{
			"id":   schema.StringAttribute{Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()}},
			"name": schema.StringAttribute{Required: true},

			// In the identity too.
			"zones":    keyList(types.StringType),
			"levels":   keyList(types.Float64Type),
			"switches": keyList(types.BoolType),
			"weight":   schema.Float64Attribute{Optional: true, PlanModifiers: []planmodifier.Float64{float64planmodifier.RequiresReplace()}},
			"active":   schema.BoolAttribute{Optional: true, PlanModifiers: []planmodifier.Bool{boolplanmodifier.RequiresReplace()}},

			"a_bool":          schema.BoolAttribute{Optional: true},
			"an_int64":        schema.Int64Attribute{Optional: true},
			"a_float64":       schema.Float64Attribute{Optional: true},
			"a_number":        schema.NumberAttribute{Optional: true},
			"anything":        schema.DynamicAttribute{Optional: true},
			"strings_list":    schema.ListAttribute{Optional: true, ElementType: types.StringType},
			"strings_set":     schema.SetAttribute{Optional: true, ElementType: types.StringType},
			"strings_map":     schema.MapAttribute{Optional: true, ElementType: types.StringType},
			"map_of_lists":    schema.MapAttribute{Optional: true, ElementType: types.ListType{ElemType: types.Int64Type}},
			"an_object":       schema.ObjectAttribute{Optional: true, AttributeTypes: pair.AttrTypes},
			"objects_list":    schema.ListAttribute{Optional: true, ElementType: pair},
			"computed_list":   schema.ListAttribute{Computed: true, ElementType: pair},
			"computed_string": schema.StringAttribute{Computed: true},
		},
		Blocks: map[string]schema.Block{
			"single_block": schema.SingleNestedBlock{Attributes: map[string]schema.Attribute{
				"note": schema.StringAttribute{Optional: true}, "kind": schema.StringAttribute{Optional: true},
			}},
			"list_block": schema.ListNestedBlock{NestedObject: schema.NestedBlockObject{
				Attributes: inner(),
				Blocks: map[string]schema.Block{
					"deep_block": schema.SetNestedBlock{NestedObject: schema.NestedBlockObject{Attributes: map[string]schema.Attribute{
						"note": schema.StringAttribute{Optional: true},
					}}},
				},
			}},
			// No defaults here: within sets, they do not find their elements again.
			"set_block": schema.SetNestedBlock{NestedObject: schema.NestedBlockObject{Attributes: map[string]schema.Attribute{
				"name": schema.StringAttribute{Required: true}, "note": schema.StringAttribute{Optional: true},
			}}},
		},
	}
	if r.protocol < 6 {
		return
	}
	resp.Schema.Attributes["single_nested"] = schema.SingleNestedAttribute{Optional: true, Attributes: map[string]schema.Attribute{
		"name": schema.StringAttribute{Required: true},
		"deep": schema.MapNestedAttribute{Optional: true, NestedObject: schema.NestedAttributeObject{Attributes: inner()}},
	}}
	resp.Schema.Attributes["list_nested"] = schema.ListNestedAttribute{
		Optional: true, NestedObject: schema.NestedAttributeObject{Attributes: inner()},
	}
	resp.Schema.Attributes["map_nested"] = schema.MapNestedAttribute{
		Optional: true, NestedObject: schema.NestedAttributeObject{Attributes: inner()},
	}
	resp.Schema.Attributes["set_nested"] = schema.SetNestedAttribute{
		Optional: true, NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{Required: true}, "note": schema.StringAttribute{Optional: true},
		}},
	}
	resp.Schema.Attributes["computed_nested"] = schema.ListNestedAttribute{
		Computed: true, NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"key": schema.StringAttribute{Computed: true}, "value": schema.Int64Attribute{Computed: true},
		}},
	}
}

func (r *shapes) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{
		Attributes: map[string]identityschema.Attribute{
			"id":       identityschema.StringAttribute{RequiredForImport: true},
			"zones":    identityschema.ListAttribute{OptionalForImport: true, ElementType: types.StringType},
			"levels":   identityschema.ListAttribute{OptionalForImport: true, ElementType: types.Float64Type},
			"switches": identityschema.ListAttribute{OptionalForImport: true, ElementType: types.BoolType},
			"weight":   identityschema.Float64Attribute{OptionalForImport: true},
			"active":   identityschema.BoolAttribute{OptionalForImport: true},
		},
	}
}

func (r *shapes) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	planned, err := settle(req.Plan.Raw)
	var sent api.Shape
	if err == nil {
		sent, err = shapeOf(planned)
	}
	if err != nil {
		r.fail(&resp.Diagnostics, "create", err)
		return
	}
	task, err := client.Begin(ctx, r.client, api.Shapes, sent)
	if err != nil {
		r.fail(&resp.Diagnostics, "create", err)
		return
	}
	resp.State.Raw = planned
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), task.ObjectID)...)
	identity := shapesIdentity{ID: types.StringValue(task.ObjectID)}
	resp.Diagnostics.Append(identity.take(ctx, resp.State)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if _, err := client.Await(ctx, r.client, api.Shapes, task); err != nil {
		r.fail(&resp.Diagnostics, "create", err)
	}
}

func (r *shapes) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var id types.String
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("id"), &id)...)
	made, err := client.Get(ctx, r.client, api.Shapes, known(id), "")
	if client.NotFound(err) {
		resp.State.RemoveResource(ctx)
		return
	}
	if err == nil {
		resp.State.Raw, err = tfprotov6.RawState{JSON: made.Document}.Unmarshal(resp.State.Schema.Type().TerraformType(ctx))
	}
	if err != nil {
		r.fail(&resp.Diagnostics, "read", err)
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), made.ID)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("name"), made.Name)...)
	identity := shapesIdentity{ID: text(made.ID)}
	resp.Diagnostics.Append(identity.take(ctx, resp.State)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity)...)
}

func (r *shapes) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var id types.String
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("id"), &id)...)
	planned, err := settle(req.Plan.Raw)
	var sent api.Shape
	if err == nil {
		sent, err = shapeOf(planned)
	}
	if err == nil {
		_, err = client.Update(ctx, r.client, api.Shapes, known(id), map[string]any{"name": sent.Name, "document": sent.Document})
	}
	if err != nil {
		r.fail(&resp.Diagnostics, "update", err)
		return
	}
	resp.State.Raw = planned
}

func (r *shapes) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var id types.String
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("id"), &id)...)
	if err := client.Delete(ctx, r.client, api.Shapes, known(id)); err != nil {
		r.fail(&resp.Diagnostics, "delete", err)
	}
}

func (r *shapes) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resource.ImportStatePassthroughWithIdentity(ctx, path.Root("id"), path.Root("id"), req, resp)
}

// settle gives everything that is unknown in a plan a value of its type.
func settle(planned tftypes.Value) (tftypes.Value, error) {
	return tftypes.Transform(planned, func(at *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
		if v.IsKnown() {
			return v, nil
		}
		switch {
		case v.Type().Is(tftypes.String):
			return tftypes.NewValue(tftypes.String, "made by the cloud"), nil
		case v.Type().Is(tftypes.List{}):
			object := v.Type().(tftypes.List).ElementType
			return tftypes.NewValue(v.Type(), []tftypes.Value{tftypes.NewValue(object, map[string]tftypes.Value{
				"key":   tftypes.NewValue(tftypes.String, "made by the cloud"),
				"value": tftypes.NewValue(tftypes.Number, 1),
			})}), nil
		}
		return v, fmt.Errorf("%s is unknown, which only strings and lists of the cloud can be", at)
	})
}

func shapeOf(v tftypes.Value) (api.Shape, error) {
	var shape api.Shape
	document, err := valueToJSON(v, v.Type())
	if err != nil {
		return shape, err
	}
	if shape.Document, err = json.Marshal(document); err != nil {
		return shape, err
	}
	var fields struct {
		Name     string
		Zones    []string
		Levels   []float64
		Switches []bool
		Weight   float64
		Active   bool
	}
	err = json.Unmarshal(shape.Document, &fields)
	shape.Name, shape.Zones, shape.Levels, shape.Switches = fields.Name, fields.Zones, fields.Levels, fields.Switches
	shape.Weight, shape.Active = fields.Weight, fields.Active
	return shape, err
}

// valueToJSON writes a value in the form that states are stored in.
func valueToJSON(v tftypes.Value, as tftypes.Type) (any, error) {
	if v.IsNull() {
		return nil, nil
	}
	if as.Is(tftypes.DynamicPseudoType) {
		name, err := json.Marshal(v.Type())
		if err != nil {
			return nil, err
		}
		value, err := valueToJSON(v, v.Type())
		return map[string]any{"type": json.RawMessage(name), "value": value}, err
	}
	switch as := as.(type) {
	case tftypes.Object:
		var attributes map[string]tftypes.Value
		if err := v.As(&attributes); err != nil {
			return nil, err
		}
		object := map[string]any{}
		for name, attribute := range attributes {
			value, err := valueToJSON(attribute, as.AttributeTypes[name])
			if err != nil {
				return nil, err
			}
			object[name] = value
		}
		return object, nil
	case tftypes.Map:
		var elements map[string]tftypes.Value
		if err := v.As(&elements); err != nil {
			return nil, err
		}
		object := map[string]any{}
		for key, element := range elements {
			value, err := valueToJSON(element, as.ElementType)
			if err != nil {
				return nil, err
			}
			object[key] = value
		}
		return object, nil
	case tftypes.List:
		return listToJSON(v, func(int) tftypes.Type { return as.ElementType })
	case tftypes.Set:
		return listToJSON(v, func(int) tftypes.Type { return as.ElementType })
	case tftypes.Tuple:
		return listToJSON(v, func(i int) tftypes.Type { return as.ElementTypes[i] })
	}
	switch {
	case as.Is(tftypes.String):
		var s string
		err := v.As(&s)
		return s, err
	case as.Is(tftypes.Bool):
		var b bool
		err := v.As(&b)
		return b, err
	case as.Is(tftypes.Number):
		var n *big.Float
		if err := v.As(&n); err != nil {
			return nil, err
		}
		return json.Number(n.Text('g', -1)), nil
	}
	return nil, fmt.Errorf("values of type %s have no JSON form", as)
}

func listToJSON(v tftypes.Value, element func(int) tftypes.Type) (any, error) {
	var elements []tftypes.Value
	if err := v.As(&elements); err != nil {
		return nil, err
	}
	list := []any{}
	for i, e := range elements {
		value, err := valueToJSON(e, element(i))
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	return list, nil
}

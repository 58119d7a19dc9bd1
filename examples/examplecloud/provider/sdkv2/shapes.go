package sdkv2

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
)

// resourceShapes has an attribute of every type, a block of every nesting, and an
// identity of every type that identities can have. The cloud keeps all its arguments
// as one document; what goes in comes out.
func resourceShapes() *schema.Resource {
	text := func() *schema.Schema { return &schema.Schema{Type: schema.TypeString, Optional: true} }
	strings, floats, bools := &schema.Schema{Type: schema.TypeString}, &schema.Schema{Type: schema.TypeFloat},
		&schema.Schema{Type: schema.TypeBool}
	inner := func() map[string]*schema.Schema {
		return map[string]*schema.Schema{
			"name":    {Type: schema.TypeString, Required: true},
			"note":    text(),
			"kind":    {Type: schema.TypeString, Optional: true, Default: "plain"},
			"numbers": {Type: schema.TypeList, Optional: true, Elem: &schema.Schema{Type: schema.TypeInt}},
		}
	}
	pair := &schema.Resource{Schema: map[string]*schema.Schema{
		"key":   {Type: schema.TypeString, Computed: true},
		"value": {Type: schema.TypeInt, Computed: true},
	}}
	listBlock := inner()
	listBlock["deep_block"] = &schema.Schema{
		Type: schema.TypeSet, Optional: true, Elem: &schema.Resource{Schema: map[string]*schema.Schema{"note": text()}},
	}
	return &schema.Resource{
		Description: "Everything that a schema can have.",
		Schema: map[string]*schema.Schema{
			"name": {Type: schema.TypeString, Required: true},

			// In the identity too.
			"zones":    {Type: schema.TypeList, Optional: true, ForceNew: true, Elem: strings},
			"levels":   {Type: schema.TypeList, Optional: true, ForceNew: true, Elem: floats},
			"switches": {Type: schema.TypeList, Optional: true, ForceNew: true, Elem: bools},
			"weight":   {Type: schema.TypeFloat, Optional: true, ForceNew: true},
			"active":   {Type: schema.TypeBool, Optional: true, ForceNew: true},

			"a_bool":       {Type: schema.TypeBool, Optional: true},
			"an_int64":     {Type: schema.TypeInt, Optional: true},
			"a_float64":    {Type: schema.TypeFloat, Optional: true},
			"strings_list": {Type: schema.TypeList, Optional: true, Elem: strings},
			"strings_set":  {Type: schema.TypeSet, Optional: true, Elem: strings},
			"strings_map":  {Type: schema.TypeMap, Optional: true, Elem: strings},
			"numbers_map":  {Type: schema.TypeMap, Optional: true, Elem: &schema.Schema{Type: schema.TypeInt}},
			"lists_list": {
				Type: schema.TypeList, Optional: true,
				Elem: &schema.Schema{Type: schema.TypeList, Elem: &schema.Schema{Type: schema.TypeInt}},
			},
			"computed_list":   {Type: schema.TypeList, Computed: true, Elem: pair},
			"computed_string": {Type: schema.TypeString, Computed: true},

			"single_block": {
				Type: schema.TypeList, Optional: true, MaxItems: 1,
				Elem: &schema.Resource{Schema: map[string]*schema.Schema{"note": text(), "kind": text()}},
			},
			"list_block": {Type: schema.TypeList, Optional: true, Elem: &schema.Resource{Schema: listBlock}},
			"set_block": {
				Type: schema.TypeSet, Optional: true,
				Elem: &schema.Resource{
					Schema: map[string]*schema.Schema{
						"name": {Type: schema.TypeString, Required: true}, "note": text(),
					},
				},
			},
			"computed_block": {
				Type: schema.TypeList, Optional: true, Computed: true, Elem: &schema.Resource{
					Schema: map[string]*schema.Schema{"note": text()},
				},
			},
			// Blocks in the schema, an attribute for those who write: an empty list removes them.
			"attribute_block": {
				Type: schema.TypeList, Optional: true, Computed: true, ConfigMode: schema.SchemaConfigModeAttr,
				Elem: &schema.Resource{Schema: map[string]*schema.Schema{"note": text()}},
			},
		},
		Identity: &schema.ResourceIdentity{
			SchemaFunc: func() map[string]*schema.Schema {
				return map[string]*schema.Schema{
					"id":       {Type: schema.TypeString, RequiredForImport: true},
					"zones":    {Type: schema.TypeList, OptionalForImport: true, Elem: strings},
					"levels":   {Type: schema.TypeList, OptionalForImport: true, Elem: floats},
					"switches": {Type: schema.TypeList, OptionalForImport: true, Elem: bools},
					"weight":   {Type: schema.TypeFloat, OptionalForImport: true},
					"active":   {Type: schema.TypeBool, OptionalForImport: true},
				}
			},
		},
		Importer: &schema.ResourceImporter{StateContext: schema.ImportStatePassthroughWithIdentity("id")},
		CreateContext: func(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
			c := clientOf(meta)
			sent, err := shapeOf(d)
			if err != nil {
				return fail("create the shapes", err)
			}
			task, err := client.Begin(ctx, c, api.Shapes, sent)
			if err != nil {
				return fail("create the shapes", err)
			}
			d.SetId(task.ObjectID)
			sent.ID = task.ObjectID
			if diags := shapesTake(d, sent); diags.HasError() {
				return diags
			}
			if _, err := client.Await(ctx, c, api.Shapes, task); err != nil {
				return fail("create the shapes", err)
			}
			return nil
		},
		ReadContext: func(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
			made, err := client.Get(ctx, clientOf(meta), api.Shapes, d.Id(), "")
			if client.NotFound(err) {
				d.SetId("")
				return nil
			}
			if err != nil {
				return fail("read the shapes", err)
			}
			return shapesTake(d, made)
		},
		UpdateContext: func(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
			sent, err := shapeOf(d)
			if err != nil {
				return fail("update the shapes", err)
			}
			made, err := client.Update(ctx, clientOf(meta), api.Shapes, d.Id(), map[string]any{"name": sent.Name, "document": sent.Document})
			if err != nil {
				return fail("update the shapes", err)
			}
			return shapesTake(d, made)
		},
		DeleteContext: func(ctx context.Context, d *schema.ResourceData, meta any) diag.Diagnostics {
			if err := client.Delete(ctx, clientOf(meta), api.Shapes, d.Id()); err != nil {
				return fail("delete the shapes", err)
			}
			return nil
		},
	}
}

var shapesArguments = []string{
	"name", "zones", "levels", "switches", "weight", "active", "a_bool", "an_int64", "a_float64", "strings_list",
	"strings_set", "strings_map", "numbers_map",
	"lists_list", "single_block", "list_block", "set_block", "computed_block", "attribute_block",
}

func shapeOf(d *schema.ResourceData) (api.Shape, error) {
	document := map[string]any{}
	for _, name := range shapesArguments {
		document[name] = plain(d.Get(name))
	}
	text, err := json.Marshal(document)
	if err != nil {
		return api.Shape{}, err
	}
	shape := api.Shape{Name: get(d, "name"), Weight: d.Get("weight").(float64), Active: d.Get("active").(bool), Document: text}
	shape.Zones, shape.Levels, shape.Switches = elements[string](d, "zones"), elements[float64](d, "levels"), elements[bool](d, "switches")
	return shape, nil
}

func elements[T any](d *schema.ResourceData, name string) []T {
	var out []T
	for _, e := range d.Get(name).([]any) {
		element, _ := e.(T)
		out = append(out, element)
	}
	return out
}

// plain turns sets, at any depth, into lists.
func plain(value any) any {
	switch value := value.(type) {
	case *schema.Set:
		return plain(value.List())
	case []any:
		list := make([]any, len(value))
		for i, element := range value {
			list[i] = plain(element)
		}
		return list
	case map[string]any:
		object := map[string]any{}
		for name, attribute := range value {
			object[name] = plain(attribute)
		}
		return object
	}
	return value
}

func shapesTake(d *schema.ResourceData, made api.Shape) diag.Diagnostics {
	var document map[string]any
	if err := json.Unmarshal(made.Document, &document); err != nil {
		return diag.FromErr(fmt.Errorf("document of %s: %w", made.ID, err))
	}
	document["name"] = made.Name
	document["computed_string"] = "made by the cloud"
	document["computed_list"] = []any{map[string]any{"key": "made by the cloud", "value": 1}}
	return append(set(d, document), setIdentity(d, map[string]any{
		"id": made.ID, "zones": made.Zones, "levels": made.Levels, "switches": made.Switches, "weight": made.Weight, "active": made.Active,
	})...)
}

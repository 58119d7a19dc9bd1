package generator

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/model"
)

// The directory of examples, and the Secret with their sensitive values.
const exampleNamespace, exampleSecret = "default", "example"

// ExampleSecret is each sensitive value of an example.
const ExampleSecret = "example"

// example returns a manifest that the API server accepts: with the configuration of the provider's
// documentation, if there is one, and the required fields.
func (k *kind) example() map[string]any {
	r := k.resource
	root := k.version().Schema.OpenAPIV3Schema
	return map[string]any{
		"apiVersion": r.Group + "/" + r.Version,
		"kind":       r.Kind,
		"metadata":   map[string]any{"name": "example", "namespace": exampleNamespace},
		"spec":       map[string]any{"forProvider": exampleObject(r.Root(), root.Properties["spec"].Properties["forProvider"], k.configuration)},
	}
}

// Example returns spec.forProvider of the example of a resource type's kind, with a configuration
// as schema.Record.Examples has them; nil: there is none.
func Example(r *model.Resource, configuration map[string]any) (map[string]any, error) {
	d, err := crd.Resource(r)
	if err != nil {
		return nil, err
	}
	spec := d.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	return exampleObject(r.Root(), spec.Properties["forProvider"], configuration), nil
}

// importExample returns spec.import.
func (k *kind) importExample() map[string]any {
	identity := k.resource.Identity()
	if identity == nil {
		return map[string]any{"import": map[string]any{"id": "example"}}
	}
	schema := k.version().Schema.OpenAPIV3Schema.Properties["spec"].Properties["import"].Properties["identity"]
	return map[string]any{"import": map[string]any{"identity": exampleObject(identity, schema, nil)}}
}

// exampleObject returns an object with the required fields, and those of given, which has
// Terraform's names.
func exampleObject(t *model.Type, schema props, given map[string]any) map[string]any {
	out := map[string]any{}
	if t.Object == nil || schema.XPreserveUnknownFields != nil {
		return out
	}
	for _, f := range t.Object.Settable() {
		switch v := given[f.Name]; {
		case !f.Input || !f.Required && v == nil:
		case f.SecretRef != "":
			out[f.SecretRef] = exampleSecretRef(schema.Properties[f.SecretRef])
		default:
			out[f.JSONName] = exampleValue(f.Type, schema.Properties[f.JSONName], v)
		}
	}
	return out
}

// exampleSecretRef returns the reference to a sensitive value.
func exampleSecretRef(schema props) map[string]any {
	out := map[string]any{"name": exampleSecret, "key": "value"}
	if _, ok := schema.Properties["namespace"]; ok {
		out["namespace"] = exampleNamespace
	}
	return out
}

func exampleValue(t *model.Type, schema props, given any) any {
	switch {
	case schema.Type == "array":
		elements, _ := given.([]any)
		if elements == nil {
			n := int64(1)
			if schema.MinItems != nil {
				n = max(n, *schema.MinItems)
			}
			elements = make([]any, n)
		}
		out := []any{}
		for _, x := range elements {
			switch {
			case t.Element != nil:
				out = append(out, exampleValue(t.Element, *schema.Items.Schema, x))
			case x == nil:
				out = append(out, "example")
			default:
				out = append(out, x)
			}
		}
		return out
	case schema.Type == "object" && schema.AdditionalProperties != nil:
		elements, _ := given.(map[string]any)
		if elements == nil {
			elements = map[string]any{"key": nil}
		}
		out := map[string]any{}
		for key, x := range elements {
			out[key] = exampleValue(t.Element, *schema.AdditionalProperties.Schema, x)
		}
		return out
	case schema.Type == "object":
		if t.Singleton {
			t = t.Element
			if elements, ok := given.([]any); ok && len(elements) > 0 {
				given = elements[0]
			}
		}
		fields, _ := given.(map[string]any)
		return exampleObject(t, schema, fields)
	default:
		return examplePrimitive(schema.Type, given)
	}
}

// examplePrimitive returns a value in the type in which it is presented.
func examplePrimitive(typ string, given any) any {
	text := fmt.Sprint(given)
	switch typ {
	case "number", "integer":
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			return v
		}
		return 1
	case "boolean":
		return text != "false"
	case "string":
		if _, ok := given.(string); !ok && given != nil {
			raw, _ := json.Marshal(given) // it comes from JSON
			return string(raw)
		}
	}
	if given == nil {
		return "example"
	}
	return given
}

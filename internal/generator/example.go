package generator

import (
	"github.com/landbridge-io/landbridge/internal/model"
)

// The directory of examples, and the Secret with their sensitive values.
const exampleNamespace, exampleSecret = "default", "example"

// example returns a manifest with the required fields only, which the API server accepts.
func (k *kind) example() map[string]any {
	r := k.resource
	root := k.version().Schema.OpenAPIV3Schema
	return map[string]any{
		"apiVersion": r.Group + "/" + r.Version,
		"kind":       r.Kind,
		"metadata":   map[string]any{"name": "example", "namespace": exampleNamespace},
		"spec":       map[string]any{"forProvider": exampleObject(r.Root(), root.Properties["spec"].Properties["forProvider"])},
	}
}

// importExample returns spec.import.
func (k *kind) importExample() map[string]any {
	identity := k.resource.Identity()
	if identity == nil {
		return map[string]any{"import": map[string]any{"id": "example"}}
	}
	schema := k.version().Schema.OpenAPIV3Schema.Properties["spec"].Properties["import"].Properties["identity"]
	return map[string]any{"import": map[string]any{"identity": exampleObject(identity, schema)}}
}

func exampleObject(t *model.Type, schema props) map[string]any {
	out := map[string]any{}
	if t.Object == nil || schema.XPreserveUnknownFields != nil {
		return out
	}
	for _, f := range t.Object.Settable() {
		switch {
		case !f.Input || !f.Required:
		case f.SecretRef != "":
			out[f.SecretRef] = exampleSecretRef(schema.Properties[f.SecretRef])
		default:
			out[f.JSONName] = exampleValue(f.Type, schema.Properties[f.JSONName])
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

func exampleValue(t *model.Type, schema props) any {
	switch {
	case schema.Type == "number", schema.Type == "integer":
		return 1
	case schema.Type == "boolean":
		return true
	case schema.Type == "array":
		n := int64(1)
		if schema.MinItems != nil {
			n = max(n, *schema.MinItems)
		}
		var out []any
		for range n {
			if t.Element == nil {
				out = append(out, "example")
				continue
			}
			out = append(out, exampleValue(t.Element, *schema.Items.Schema))
		}
		return out
	case schema.Type == "object" && schema.AdditionalProperties != nil:
		return map[string]any{"key": exampleValue(t.Element, *schema.AdditionalProperties.Schema)}
	case schema.Type == "object" && t.Singleton:
		return exampleObject(t.Element, schema)
	case schema.Type == "object":
		return exampleObject(t, schema)
	default:
		return "example"
	}
}

package crd

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"
)

// draft is the version of JSON Schema that editors and kubeconform know.
const draft = "http://json-schema.org/draft-07/schema#"

// JSONSchema is the JSON schema of a kind in one version.
type JSONSchema struct {
	Group, Version, Kind string
	Document             map[string]any
}

// Path returns the path of its file in the layout that kubeconform expects.
func (s JSONSchema) Path() string {
	return s.Group + "/" + strings.ToLower(s.Kind) + "_" + s.Version + ".json"
}

// JSONSchemas returns the JSON schemas of the served versions of a CRD, for editors and linters.
// Fields that the kind does not have are errors. Rules in CEL cannot be expressed, and are left to
// the API server.
func JSONSchemas(d *apiextensionsv1.CustomResourceDefinition) ([]JSONSchema, error) {
	var out []JSONSchema
	for _, v := range d.Spec.Versions {
		if !v.Served {
			continue
		}
		if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			return nil, fmt.Errorf("%s: the version %s has no schema", d.Name, v.Name)
		}
		s := JSONSchema{Group: d.Spec.Group, Version: v.Name, Kind: d.Spec.Names.Kind}
		root := v.Schema.OpenAPIV3Schema.DeepCopy()
		if root.Properties == nil {
			root.Properties = map[string]props{}
		}
		for name, value := range map[string]string{"apiVersion": s.Group + "/" + s.Version, "kind": s.Kind} {
			p := enum(root.Properties[name].Description, value)
			root.Properties[name] = p
			if !slices.Contains(root.Required, name) {
				root.Required = append(root.Required, name)
			}
		}
		// The API server itself checks the metadata, whatever the CRD says.
		root.Properties["metadata"] = props{Type: "object", XPreserveUnknownFields: ptr.To(true)}
		root.Required = append(root.Required, "metadata")
		slices.Sort(root.Required)
		document, err := jsonSchema(root)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.Name, err)
		}
		document["$schema"] = draft
		s.Document = document
		out = append(out, s)
	}
	return out, nil
}

// jsonSchema translates a structural schema, which is of OpenAPI.
func jsonSchema(p *props) (map[string]any, error) {
	bare := *p
	bare.Properties, bare.Items, bare.AdditionalProperties = nil, nil, nil
	raw, err := json.Marshal(bare)
	if err != nil {
		return nil, err
	}
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil {
		return nil, err
	}
	for name := range out {
		if strings.HasPrefix(name, "x-kubernetes-") {
			delete(out, name)
		}
	}
	delete(out, "nullable")
	if p.XIntOrString {
		delete(out, "anyOf")
		delete(out, "pattern") // of the text alone
		out["type"] = []any{"integer", "string"}
	}
	if t := out["type"]; p.Nullable && t != nil {
		if all, ok := t.([]any); ok {
			out["type"] = append(all, "null")
		} else {
			out["type"] = []any{t, "null"}
		}
		if values, ok := out["enum"].([]any); ok {
			out["enum"] = append(values, nil)
		}
	}
	// In OpenAPI, these say whether a bound is exclusive; in JSON Schema they are the bounds.
	for exclusive, bound := range map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"} {
		if out[exclusive] == true {
			out[exclusive] = out[bound]
			delete(out, bound)
		} else {
			delete(out, exclusive)
		}
	}
	if p.XListType != nil && *p.XListType == "set" {
		out["uniqueItems"] = true
	}
	return out, inner(p, out)
}

// inner adds the schemas of fields and elements.
func inner(p *props, out map[string]any) error {
	if len(p.Properties) > 0 {
		fields := map[string]any{}
		for name, f := range p.Properties {
			s, err := jsonSchema(&f)
			if err != nil {
				return err
			}
			fields[name] = s
		}
		out["properties"] = fields
	}
	switch open := p.XPreserveUnknownFields != nil && *p.XPreserveUnknownFields || p.XEmbeddedResource; {
	case p.Type != "object" || open:
	case p.AdditionalProperties == nil:
		out["additionalProperties"] = false
	case p.AdditionalProperties.Schema == nil:
		out["additionalProperties"] = p.AdditionalProperties.Allows
	default:
		s, err := jsonSchema(p.AdditionalProperties.Schema)
		if err != nil {
			return err
		}
		out["additionalProperties"] = s
	}
	if p.Items == nil || p.Items.Schema == nil {
		return nil
	}
	s, err := jsonSchema(p.Items.Schema)
	out["items"] = s
	return err
}

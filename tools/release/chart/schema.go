package chart

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	helm "helm.sh/helm/v3/pkg/chart"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// SchemaFile is the name of the schema of the chart's values.
const SchemaFile = "values.schema.json"

// generated begins the part of the schema that Schema writes, which is its end.
const generated = "\n  \"definitions\": "

// Schema returns the schema of the chart's values with the fields of TerraformProviders, as their
// definition in the chart has them. Helm itself would only warn of an unknown field, and the API
// server would drop it.
func Schema(c *helm.Chart) ([]byte, error) {
	own, _, ok := bytes.Cut(c.Schema, []byte(generated))
	if !ok {
		return nil, fmt.Errorf("%s has no definitions", SchemaFile)
	}
	definitions, err := CRDs(c)
	if err != nil {
		return nil, err
	}
	for _, d := range definitions {
		if d.Object.GetName() != "terraformproviders.landbridge.io" {
			continue
		}
		spec, err := specOf(d.Object)
		if err != nil {
			return nil, err
		}
		var out bytes.Buffer
		out.Write(own)
		out.WriteString(generated)
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(false)
		e.SetIndent("  ", "  ")
		if err := e.Encode(map[string]any{"TerraformProviderSpec": strict(spec)}); err != nil {
			return nil, err
		}
		out.WriteString("}\n")
		return out.Bytes(), nil
	}
	return nil, errors.New("the chart has no definition of TerraformProviders")
}

// specOf returns the schema of spec in a definition of one version.
func specOf(definition *unstructured.Unstructured) (map[string]any, error) {
	versions, _, err := unstructured.NestedSlice(definition.Object, "spec", "versions")
	if err != nil || len(versions) != 1 {
		return nil, fmt.Errorf("%s has %d versions: %w", definition.GetName(), len(versions), err)
	}
	version, _ := versions[0].(map[string]any)
	spec, ok, err := unstructured.NestedMap(version, "schema", "openAPIV3Schema", "properties", "spec")
	if err != nil || !ok {
		return nil, fmt.Errorf("%s has no spec: %w", definition.GetName(), err)
	}
	return spec, nil
}

// kept are the keywords that mean the same in a structural schema and in JSON Schema.
var kept = []string{
	"type", "enum", "pattern", "required", "minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems",
	"minProperties", "maxProperties",
}

// strict returns a structural schema as JSON Schema, which refuses unknown fields.
func strict(s map[string]any) map[string]any {
	out := map[string]any{}
	for _, keyword := range kept {
		if v, ok := s[keyword]; ok {
			out[keyword] = v
		}
	}
	if s["x-kubernetes-int-or-string"] == true {
		out["type"] = []any{"integer", "string"}
	}
	if properties, ok := s["properties"].(map[string]any); ok {
		below := map[string]any{}
		for name, p := range properties {
			below[name] = strict(p.(map[string]any))
		}
		out["properties"] = below
		if s["x-kubernetes-preserve-unknown-fields"] != true {
			out["additionalProperties"] = false
		}
	}
	for _, keyword := range []string{"items", "additionalProperties"} {
		if below, ok := s[keyword].(map[string]any); ok {
			out[keyword] = strict(below)
		}
	}
	return out
}

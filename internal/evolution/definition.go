package evolution

import (
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

type props = apiextensionsv1.JSONSchemaProps

// FromDefinition returns a kind in one version of its CustomResourceDefinition, which package crd
// made. It returns an error for definitions of other kinds.
func FromDefinition(d *apiextensionsv1.CustomResourceDefinition, version string) (*Kind, error) {
	i := slices.IndexFunc(d.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == version })
	if i < 0 {
		return nil, fmt.Errorf("%s: there is no version %s", d.Name, version)
	}
	v := d.Spec.Versions[i]
	if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
		return nil, fmt.Errorf("%s: the version %s has no schema", d.Name, version)
	}
	k := &Kind{
		ResourceType: d.Annotations[v1alpha1.AnnotationResourceType],
		Group:        d.Spec.Group, Version: version, Kind: d.Spec.Names.Kind, Plural: d.Spec.Names.Plural,
		Parts: map[string]*Node{}, IdentityVersion: -1,
	}
	root := v.Schema.OpenAPIV3Schema
	if k.ResourceType == "" {
		k.Parts[ConfigSpec] = fromSchema(root.Properties["spec"])
		return k, k.rename(d)
	}
	for _, part := range []string{ForProvider, AtProvider, ImportIdentity, Identity} {
		if s, ok := at(*root, part); ok {
			k.Parts[part] = fromSchema(s)
		}
	}
	spec := root.Properties["spec"]
	for _, rule := range spec.XValidations {
		// These names are part of the Crossplane Resource Model.
		path, _, ok := strings.Cut(rule.Message, " is a required parameter")
		for _, part := range []string{ForProvider, ImportIdentity} {
			if name, of := strings.CutPrefix(path, part+"."); ok && of && k.Parts[part] != nil {
				if f := k.Parts[part].named(name); f != nil {
					f.Required = true
				}
			}
		}
	}
	return k, k.rename(d)
}

// named returns the field at a path with dots; [*] stands for the elements of a list.
func (n *Node) named(path string) *Field {
	var f *Field
	for name := range strings.SplitSeq(path, ".") {
		name, lists := strings.CutSuffix(name, "[*]")
		if f = n.Fields[name]; f == nil {
			return nil
		}
		n = f.Node
		if lists && n.Element != nil {
			n = n.Element
		}
	}
	return f
}

func at(schema props, path string) (props, bool) {
	for name := range strings.SplitSeq(path, ".") {
		p, ok := schema.Properties[name]
		if !ok {
			return props{}, false
		}
		schema = p
	}
	return schema, true
}

func fromSchema(s props) *Node {
	n := typed(s)
	n.Nullable = s.Nullable
	return n
}

func typed(s props) *Node {
	if s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields {
		return &Node{Form: Any}
	}
	switch s.Type {
	case "string":
		return &Node{Form: String}
	case "number", "integer":
		return &Node{Form: Number}
	case "boolean":
		return &Node{Form: Bool}
	case "array":
		n := &Node{Form: List, Element: &Node{Form: Any}}
		if s.XListType != nil && *s.XListType == "set" {
			n.Form = Set
		}
		if s.Items != nil && s.Items.Schema != nil {
			n.Element = fromSchema(*s.Items.Schema)
		}
		if s.MinItems != nil {
			n.MinItems = *s.MinItems
		}
		if s.MaxItems != nil {
			n.MaxItems = *s.MaxItems
		}
		return n
	case "object":
		if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
			return &Node{Form: Map, Element: fromSchema(*s.AdditionalProperties.Schema)}
		}
		n := &Node{Form: Object, Fields: make(map[string]*Field, len(s.Properties))}
		for name, p := range s.Properties {
			f := &Field{Node: fromSchema(p), Required: slices.Contains(s.Required, name)}
			if isSecretRef(name, p) {
				f.Node = &Node{Form: SecretRef}
			}
			n.Fields[name] = f
		}
		return n
	default:
		return &Node{Form: Any}
	}
}

// isSecretRef reports whether a schema is that of a reference to a key of a Secret, as package crd
// makes it.
func isSecretRef(name string, s props) bool {
	if !strings.Contains(name, secretSuffix) || s.Type != "object" || !slices.Contains(s.Required, "key") ||
		!slices.Contains(s.Required, "name") {
		return false
	}
	for p := range s.Properties {
		if p != "key" && p != "name" && p != "namespace" {
			return false
		}
	}
	return true
}

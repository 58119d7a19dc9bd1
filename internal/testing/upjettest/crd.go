package upjettest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/schema"
)

type m = map[string]any

// Provider is a provider that Upjet has generated.
type Provider struct {
	Name   string // hcloud
	Schema *schema.Provider
	// Namespaced is set for kinds in namespaces, as Upjet v2 generates them beside the others.
	Namespaced bool
	// Omitted are the arguments of resource types that are given by the external name
	// (config.ExternalName.OmittedFields).
	Omitted map[string][]string
	// References are the arguments of resource types that can be taken from others
	// (config.Resource.References).
	References map[string][]string
}

// Group returns the API group of its own configuration.
func (p Provider) Group() string {
	if p.Namespaced {
		return p.Name + ".m.crossplane.io"
	}
	return p.Name + ".crossplane.io"
}

// APIVersion and Kind return those of a resource type.
func (p Provider) APIVersion(resourceType string) string {
	group, _ := groupKind(resourceType)
	if group != "" {
		group += "."
	}
	return group + p.Group() + "/v1alpha1"
}

// Definitions returns the CRDs of resource types, and those of the provider's configuration.
func (p Provider) Definitions(types ...string) []*unstructured.Unstructured {
	var out []*unstructured.Unstructured
	for _, t := range types {
		_, kind := groupKind(t)
		group, _, _ := strings.Cut(p.APIVersion(t), "/")
		out = append(out, p.definition(group, kind, "v1alpha1", p.Namespaced, "managed", p.resource(p.Schema.Resources[t])))
	}
	out = append(out, p.definition(p.Group(), "ProviderConfig", "v1beta1", p.Namespaced, "provider", config()))
	if p.Namespaced {
		out = append(out, p.definition(p.Group(), "ClusterProviderConfig", "v1beta1", false, "provider", config()))
	}
	return out
}

func (p Provider) definition(group, kind, version string, namespaced bool, category string, properties m) *unstructured.Unstructured {
	plural := strings.ToLower(kind) + "s"
	if strings.HasSuffix(plural, "ys") {
		plural = strings.TrimSuffix(plural, "ys") + "ies"
	}
	if strings.HasSuffix(kind, "Key") {
		plural = strings.ToLower(kind) + "s"
	}
	scope := "Cluster"
	if namespaced {
		scope = "Namespaced"
	}
	return &unstructured.Unstructured{Object: m{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": m{"name": plural + "." + group},
		"spec": m{
			"group": group, "scope": scope,
			"names": m{
				"kind": kind, "listKind": kind + "List", "plural": plural, "singular": strings.ToLower(kind),
				"categories": []any{"crossplane", category, p.Name},
			},
			"versions": []any{m{
				"name": version, "served": true, "storage": true, "subresources": m{"status": m{}},
				"schema": m{"openAPIV3Schema": m{
					"type": "object", "required": []any{"spec"},
					"properties": merged(m{"apiVersion": text(), "kind": text(), "metadata": m{"type": "object"}}, properties),
				}},
			}},
		},
	}}
}

func merged(all ...m) m {
	out := m{}
	for _, x := range all {
		maps.Copy(out, x)
	}
	return out
}

func text() m { return m{"type": "string"} }

func object(properties m, required ...any) m {
	out := m{"type": "object", "properties": properties}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

func secretKey(namespaced bool) m {
	if namespaced {
		return object(m{"name": text(), "key": text()}, "key", "name")
	}
	return object(m{"name": text(), "namespace": text(), "key": text()}, "key", "name", "namespace")
}

// config returns the schema of a provider configuration: credentials from a source, of which Secret
// is the usual one.
func config() m {
	return m{
		"spec": object(m{"credentials": object(m{
			"source":    m{"type": "string", "enum": []any{"None", "Secret", "InjectedIdentity", "Environment", "Filesystem"}},
			"secretRef": secretKey(false), "env": object(m{"name": text()}, "name"), "fs": object(m{"path": text()}, "path"),
		}, "source")}, "credentials"),
		"status": object(m{"users": m{"type": "integer", "format": "int64"}}),
	}
}

// resource returns the schema of a managed resource. Arguments are in forProvider and initProvider,
// all attributes that are not sensitive in atProvider. Top-level arguments that the provider
// requires are required by a rule, unless the resource only observes.
func (p Provider) resource(r *schema.Resource) m {
	arguments, observed := m{}, m{}
	var rules []any
	for _, name := range slices.Sorted(maps.Keys(r.Block.Attributes)) {
		a := r.Block.Attributes[name]
		if slices.Contains(p.Omitted[r.Type], name) {
			continue
		}
		input := (a.Required || a.Optional) && name != "id"
		field := FieldName(name)
		if a.Sensitive {
			if input {
				field += "SecretRef"
				arguments[field] = secretKey(p.Namespaced)
			}
		} else {
			observed[field] = value(a.Type)
			if input {
				arguments[field] = value(a.Type)
			}
		}
		if input && a.Required {
			rules = append(rules, m{
				"message": fmt.Sprintf("spec.forProvider.%s is a required parameter", field),
				"rule": fmt.Sprintf("!('*' in self.managementPolicies || 'Create' in self.managementPolicies || "+
					"'Update' in self.managementPolicies) || "+
					"has(self.forProvider.%s) || (has(self.initProvider) && has(self.initProvider.%s))", field, field),
			})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Block.Blocks)) {
		b := block(r.Block.Blocks[name].Block, p.Namespaced)
		// Every block is a list, in Upjet's first versions also one of which there is at most one.
		list := m{"type": "array", "items": b}
		arguments[FieldName(name)], observed[FieldName(name)] = list, list
	}
	for _, name := range p.References[r.Type] {
		arguments[FieldName(name)+"Ref"] = object(m{"name": text()}, "name")
		arguments[FieldName(name)+"Selector"] = object(m{
			"matchControllerRef": m{"type": "boolean"}, "matchLabels": m{
				"type": "object", "additionalProperties": text(),
			},
		})
	}
	spec := object(m{
		"forProvider": object(arguments), "initProvider": object(arguments),
		"managementPolicies": m{
			"type": "array", "default": []any{"*"},
			"items": m{"type": "string", "enum": []any{"Observe", "Create", "Update", "Delete", "LateInitialize", "*"}},
		},
		"providerConfigRef":          merged(object(m{"name": text()}, "name"), m{"default": m{"name": "default"}}),
		"writeConnectionSecretToRef": object(m{"name": text(), "namespace": text()}, "name", "namespace"),
		"deletionPolicy":             m{"type": "string", "default": "Delete", "enum": []any{"Orphan", "Delete"}},
	}, "forProvider")
	if p.Namespaced {
		properties := spec["properties"].(m)
		delete(properties, "deletionPolicy")
		properties["providerConfigRef"] = merged(object(m{"name": text(), "kind": text()}, "kind", "name"),
			m{"default": m{"kind": "ClusterProviderConfig", "name": "default"}})
		properties["writeConnectionSecretToRef"] = object(m{"name": text()}, "name")
	}
	if len(rules) > 0 {
		spec["x-kubernetes-validations"] = rules
	}
	condition := object(m{
		"type": text(), "status": text(), "reason": text(), "message": text(),
		"lastTransitionTime": m{"type": "string", "format": "date-time"}, "observedGeneration": m{"type": "integer", "format": "int64"},
	}, "lastTransitionTime", "reason", "status", "type")
	return m{"spec": spec, "status": object(m{
		"atProvider": object(observed),
		"conditions": m{"type": "array", "items": condition, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"type"}},
	})}
}

func block(b *schema.Block, namespaced bool) m {
	properties := m{}
	for name, a := range b.Attributes {
		if a.Sensitive {
			properties[FieldName(name)+"SecretRef"] = secretKey(namespaced)
		} else {
			properties[FieldName(name)] = value(a.Type)
		}
	}
	for name, n := range b.Blocks {
		properties[FieldName(name)] = m{"type": "array", "items": block(n.Block, namespaced)}
	}
	return object(properties)
}

// value returns the schema of a value. Maps and sets of primitives are merged by their elements.
func value(t cty.Type) m {
	switch {
	case t == cty.Number:
		return m{"type": "number"}
	case t == cty.Bool:
		return m{"type": "boolean"}
	case t.IsMapType():
		return m{"type": "object", "additionalProperties": value(t.ElementType()), "x-kubernetes-map-type": "granular"}
	case t.IsSetType() && t.ElementType().IsPrimitiveType():
		return m{"type": "array", "items": value(t.ElementType()), "x-kubernetes-list-type": "set"}
	case t.IsListType() || t.IsSetType():
		return m{"type": "array", "items": value(t.ElementType())}
	case t.IsObjectType():
		properties := m{}
		for name, x := range t.AttributeTypes() {
			properties[FieldName(name)] = value(x)
		}
		return object(properties)
	}
	return text()
}

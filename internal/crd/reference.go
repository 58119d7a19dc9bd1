package crd

import (
	"encoding/json"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/landbridge-io/landbridge/internal/model"
)

// referenceFields returns the reference and the selector of a field: Crossplane's
// NamespacedReference and NamespacedSelector, with a kind if there are several.
func referenceFields(r *model.Reference) map[string]props {
	ref := props{
		Type:     "object",
		Required: []string{"name"},
		Properties: map[string]props{
			"name":      {Type: "string", Description: "Name of the referenced object."},
			"namespace": {Type: "string", Description: "Namespace of the referenced object"},
			"policy":    described(referencePolicy(), "Policies for referencing."),
		},
	}
	selector := props{
		Type: "object",
		Properties: map[string]props{
			"matchLabels": {
				Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: &props{Type: "string"}},
				Description: "MatchLabels ensures an object with matching labels is selected.",
			},
			"matchControllerRef": {
				Type:        "boolean",
				Description: "MatchControllerRef ensures an object with the same controller reference\nas the selecting object is selected.",
			},
			"namespace": {Type: "string", Description: "Namespace for the selector"},
			"policy":    described(referencePolicy(), "Policies for selection."),
		},
	}
	if len(r.Targets) > 1 {
		kind := enum("Kind of the referenced object; "+r.Targets[0].Kind+" by default.", r.Kinds()...)
		ref.Properties["kind"], selector.Properties["kind"] = kind, kind
	}
	field := r.Field().JSONName
	if r.Many {
		ref.Description = "A NamespacedReference to a named object." // as the Go type has it
		return map[string]props{
			r.Ref: {
				Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &ref},
				Description: fmt.Sprintf("Names the resources that the values of %s come from, each a %s.", field, sources(r)),
			},
			r.Selector: described(selector, fmt.Sprintf("Selects the resources that the values of %s come from.", field)),
		}
	}
	return map[string]props{
		r.Ref:      described(ref, fmt.Sprintf("Names the resource that the value of %s comes from, a %s.", field, sources(r))),
		r.Selector: described(selector, fmt.Sprintf("Selects the resource that the value of %s comes from.", field)),
	}
}

// sources describes the kinds that may be referred to, and the values that are taken from them.
func sources(r *model.Reference) string {
	out := ""
	for i, t := range r.Targets {
		switch {
		case i > 0 && i == len(r.Targets)-1:
			out += " or "
		case i > 0:
			out += ", "
		}
		switch {
		case t.Extract != nil, t.Transform != nil:
			out += t.Kind + " (a value made of it)"
		case t.FieldPath == model.ExternalNamePath:
			out += t.Kind + " (its external name)"
		default:
			out += t.Kind + " (" + t.FieldPath + ")"
		}
	}
	return out
}

// referenceTargets returns the value of the annotation landbridge.io/references; empty if there are
// no references.
func referenceTargets(r *model.Resource) string {
	if len(r.References()) == 0 {
		return ""
	}
	targets := map[string][]string{}
	for _, ref := range r.References() {
		var parent string
		for _, f := range ref.Path[:len(ref.Path)-1] {
			parent += f.JSONName + "."
		}
		var kinds []string
		for _, t := range ref.Targets {
			gk := t.GroupKind()
			if gk.Group == r.Group {
				gk.Group = ""
			}
			kinds = append(kinds, gk.String())
		}
		targets[parent+ref.Ref], targets[parent+ref.Selector] = kinds, kinds
	}
	b, err := json.Marshal(targets)
	if err != nil {
		panic(err) // strings
	}
	return string(b)
}

func described(p props, description string) props {
	p.Description = description
	return p
}

// given returns the rule that a field is set.
func given(object, name string) string { return "has(" + object + "." + celName(name) + ")" }

// referenced returns the rule that the reference or the selector of a field is set.
func referenced(object string, r *model.Reference) string {
	return given(object, r.Ref) + " || " + given(object, r.Selector)
}

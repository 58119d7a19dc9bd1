package crd

import (
	"maps"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"

	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/schema"
)

type props = apiextensionsv1.JSONSchemaProps

// writer makes the schemas of fields.
type writer struct {
	// status makes the schemas of observed fields; else those of settable fields.
	status bool
	// descriptions is the maximum length of descriptions in bytes; 0 leaves them out.
	descriptions int
	// depth is the maximum nesting of objects with types; 0 is unlimited.
	depth int
	// clusterSecrets makes references to Secrets have a namespace.
	clusterSecrets bool
	// references adds references and selectors to fields.
	references bool
	// data is set for the arguments of a data source or an ephemeral resource, which is never
	// created or only observed.
	data bool
	// demanded is set if rules of spec require what elements and the identity do.
	demanded bool
	// immutable makes fields immutable that are said to be.
	immutable bool
	// late is set if late initialization may write fields, written inside a field that Landbridge
	// may write as a whole. Lists, sets and maps there have one owner: server-side apply would
	// merge what Landbridge has written with what the user sets later.
	late, written bool
	// partial is set for what is merged with other values: elements of lists may lack fields, too.
	// Those of sets are never merged.
	partial bool
}

func (w writer) object(t *model.Type, level int, complete bool) props {
	out := props{Type: "object"}
	if w.depth > 0 && level >= w.depth {
		yes := true
		out.XPreserveUnknownFields = &yes
		return out
	}
	for _, f := range t.Object.Settable() {
		name := f.InputName()
		if w.status {
			if !f.Observed {
				continue
			}
			name = f.JSONName
		} else if !f.Input {
			continue
		}
		if out.Properties == nil {
			out.Properties = make(map[string]props, len(t.Object.All))
		}
		p := w.field(f, level+1, complete)
		out.Properties[name] = p
		if complete && !w.status && f.Required {
			out.Required = append(out.Required, f.InputName())
		}
		if w.references && f.Reference != nil {
			maps.Copy(out.Properties, referenceFields(f.Reference))
		}
	}
	return out
}

func (w writer) field(f *model.Field, level int, complete bool) props {
	if !w.status && f.SecretRef != "" {
		p := secretRef(w.clusterSecrets)
		p.Description = w.description("Key of a Secret that holds the value.", f, complete)
		return p
	}
	if w.late && f.LateInitialized() || w.references && f.Reference != nil {
		w.written = true
	}
	p := w.typ(f.Type, level, complete)
	p.Description = w.description("", f, complete)
	if w.immutable && f.Immutable {
		p.XValidations = append(p.XValidations, apiextensionsv1.ValidationRule{
			Rule: "self == oldSelf", Message: f.InputName() + " cannot be changed: a change would replace the remote object",
		})
	}
	return p
}

func (w writer) typ(t *model.Type, level int, complete bool) props {
	switch t.Presented() {
	case model.JSON:
		return anything()
	case model.Integer:
		return props{Type: "integer", Format: "int64"}
	case model.String:
		return props{Type: "string"}
	case model.Number:
		return props{Type: "number"}
	case model.Bool:
		return props{Type: "boolean"}
	case model.Object:
		return w.object(t, level, complete)
	case model.Map:
		element := w.element(t, level, complete)
		out := props{Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: &element}}
		if w.written {
			out.XMapType = ptr.To("atomic")
		}
		return out
	case model.List, model.Set:
		if t.Singleton {
			return w.object(t.Element, level, complete)
		}
		return w.list(t, level)
	case model.Tuple:
		element := anything()
		return props{Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &element}}
	default:
		return anything()
	}
}

func (w writer) list(t *model.Type, level int) props {
	element := w.element(t, level, !w.partial || t.Kind == model.Set)
	out := props{Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &element}}
	if w.status {
		return out
	}
	if t.MaxItems > 0 {
		out.MaxItems = &t.MaxItems
	}
	if t.MinItems > 0 {
		out.MinItems = &t.MinItems
	}
	if t.Kind == model.Set && t.Element.IsPrimitive() {
		out.XListType = ptr.To("set")
		if w.written {
			out.XListType = ptr.To("atomic")
		}
		element.Nullable = false // the API server allows no null in a list of the type set
	}
	return out
}

// element returns the schema of a collection's elements. Terraform allows null elements, except for
// blocks.
func (w writer) element(t *model.Type, level int, complete bool) props {
	p := w.typ(t.Element, level, complete)
	p.Nullable = t.Block == schema.Nesting("")
	return p
}

// anything returns the schema of a dynamically typed value.
func anything() props {
	yes := true
	return props{XPreserveUnknownFields: &yes, Nullable: true}
}

// secretRef returns the schema of Crossplane's LocalSecretKeySelector or SecretKeySelector.
func secretRef(cluster bool) props {
	p := props{
		Type:     "object",
		Required: []string{"key", "name"},
		Properties: map[string]props{
			"key":  {Type: "string"},
			"name": {Type: "string", Description: "Name of the secret."},
		},
	}
	if cluster {
		p.Required = append(p.Required, "namespace")
		p.Properties["key"] = props{Type: "string", Description: "The key to select."}
		p.Properties["namespace"] = props{Type: "string", Description: "Namespace of the secret."}
	}
	return p
}

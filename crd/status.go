package crd

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/landbridge-io/landbridge/model"
)

func statusSchema(r *model.Resource, root *model.Type, w writer) props {
	w.status = true
	atProvider := w.object(root, 0, false)
	atProvider.Description = "The remote object as it was last seen, without sensitive values."
	out := props{
		Type:        "object",
		Description: "What is.",
		Properties: map[string]props{
			"atProvider":             atProvider,
			"state":                  {Type: "string", Description: "State of the remote object: Empty, Partial, Tainted or Full."},
			"operation":              operationSchema(),
			"plan":                   planSchema(),
			"conditions":             conditionsSchema(),
			"observedGeneration":     integer("The generation of the resource that this status is about."),
			"lastHandledReconcileAt": {Type: "string", Description: "The last value of the annotation crossplane.io/reconcile-requested-at that was acted on."},
		},
	}
	if r.Identity() != nil {
		identity := writer{status: true, descriptions: 320}.object(r.Identity(), 0, false)
		identity.Description = "The identity of the remote object."
		out.Properties["identity"] = identity
	}
	return out
}

func operationSchema() props {
	return props{
		Type:        "object",
		Description: "The change that is being carried out.",
		Properties: map[string]props{
			"id":         {Type: "string"},
			"kind":       {Type: "string", Description: "Create, Update or Delete."},
			"generation": integer("The generation of the resource that is being carried out."),
			"startedAt":  {Type: "string", Format: "date-time"},
			"deadline":   {Type: "string", Format: "date-time"},
		},
	}
}

func planSchema() props {
	change := props{
		Type:     "object",
		Required: []string{"path"},
		Properties: map[string]props{
			"path":   {Type: "string", Description: "The field, as below atProvider; [*] is an element of a set."},
			"before": anything(),
			"after":  anything(),
		},
	}
	return props{
		Type:        "object",
		Description: "What has to be done to bring the remote object to what is wanted.",
		Properties: map[string]props{
			"action":          {Type: "string", Description: "NoOp, Create, Update, Delete, DeleteThenCreate or CreateThenDelete."},
			"reason":          {Type: "string", Description: "Why the object has to be replaced."},
			"hash":            {Type: "string", Description: "Identifies this plan."},
			"changes":         {Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &change}},
			"requiresReplace": {Type: "array", Items: stringItems(), Description: "The fields that force a replacement."},
		},
	}
}

// conditionsSchema is Crossplane's Condition.
func conditionsSchema() props {
	condition := props{
		Type:     "object",
		Required: []string{"lastTransitionTime", "reason", "status", "type"},
		Properties: map[string]props{
			"type":               {Type: "string"},
			"status":             {Type: "string"},
			"reason":             {Type: "string"},
			"message":            {Type: "string"},
			"lastTransitionTime": {Type: "string", Format: "date-time"},
			"observedGeneration": integer("The generation of the resource that the condition is about."),
		},
	}
	kind := "map"
	return props{
		Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &condition},
		XListType: &kind, XListMapKeys: []string{"type"},
	}
}

func integer(description string) props {
	return props{Type: "integer", Format: "int64", Description: description}
}

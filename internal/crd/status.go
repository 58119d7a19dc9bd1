package crd

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/landbridge-io/landbridge/internal/model"
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
			"deposed":                deposedSchema(),
			"lastHandled":            lastHandledSchema(),
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
		out.Properties["identityHistory"] = identityHistorySchema()
	}
	return out
}

// identityHistorySchema is not typed: identities of earlier schema versions have other fields.
func identityHistorySchema() props {
	yes := true
	former := props{
		Type:        "object",
		Description: "A FormerIdentity is one that the remote object had before. Identities of earlier schema versions\nhave other fields, so it is not typed.",
		Required:    []string{"identity", "until"},
		Properties: map[string]props{
			"identity": {Type: "object", XPreserveUnknownFields: &yes},
			"until":    {Type: "string", Format: "date-time", Description: "When another identity was first seen."},
		},
	}
	return props{
		Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &former},
		Description: "The identities that the remote object had before, the latest last.",
	}
}

func operationSchema() props {
	return props{
		Type:        "object",
		Description: "The change that is being carried out.",
		Properties: map[string]props{
			"id":         {Type: "string"},
			"kind":       {Type: "string", Description: "Create, Update or Delete."},
			"generation": integer("The generation of the resource that is being carried out."),
			"deposed":    {Type: "string", Description: "Key of the deposed object that is destroyed, or that the object to be created replaces."},
			"startedAt":  {Type: "string", Format: "date-time"},
			"deadline":   {Type: "string", Format: "date-time", Description: "When it will be given up. Empty while it waits for its turn."},
			"progress":   {Type: "string", Description: "What the provider said of it last, where it logs that it does something."},
		},
	}
}

func deposedSchema() props {
	object := props{
		Type:        "object",
		Description: "A DeposedObject was replaced, and is still to be destroyed.",
		Required:    []string{"key"},
		Properties: map[string]props{
			"key":          {Type: "string", Description: "Tells it from other deposed objects."},
			"state":        {Type: "string"},
			"externalName": {Type: "string", Description: "What the object is called at the provider."},
			"identity":     anything(),
		},
	}
	kind := "map"
	return props{
		Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &object},
		XListType: &kind, XListMapKeys: []string{"key"},
		Description: "Remote objects that were replaced, and are still to be destroyed.",
	}
}

func lastHandledSchema() props {
	token := func(name string) props {
		return props{Type: "string", Description: "The last value of the annotation landbridge.io/" + name + " that was acted upon."}
	}
	return props{
		Type:        "object",
		Description: "What was asked for by annotation, and acted upon. The same value never acts twice.",
		Properties:  map[string]props{"taint": token("taint"), "untaint": token("untaint"), "retry": token("retry")},
	}
}

func planSchema() props {
	change := props{
		Type:        "object",
		Description: "A Change is one difference that a plan makes.",
		Required:    []string{"path"},
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

// conditionsSchema is Crossplane's ConditionedStatus, in its words.
func conditionsSchema() props {
	condition := props{
		Type:        "object",
		Description: "A Condition that may apply to a resource.",
		Required:    []string{"lastTransitionTime", "reason", "status", "type"},
		Properties: map[string]props{
			"type":               {Type: "string", Description: "Type of this condition. At most one of each condition type may apply to\na resource at any point in time."},
			"status":             {Type: "string", Description: "Status of this condition; is it currently True, False, or Unknown?"},
			"reason":             {Type: "string", Description: "A Reason for this condition's last transition from one status to another."},
			"message":            {Type: "string", Description: "A Message containing details about this condition's last transition from\none status to another, if any."},
			"lastTransitionTime": {Type: "string", Format: "date-time", Description: "LastTransitionTime is the last time this condition transitioned from one\nstatus to another."},
			"observedGeneration": integer("ObservedGeneration represents the .metadata.generation that the condition was set based upon.\n" +
				"For instance, if .metadata.generation is currently 12, but the .status.conditions[x].observedGeneration is 9, the condition is out of date\n" +
				"with respect to the current state of the instance."),
		},
	}
	kind := "map"
	return props{
		Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &condition},
		XListType: &kind, XListMapKeys: []string{"type"},
		Description: "Conditions of the resource.",
	}
}

func integer(description string) props {
	return props{Type: "integer", Format: "int64", Description: description}
}

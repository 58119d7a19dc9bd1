package crd

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/model"
)

func statusSchema(r *model.Resource, root *model.Type, w writer) props {
	w.status = true
	atProvider := w.object(root, 0, false)
	atProvider.Description = "The last observed state of the remote object, without sensitive values."
	atomic := "atomic"
	out := props{
		Type:        "object",
		Description: "The observed state of the resource.",
		Default:     unobserved(),
		// The controller alone writes it. Managed fields of each of its fields would be as large as
		// the status, and the API server would compute them at each write.
		XMapType: &atomic,
		Properties: map[string]props{
			"atProvider": atProvider,
			"state":      {Type: "string", Description: "State of the remote object: Empty, Partial, Tainted or Full."},
			"externalName": {
				Type: "string",
				Description: "External name of the remote object, as in the annotation crossplane.io/external-name. " +
					"Field selectors can use it.",
			},
			"operation":   operationSchema(),
			"deposed":     deposedSchema(),
			"lastHandled": lastHandledSchema(),
			"plan":        planSchema(),
			"drift":       driftSchema(),
			"warnings": {
				Type: "array", Items: stringItems(),
				Description: "Warnings of the provider, and about values of this resource.",
			},
			"lastApproval":        lastApprovalSchema(),
			"replacement":         replacementSchema(),
			"awaitedReplacements": awaitedReplacementsSchema(),
			"conditions":          conditionsSchema(),
			"messages":            messagesSchema(),
			"observedGeneration":  integer("The generation of the resource that this status describes."),
			"lastHandledReconcileAt": {
				Type:        "string",
				Description: "The last value of the annotation crossplane.io/reconcile-requested-at that was handled.",
			},
		},
	}
	if r.Triggers {
		out.Properties["actions"] = roundSchema()
	}
	if r.Identity() != nil {
		identity := writer{status: true, descriptions: 320}.object(r.Identity(), 0, false)
		identity.Description = "The identity of the remote object."
		out.Properties["identity"] = identity
		out.Properties["identityHistory"] = identityHistorySchema()
	}
	return out
}

func messagesSchema() props {
	return props{
		Type:                 "object",
		AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: &props{Type: "string"}},
		Description:          "The whole messages of conditions that show only a part of them, by the type of the condition.",
	}
}

// unobserved is the status of an object that no controller has seen. Tools that compare
// generations, as kstatus does, wait until one has.
func unobserved() *apiextensionsv1.JSON {
	return &apiextensionsv1.JSON{Raw: []byte(`{"observedGeneration":-1}`)}
}

// Unobserved reports whether no controller has written the status of an object.
func Unobserved(u *unstructured.Unstructured) bool {
	status, _, _ := unstructured.NestedFieldNoCopy(u.Object, "status")
	fields, _ := status.(map[string]any)
	return len(fields) == 0 || len(fields) == 1 && fields["observedGeneration"] == int64(-1)
}

// identityHistorySchema returns an untyped schema: identities of earlier schema versions have other
// fields.
func identityHistorySchema() props {
	yes := true
	former := props{
		Type: "object",
		Description: "A FormerIdentity is an earlier identity of the remote object. Identities of earlier schema " +
			"versions\nhave other fields, so it is not typed.",
		Required: []string{"identity", "until"},
		Properties: map[string]props{
			"identity": {Type: "object", XPreserveUnknownFields: &yes},
			"until":    {Type: "string", Format: "date-time", Description: "When another identity was first observed."},
		},
	}
	return props{
		Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &former},
		Description: "Earlier identities of the remote object, the latest last.",
	}
}

func operationSchema() props {
	return props{
		Type:        "object",
		Description: "The operation that is running.",
		Properties: map[string]props{
			"id":          {Type: "string"},
			"kind":        {Type: "string", Description: "Create, Update or Delete."},
			"generation":  integer("The generation of the resource that the operation is for."),
			"deposed":     {Type: "string", Description: "Key of the deposed object that is destroyed, or that the created object replaces."},
			"startedAt":   {Type: "string", Format: "date-time"},
			"deadline":    {Type: "string", Format: "date-time", Description: "When the operation times out. Empty while it is queued."},
			"progress":    {Type: "string", Description: "The last message that the provider logged about the operation."},
			"interrupted": {Type: "boolean", Description: "Set when the operation was interrupted by request and has not ended yet."},
		},
	}
}

func deposedSchema() props {
	object := props{
		Type:        "object",
		Description: "A DeposedObject was replaced and is not destroyed yet.",
		Required:    []string{"key"},
		Properties: map[string]props{
			"key":          {Type: "string", Description: "Identifies the deposed object."},
			"state":        {Type: "string"},
			"externalName": {Type: "string", Description: "External name of the object."},
			"identity":     anything(),
		},
	}
	kind := "map"
	return props{
		Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &object},
		XListType: &kind, XListMapKeys: []string{"key"},
		Description: "Remote objects that were replaced and are not destroyed yet.",
	}
}

func replacementSchema() props {
	dependent := props{
		Type:        "object",
		Description: "A ReplacedDependent is a resource whose object is replaced with one that it refers to.",
		Required:    []string{"uid"},
		Properties:  map[string]props{"uid": {Type: "string"}, "kind": {Type: "string"}, "name": {Type: "string"}},
	}
	return props{
		Type:        "object",
		Description: "The replacement of the object, which the resources that refer to this one take part in.",
		Required:    []string{"id", "phase"},
		Properties: map[string]props{
			"id": {Type: "string", Description: "Identifies the replacement."},
			"phase": {
				Type: "string",
				Description: "Planned: the resources that refer to this one tell what they would do. Started: " +
					"nothing is done to their objects until the new object is there. DestroyingDependents: those " +
					"that must be replaced, too, are destroyed. Following: the new object is there, and they are " +
					"changed before the old one is destroyed.",
			},
			"dependents": {
				Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &dependent},
				Description: "The resources whose objects are replaced with this one's. Those of other namespaces " +
					"have no names. An approval of the plan is one of these.",
			},
			"approval": {Type: "boolean", Description: "Set when the replacement of these needs an approval of the plan."},
		},
	}
}

func awaitedReplacementsSchema() props {
	awaited := props{
		Type:        "object",
		Description: "An AwaitedReplacement is the replacement of an object that the resource refers to.",
		Required:    []string{"group", "id", "kind", "name", "uid"},
		Properties: map[string]props{
			"group": {
				Type: "string",
				Description: "The resource whose object is replaced, or the provider configuration that takes " +
					"values from one of another namespace.",
			},
			"kind":       {Type: "string"},
			"namespace":  {Type: "string"},
			"name":       {Type: "string"},
			"uid":        {Type: "string"},
			"id":         {Type: "string", Description: "Identifies the replacement."},
			"generation": integer("The generation of this resource that the effect was planned for."),
			"effect": {
				Type: "string",
				Description: "What the replacement means for the object of this resource: NoOp, Update, " +
					"DeleteThenCreate, CreateThenDelete, or Destroyed if it was destroyed for the replacement. " +
					"Empty if there is none.",
			},
			"refused":  {Type: "string", Description: "Why this resource cannot take part. Empty if it can."},
			"approval": {Type: "boolean", Description: "Set when a plan of the effect needs an approval."},
			"waits":    {Type: "boolean", Description: "Set when nothing is done to the object of this resource until the replacement is over."},
			"follows":  {Type: "boolean", Description: "Set when the object of this resource fits the new object."},
		},
	}
	return props{
		Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &awaited},
		Description: "The replacements of objects that this resource refers to, and what they mean for it.",
	}
}

func lastHandledSchema() props {
	token := func(name string) props {
		return props{Type: "string", Description: "The last value of the annotation landbridge.io/" + name + " that was handled."}
	}
	return props{
		Type:        "object",
		Description: "The last handled value of each annotation that requests an action. The same value is never handled twice.",
		Properties: map[string]props{
			"taint": token("taint"), "untaint": token("untaint"), "retry": token("retry"),
			"interrupt": token("interrupt"), "reapply": token("reapply"),
			"reconcileRequestedAt": token("reconcile-requested-at"),
		},
	}
}

func lastApprovalSchema() props {
	return props{
		Type:        "object",
		Description: "The last plan that was carried out because it was approved.",
		Properties: map[string]props{
			"hash":   {Type: "string", Description: "Hash of the plan."},
			"action": {Type: "string", Description: "Action of the plan."},
			"by":     {Type: "string", Description: "Who approved it. Empty if the API server does not tell."},
			"at":     {Type: "string", Format: "date-time", Description: "When it was carried out."},
		},
	}
}

// planHashDescription is the documentation of managed.Plan.Hash.
const planHashDescription = "Identifies this plan with all its values, also those that are not shown. It cannot be guessed from them."

func changesSchema(description string) props {
	change := props{
		Type:        "object",
		Description: "A Change is one difference that a plan makes.",
		Required:    []string{"path"},
		Properties: map[string]props{
			"path":            {Type: "string", Description: "Path of the field below atProvider; [*] is an element of a set."},
			"before":          anything(),
			"after":           anything(),
			"beforeSensitive": {Type: "boolean", Description: "Before is sensitive."},
			"afterSensitive":  {Type: "boolean", Description: "After is sensitive."},
			"afterUnknown":    {Type: "boolean", Description: "After is not wholly known."},
		},
	}
	return props{Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &change}, Description: description}
}

func driftSchema() props {
	gone := props{Type: "boolean", Description: "Set when the object was destroyed."}
	former := props{
		Type:        "object",
		Description: "A FormerDrift is what was changed outside of this resource earlier.",
		Required:    []string{"found", "outcome", "until"},
		Properties: map[string]props{
			"found": {Type: "string", Format: "date-time", Description: "When it was found."},
			"until": {Type: "string", Format: "date-time", Description: "When it ended."},
			"outcome": {
				Type: "string",
				Description: "How it ended. Repaired: it was changed back. Adopted: spec wants it so. Reverted: it " +
					"was changed back outside of this resource. Observed: spec has nothing to compare with.",
			},
			"gone":    gone,
			"changes": changesSchema(""),
		},
	}
	return props{
		Type:        "object",
		Description: "What was changed of the remote object outside of this resource.",
		Properties: map[string]props{
			"found":   {Type: "string", Format: "date-time", Description: "When the first of the changes was found. Empty if there are none now."},
			"gone":    gone,
			"changes": changesSchema("The changed fields that spec.forProvider wants to be otherwise."),
			"history": {
				Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &former},
				Description: "Earlier changes, the latest last.",
			},
		},
	}
}

func planSchema() props {
	return props{
		Type:        "object",
		Description: "The changes that are needed to bring the remote object to its desired state.",
		Properties: map[string]props{
			"action":          {Type: "string", Description: "NoOp, Create, Update, Delete, DeleteThenCreate or CreateThenDelete."},
			"reason":          {Type: "string", Description: "Why the object must be replaced."},
			"hash":            {Type: "string", Description: planHashDescription},
			"changes":         changesSchema(""),
			"requiresReplace": {Type: "array", Items: stringItems(), Description: "The fields that force a replacement."},
		},
	}
}

// conditionsSchema has the schema and the descriptions of Crossplane's ConditionedStatus.
func conditionsSchema() props {
	condition := props{
		Type:        "object",
		Description: "A Condition that may apply to a resource.",
		Required:    []string{"lastTransitionTime", "reason", "status", "type"},
		Properties: map[string]props{
			"type": {
				Type: "string",
				Description: "Type of this condition. At most one of each condition type may apply to\na resource " +
					"at any point in time.",
			},
			"status": {Type: "string", Description: "Status of this condition; is it currently True, False, or Unknown?"},
			"reason": {Type: "string", Description: "A Reason for this condition's last transition from one status to another."},
			"message": {
				Type: "string",
				Description: "A Message containing details about this condition's last transition from\none status " +
					"to another, if any.",
			},
			"lastTransitionTime": {
				Type: "string", Format: "date-time",
				Description: "LastTransitionTime is the last time this condition transitioned from " +
					"one\nstatus to another.",
			},
			"observedGeneration": integer("ObservedGeneration represents the .metadata.generation that the condition was set based upon.\n" +
				"For instance, if .metadata.generation is currently 12, but the " +
				".status.conditions[x].observedGeneration is 9, the condition is out of date\n" +
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

package crd

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"

	"github.com/landbridge-io/landbridge/internal/expression"
)

// TriggerEvents are the values of spec.actions[].events.
var TriggerEvents = []string{"BeforeCreate", "AfterCreate", "BeforeUpdate", "AfterUpdate", "BeforeDestroy", "AfterDestroy"}

// The values of spec.actions[].onFailure; the first is the default.
const (
	triggerHalt     = "Halt"
	triggerTaint    = "Taint"
	triggerContinue = "Continue"
)

// Bounds of spec.actions: the policy in deploy/rbac/approval.yaml checks each element, and rules of
// CEL have costs.
const (
	maxTriggers = 8
	maxValues   = 32
)

// triggersSchema returns the schema of spec.actions. The arguments are checked by the schema of the
// action's kind, which is not repeated in each kind of the provider.
func triggersSchema() props {
	text := func(description string, most int64) props {
		return props{Type: "string", MinLength: ptr.To[int64](1), MaxLength: &most, Description: description}
	}
	name := text("Identifies it among those of the resource.", 40)
	name.Pattern = `^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	action := text("The kind of the action, by its resource and group, such as "+
		"snapshots.action.cloud.landbridge.io. Who sets it needs the permission for the verb invoke on it.", 253)
	action.Pattern = `^[a-z0-9]+[.]action[.][-.a-z0-9]+$`
	event := enum("", TriggerEvents...)
	to := text("Path of the field that is set, such as forProvider.source.", 256)
	to.Pattern = `^forProvider[.[].+$`
	value := props{
		Type: "object", Required: []string{"to", "value"},
		Properties: map[string]props{
			"to": to,
			"value": text("CEL expression. self is this resource, and old is status.atProvider when the action is "+
				"invoked, or null: self.status.atProvider.id.", expression.MaxTransformLength),
		},
	}
	set, byName, byPath := "set", "map", "map"
	item := props{
		Type: "object", Required: []string{"name", "action", "events"},
		Properties: map[string]props{
			"name":   name,
			"action": action,
			"events": {
				Type: "array", MinItems: ptr.To[int64](1), MaxItems: ptr.To(int64(len(TriggerEvents))), XListType: &set,
				Items:       &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &event},
				Description: "When it is invoked. A replacement has the events of the destruction and of the creation.",
			},
			"condition": text("CEL expression: it is invoked only if this is true. self is this resource, "+
				"and old is status.atProvider, or null. It is evaluated before the change.",
				expression.MaxTransformLength),
			"onFailure": enum("What a failure means. Halt: before an operation, it does not begin; after "+
				"one, the resource is not ready. Taint: the object is replaced. Continue: an event tells "+
				"it. Default: Halt.",
				triggerHalt, triggerTaint, triggerContinue),
			"forProvider":       {Type: "object", XPreserveUnknownFields: ptr.To(true), Description: "The arguments of the action."},
			"providerConfigRef": described(triggeredConfigRef(), "The provider configuration. Default: that of this resource."),
			"values": {
				Type: "array", MaxItems: ptr.To[int64](maxValues), XListType: &byPath, XListMapKeys: []string{"to"},
				Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &value}, Description: "Arguments that are made of this resource.",
			},
		},
		XValidations: apiextensionsv1.ValidationRules{{
			Rule:    "!has(self.onFailure) || self.onFailure != 'Taint' || self.events.all(e, e in ['AfterCreate', 'AfterUpdate'])",
			Message: "onFailure Taint is for the events AfterCreate and AfterUpdate only",
		}},
	}
	return props{
		Type: "array", MaxItems: ptr.To[int64](maxTriggers), XListType: &byName, XListMapKeys: []string{"name"},
		Items:       &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &item},
		Description: "Actions that are invoked before or after changes of the remote object, one after the other.",
	}
}

// triggeredConfigRef has no default: the configuration is that of the resource.
func triggeredConfigRef() props {
	out := providerConfigRef()
	out.Default = nil
	return out
}

// roundSchema returns the schema of status.actions.
func roundSchema() props {
	text := func(description string) props { return props{Type: "string", Description: description} }
	one := props{
		Type: "object",
		Properties: map[string]props{
			"trigger": text("Name in spec.actions."),
			"event":   {Type: "string"},
			"action":  text("The kind of the action."),
			"name":    text("Name of the object that is invoked."),
			"phase":   text("Phase of the object, or Skipped."),
			"message": {Type: "string"},
		},
	}
	return props{
		Type:        "object",
		Description: "The actions that the last change invokes.",
		Properties: map[string]props{
			"id":          {Type: "string"},
			"change":      text("Create, Update, Replace or Destroy."),
			"stage":       text("Before, After or Complete."),
			"generation":  integer("The generation of the resource when the change began."),
			"tainted":     {Type: "boolean", Description: "Set if the object was tainted because of an action."},
			"taints":      integer("How many changes in a row have ended so before."),
			"invocations": {Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &one}},
		},
	}
}

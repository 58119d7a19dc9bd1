package crd

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"

	"github.com/landbridge-io/landbridge/internal/expression"
	"github.com/landbridge-io/landbridge/internal/model"
)

// The values of spec.lifecycle.replacePolicy, taintPolicy, existenceCheck, approvalPolicy,
// driftPolicy and replaceDependents; the first of each is the default.
const (
	ReplaceAutomatic        = "Automatic"
	ReplaceNever            = "Never"
	TaintReplace            = "Replace"
	TaintKeep               = "Keep"
	ExistenceCheckAutomatic = "Automatic"
	ExistenceCheckNever     = "Never"
	ApprovalNever           = "Never"
	ApprovalDestructive     = "Destructive"
	ApprovalAlways          = "Always"
	DriftRepair             = "Repair"
	DriftReport             = "Report"
	DriftApprove            = "Approve"
	DependentsAsk           = "Ask"
	DependentsAutomatic     = "Automatic"
)

func specSchema(r *model.Resource, root *model.Type, w writer) props {
	// initProvider has the same fields without descriptions, and without references.
	w.demanded = true
	brief := w
	w.references, w.immutable, w.late = true, true, r.Settings.LateInitialize
	forProvider := w.object(root, 0, false)
	forProvider.Description = "The desired state of the remote object."
	brief.descriptions, brief.partial = 0, true
	initProvider := brief.object(root, 0, false)
	initProvider.Description = "Fields of forProvider that apply only when the remote object is created. Values in " +
		"forProvider take precedence. Objects, maps, and elements of lists of objects, by their index, are merged; " +
		"other lists and sets are not."

	rules := requiredRules(root, forProvider)
	rules = append(rules, apiextensionsv1.ValidationRule{
		Rule: "!has(oldSelf.__import__) || has(self.__import__)", Message: "spec.import cannot be removed",
	})
	out := props{
		Type:         "object",
		Description:  "The desired state of the resource.",
		Required:     []string{"forProvider"},
		XValidations: rules,
		Properties: map[string]props{
			"forProvider":                forProvider,
			"initProvider":               initProvider,
			"import":                     importSchema(r),
			"lifecycle":                  lifecycleSchema(),
			"managementPolicies":         managementPolicies(),
			"providerConfigRef":          providerConfigRef(),
			"references":                 referencesSchema(),
			"writeConnectionSecretToRef": connectionSecretRef(),
		},
	}
	if r.Triggers {
		out.Properties["actions"] = triggersSchema()
	}
	demandUnlessReferred(root, r.Identity(), &out)
	return out
}

func importSchema(r *model.Resource) props {
	one := int64(1)
	id := props{Type: "string", MinLength: &one, Description: "The id by which the provider imports the object."}
	out := props{
		Type: "object",
		Description: "The existing remote object that this resource adopts instead of creating one. It cannot be " +
			"changed or removed once it is set.",
		Properties: map[string]props{"id": id},
		XValidations: apiextensionsv1.ValidationRules{
			{Rule: "self == oldSelf", Message: "spec.import is immutable"},
		},
	}
	if r.Identity() == nil {
		out.Required = []string{"id"}
		return out
	}
	if r.Schema.Identity.Version > 0 {
		out.XValidations[0].Rule = sameImport
	}
	identity := writer{descriptions: 320, demanded: true}.object(r.Identity(), 0, true)
	identity.Description = "The identity of the object."
	out.Properties["identity"] = identity
	out.XValidations = append(out.XValidations, apiextensionsv1.ValidationRule{
		Rule: "has(self.id) != has(self.identity)", Message: "exactly one of spec.import.id and spec.import.identity must be given",
	})
	return out
}

// sameImport is the rule that spec.import is immutable, for identity schemas with a version above
// 0. The identity itself is not compared: one of an older version may have attributes of another
// type, on which CEL fails. It no longer matters once the object is adopted.
const sameImport = "has(self.id) == has(oldSelf.id) && (!has(self.id) || self.id == oldSelf.id) && " +
	"has(self.identity) == has(oldSelf.identity)"

func lifecycleSchema() props {
	return props{
		Type:        "object",
		Description: "How the remote object is replaced, and how long operations may take.",
		Properties: map[string]props{
			"replacePolicy": enum("What happens if a change requires that the object is destroyed and created "+
				"again. Automatic: the object is replaced, as by Terraform. Never: the object is not changed, and "+
				"status.plan shows the change. Default: Automatic.",
				ReplaceAutomatic, ReplaceNever),
			"taintPolicy": enum("What happens to an object whose creation failed. Replace: the object is "+
				"destroyed and created again. Keep: the object stays until it is untainted. Default: Replace.",
				TaintReplace, TaintKeep),
			"existenceCheck": enum("Whether an existing object with the same identity is looked for before the "+
				"object is created. Automatic: an object that is found is not changed, and the create is refused. "+
				"Never: the create is carried out without it; it may overwrite an existing object. Default: Automatic.",
				ExistenceCheckAutomatic, ExistenceCheckNever),
			"approvalPolicy":     enum(approvalDescription, ApprovalNever, ApprovalDestructive, ApprovalAlways),
			"driftPolicy":        enum(driftDescription, DriftRepair, DriftReport, DriftApprove),
			"replaceDependents":  enum(dependentsDescription, DependentsAsk, DependentsAutomatic),
			"deletionProtection": {Type: "boolean", Description: protectionDescription},
			"createBeforeDestroy": {
				Type: "boolean", Description: "Whether a replacement creates the new object before it destroys the old one. Default: false.",
			},
			"createAttempts": {
				Type: "integer", Format: "int64", Minimum: ptr.To(1.0),
				Description: "How often an object is created with the same configuration if each creation fails " +
					"after it has made an object. Each such object is destroyed before the next attempt. The last " +
					"one stays, and the resource is Stalled until its configuration changes or a retry is " +
					"requested. Default: 3.",
			},
			"creationGracePeriod": duration("How long the object may be missing after its create or import without " +
				"being taken for gone, such as 2m; 0s for not at all. Default: that of the kind's configuration, " +
				"else of the controller."),
			"timeouts": timeoutsSchema(),
			"ignoreChanges": {
				Type: "array", Items: stringItems(),
				Description: "Fields of forProvider whose changes are ignored after the object was created, such as " +
					"tags.team or rule[0].maxAgeDays; \"*\" ignores all fields.",
			},
		},
	}
}

// approvalDescription is the documentation of managed.Lifecycle.ApprovalPolicy.
const approvalDescription = "Which plans wait for approval. Destructive: those that destroy or replace an object, " +
	"also because the resource is deleted. Always: all. The TerraformProvider and the provider configuration may " +
	"require more. Default: Never."

// driftDescription is the documentation of managed.Lifecycle.DriftPolicy.
const driftDescription = "What happens to fields of forProvider that were changed outside of this resource. Repair: " +
	"they are changed back. Report: they stay, and status.drift shows them. Approve: they are changed back once the " +
	"plan is approved. Fields in ignoreChanges stay in any case. Default: Repair."

// dependentsDescription is the documentation of managed.Lifecycle.ReplaceDependents.
const dependentsDescription = "What happens to resources that refer to this one and would be replaced if its object " +
	"is. Their objects are destroyed before this one, and created after it, as by Terraform. Ask: once the plan, " +
	"whose hash covers them, is approved. Automatic: without an approval. Resources of other namespaces must have " +
	"the policy Automatic themselves. Default: that of the TerraformProvider, else Ask."

// protectionDescription is the documentation of managed.Lifecycle.DeletionProtection.
const protectionDescription = "Whether the remote object is kept from being destroyed. With true, the API server " +
	"refuses to delete the resource, and a change that would destroy the object is not made. managementPolicies " +
	"without Delete leave the object, so that the resource can be deleted all the same. Default: false."

func duration(description string) props {
	return props{Type: "string", Pattern: `^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`, Description: description}
}

func timeoutsSchema() props {
	timeout := func(what string) props { return duration("Timeout of " + what + ", such as 30m or 1h30m.") }
	return props{
		Type: "object",
		Description: "Timeouts of operations. Default: somewhat longer than the provider's own timeouts, if it has " +
			"a field named timeouts in forProvider or uses the" +
			" legacy SDK; otherwise the timeout of the controller.",
		Properties: map[string]props{"create": timeout("creates"), "update": timeout("updates"), "delete": timeout("deletes")},
	}
}

func managementPolicies() props {
	all := enum("A ManagementAction represents an action that the Crossplane controllers\ncan take on an "+
		"external resource.", "Observe", "Create", "Update", "Delete", "LateInitialize", "*")
	most := int64(16)
	return props{
		Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &all}, MaxItems: &most,
		Default:     &apiextensionsv1.JSON{Raw: []byte(`["*"]`)},
		Description: "What Landbridge may do with the remote object. An empty list pauses the resource.",
	}
}

func providerConfigRef() props {
	return props{
		Type:        "object",
		Description: "The configuration of the provider: a ProviderConfig in the resource's namespace, or a ClusterProviderConfig.",
		Required:    []string{"kind", "name"},
		Properties: map[string]props{
			"kind": {Type: "string", Description: "Kind of the referenced object."},
			"name": {Type: "string", Description: "Name of the referenced object."},
		},
		Default: &apiextensionsv1.JSON{Raw: []byte(`{"kind":"ClusterProviderConfig","name":"default"}`)},
	}
}

// maxReferences limits spec.references, to limit the costs of CEL rules.
const maxReferences = 32

func referencesSchema() props {
	text := func(description string) props { return props{Type: "string", Description: description} }
	selector := props{
		Type:        "object",
		Description: "Selects the other resource. Of several that match, the first by name is used.",
		Properties: map[string]props{
			"matchLabels": {
				Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Schema: &props{Type: "string"}},
				Description: "The labels of the other resource.",
			},
			"matchControllerRef": {Type: "boolean", Description: "Whether the other resource must have the same controller as this one."},
		},
	}
	from := props{
		Type:        "object",
		Description: "Where the value comes from.",
		Required:    []string{"kind"},
		Properties: map[string]props{
			"apiVersion": text("API version of the other resource. Default: that of this resource."),
			"kind":       text("Kind of the other resource."),
			"name":       text("Name of the other resource."),
			"selector":   selector,
			"namespace": text("Namespace of the other resource, which must allow the reference with the annotation " +
				"landbridge.io/referable-from. Default: that of this resource."),
			"fieldPath": text("Path of the field with the value, such as status.atProvider.arn. Default: the " +
				"external name, or the id of a data source."),
			"transform": {
				Type: "string", MaxLength: ptr.To[int64](expression.MaxTransformLength),
				Description: "CEL expression that makes the value of the field's, which is self: self.split('/')[3].",
			},
		},
		XValidations: apiextensionsv1.ValidationRules{
			{Rule: "has(self.name) != has(self.selector)", Message: "exactly one of name and selector must be given"},
		},
	}
	most, longest := int64(maxReferences), int64(256)
	item := props{
		Type:        "object",
		Description: "Reference is a field that takes its value from another resource.",
		Required:    []string{"from", "to"},
		Properties: map[string]props{
			"to": {
				Type: "string", Pattern: `^(forProvider|initProvider|import[.]identity)[.[].+$`, MaxLength: &longest,
				Description: "Path of the field that is set, such as forProvider.vpcId, forProvider.rule[0].vpcId or import.identity.arn.",
			},
			"from":   from,
			"policy": referencePolicy(),
		},
	}
	listType := "map"
	return props{
		Type: "array", MaxItems: &most, Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &item},
		XListType: &listType, XListMapKeys: []string{"to"},
		Description: "Fields that take their values from other resources. Those resources are destroyed after this one.",
	}
}

// referencePolicy has the schema and the descriptions of Crossplane.
func referencePolicy() props {
	resolution := enum("Resolution specifies whether resolution of this reference is required.\nThe default is "+
		"'Required', which means the reconcile will fail if the\n"+
		"reference cannot be resolved. 'Optional' means this reference will be\na no-op if it cannot be resolved.", "Required", "Optional")
	resolution.Default = &apiextensionsv1.JSON{Raw: []byte(`"Required"`)}
	return props{
		Type:        "object",
		Description: "How the reference is resolved.",
		Properties: map[string]props{
			"resolution": resolution,
			"resolve": enum("Resolve specifies when this reference should be resolved. The default\nis "+
				"'IfNotPresent', which will attempt to resolve the reference only when\n"+
				"the corresponding field is not present. Use 'Always' to resolve the\nreference on every reconcile.", "Always", "IfNotPresent"),
		},
	}
}

func connectionSecretRef() props {
	return props{
		Type:        "object",
		Description: "The Secret, in the resource's namespace, to which the object's sensitive values are written.",
		Required:    []string{"name"},
		Properties:  map[string]props{"name": {Type: "string", Description: "Name of the secret."}},
	}
}

func enum(description string, values ...string) props {
	out := props{Type: "string", Description: description}
	for _, v := range values {
		out.Enum = append(out.Enum, apiextensionsv1.JSON{Raw: []byte(`"` + v + `"`)})
	}
	return out
}

func stringItems() *apiextensionsv1.JSONSchemaPropsOrArray {
	return &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &props{Type: "string"}}
}

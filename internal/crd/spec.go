package crd

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/landbridge-io/landbridge/internal/model"
)

// The values of spec.lifecycle.replacePolicy and taintPolicy; the first of each is the default.
const (
	ReplaceAutomatic = "Automatic"
	ReplaceNever     = "Never"
	TaintReplace     = "Replace"
	TaintKeep        = "Keep"
)

func specSchema(r *model.Resource, root *model.Type, w writer) props {
	// The same fields again: what they are is said once, and what is referred to is what the object shall be, always.
	brief := w
	w.references, w.spent = true, new(int64)
	forProvider := w.object(root, 0, false)
	forProvider.Description = "What the remote object shall be."
	brief.descriptions = 0
	initProvider := brief.object(root, 0, false)
	initProvider.Description = "What the remote object shall be when it is created, and is not looked at afterwards: the fields of forProvider, which wins where both are given. Objects are merged, lists are not."

	rules := requiredRules(root, forProvider)
	rules = append(rules, apiextensionsv1.ValidationRule{
		Rule: "!has(oldSelf.__import__) || has(self.__import__)", Message: "spec.import cannot be removed",
	})
	return props{
		Type:         "object",
		Description:  "What is wanted.",
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
}

func importSchema(r *model.Resource) props {
	one := int64(1)
	id := props{Type: "string", MinLength: &one, Description: "The id by which the provider imports the object."}
	out := props{
		Type:        "object",
		Description: "The remote object that this resource takes over instead of creating one. It can neither be changed nor removed once it is set.",
		Properties:  map[string]props{"id": id},
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
	identity := writer{descriptions: 320}.object(r.Identity(), 0, true)
	identity.Description = "The identity of the object."
	out.Properties["identity"] = identity
	out.XValidations = append(out.XValidations, apiextensionsv1.ValidationRule{
		Rule: "has(self.id) != has(self.identity)", Message: "exactly one of spec.import.id and spec.import.identity must be given",
	})
	return out
}

// sameImport is the rule that spec.import stays what it is, for identities whose schema has a
// history. What was imported under an older version may have attributes that had another type,
// and CEL fails at the sight of them, so what is in the identity is not compared. It does not
// matter any more once the object is taken over.
const sameImport = "has(self.id) == has(oldSelf.id) && (!has(self.id) || self.id == oldSelf.id) && has(self.identity) == has(oldSelf.identity)"

func lifecycleSchema() props {
	return props{
		Type:        "object",
		Description: "What may happen to the remote object.",
		Properties: map[string]props{
			"replacePolicy": enum("What happens when a change cannot be made without destroying the object and creating another. Automatic, the default: it is replaced, as Terraform does. Never: nothing happens, and the change is shown in status.plan.", ReplaceAutomatic, ReplaceNever),
			"taintPolicy":   enum("What happens to an object whose creation did not end well. Replace, the default: it is destroyed and created again. Keep: it waits for a person.", TaintReplace, TaintKeep),
			"createBeforeDestroy": {
				Type: "boolean", Description: "A replacement creates the new object before it destroys the old one. Default: false.",
			},
			"timeouts": timeoutsSchema(),
			"ignoreChanges": {
				Type: "array", Items: stringItems(),
				Description: "Fields of forProvider whose differences are left alone once the object exists, such as tags.team or rule[0].maxAgeDays; \"*\" is all of them.",
			},
		},
	}
}

func timeoutsSchema() props {
	timeout := func(what string) props {
		return props{Type: "string", Pattern: `^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`, Description: "How long " + what + " may take, such as 30m or 1h30m."}
	}
	return props{
		Type: "object",
		Description: "How long operations may take until they are given up. Default: somewhat longer than the provider gives itself, where it says so" +
			" in a field named timeouts of forProvider or, with the legacy SDK, by itself; else what the controller allows.",
		Properties: map[string]props{"create": timeout("creates"), "update": timeout("updates"), "delete": timeout("deletes")},
	}
}

func managementPolicies() props {
	all := enum("A ManagementAction represents an action that the Crossplane controllers\ncan take on an external resource.", "Observe", "Create", "Update", "Delete", "LateInitialize", "*")
	most := int64(16)
	return props{
		Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &all}, MaxItems: &most,
		Default:     &apiextensionsv1.JSON{Raw: []byte(`["*"]`)},
		Description: "What may be done to the remote object. An empty list pauses the resource.",
	}
}

func providerConfigRef() props {
	return props{
		Type:        "object",
		Description: "The configuration of the provider to use: a ProviderConfig in the resource's namespace, or a ClusterProviderConfig.",
		Required:    []string{"kind", "name"},
		Properties: map[string]props{
			"kind": {Type: "string", Description: "Kind of the referenced object."},
			"name": {Type: "string", Description: "Name of the referenced object."},
		},
		Default: &apiextensionsv1.JSON{Raw: []byte(`{"kind":"ClusterProviderConfig","name":"default"}`)},
	}
}

// maxReferences bounds spec.references, as CEL's costs must be.
const maxReferences = 32

func referencesSchema() props {
	text := func(description string) props { return props{Type: "string", Description: description} }
	selector := props{
		Type:        "object",
		Description: "Takes, of the resources selected, the first by name.",
		Properties: map[string]props{
			"matchLabels": {
				Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Schema: &props{Type: "string"}},
				Description: "The labels that the resource has.",
			},
			"matchControllerRef": {Type: "boolean", Description: "The resource has the same controller as this one."},
		},
	}
	from := props{
		Type:        "object",
		Description: "The field that the value is of.",
		Required:    []string{"kind"},
		Properties: map[string]props{
			"apiVersion": text("API version of the other resource; this one's by default."),
			"kind":       text("Kind of the other resource."),
			"name":       text("Name of the other resource."),
			"selector":   selector,
			"namespace":  text("Namespace of the other resource, which has to allow it by the annotation landbridge.io/referable-from; this one's by default."),
			"fieldPath":  text("Path of the field, such as status.atProvider.arn; the external name by default."),
		},
		XValidations: apiextensionsv1.ValidationRules{
			{Rule: "has(self.name) != has(self.selector)", Message: "exactly one of name and selector must be given"},
		},
	}
	most, longest := int64(maxReferences), int64(256)
	item := props{
		Type:        "object",
		Description: "Reference is a field that gets its value from another resource.",
		Required:    []string{"from", "to"},
		Properties: map[string]props{
			"to": {
				Type: "string", Pattern: `^(forProvider|initProvider)[.[].+$`, MaxLength: &longest,
				Description: "Path of the field that gets the value, such as forProvider.vpcId or forProvider.subnetIds[0].",
			},
			"from":   from,
			"policy": referencePolicy(),
		},
	}
	listType := "map"
	return props{
		Type: "array", MaxItems: &most, Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &item},
		XListType: &listType, XListMapKeys: []string{"to"},
		Description: "Fields that get their values from other resources. What is referred to is destroyed after this resource.",
	}
}

// referencePolicy is Crossplane's, in its words.
func referencePolicy() props {
	resolution := enum("Resolution specifies whether resolution of this reference is required.\nThe default is 'Required', which means the reconcile will fail if the\n"+
		"reference cannot be resolved. 'Optional' means this reference will be\na no-op if it cannot be resolved.", "Required", "Optional")
	resolution.Default = &apiextensionsv1.JSON{Raw: []byte(`"Required"`)}
	return props{
		Type:        "object",
		Description: "How the reference is resolved.",
		Properties: map[string]props{
			"resolution": resolution,
			"resolve": enum("Resolve specifies when this reference should be resolved. The default\nis 'IfNotPresent', which will attempt to resolve the reference only when\n"+
				"the corresponding field is not present. Use 'Always' to resolve the\nreference on every reconcile.", "Always", "IfNotPresent"),
		},
	}
}

func connectionSecretRef() props {
	return props{
		Type:        "object",
		Description: "The Secret, in the resource's namespace, into which the object's sensitive values are written.",
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

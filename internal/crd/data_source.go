package crd

import (
	"maps"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/landbridge-io/landbridge/internal/model"
)

func dataSpecSchema(r *model.Resource, root *model.Type, w writer) props {
	w.demanded, w.references, w.data = true, true, true
	forProvider := w.object(root, 0, false)
	forProvider.Description = "The arguments of the " + r.Mode.What() + "."
	references := referencesSchema()
	references.Description = "Fields that take their values from other resources."
	to := references.Items.Schema.Properties["to"]
	to.Pattern, to.Description = `^forProvider[.[].+$`,
		"Path of the field that is set, such as forProvider.vpcId or forProvider.filter[0].values[0]."
	references.Items.Schema.Properties["to"] = to
	secret := connectionSecretRef()
	secret.Description = "The Secret, in the namespace of this object, to which the sensitive values of the result " +
		"are written. They are nowhere else."
	out := props{
		Type:        "object",
		Description: "What is read.",
		Required:    []string{"forProvider"},
		Properties: map[string]props{
			"forProvider":                forProvider,
			"providerConfigRef":          providerConfigRef(),
			"references":                 references,
			"writeConnectionSecretToRef": secret,
		},
	}
	switch r.Mode {
	case model.Ephemeral:
		openedSpec(&out)
	case model.Action:
		invokedSpec(&out)
	default:
		out.Properties["refreshInterval"] = props{
			Type: "string", Pattern: `^(0|([0-9]+(\.[0-9]+)?(ms|s|m|h))+)$`,
			Description: "The interval at which the data source is read again, such as 10m; at least 1s. 0 reads it " +
				"once, and again only when it is changed or a read is requested. Default: 10m.",
		}
	}
	for _, f := range root.Object.Settable() {
		if !f.Required || !f.Input || !celSees(forProvider.Properties[f.InputName()]) {
			continue
		}
		out.XValidations = append(out.XValidations, apiextensionsv1.ValidationRule{
			Rule: given("self.forProvider", f.InputName()) + " || has(self.references)", Message: requiredMessage("spec.forProvider", f.InputName()),
		})
	}
	demandUnlessReferred(root, nil, &out)
	return out
}

func dataStatusSchema(_ *model.Resource, root *model.Type, w writer) props {
	w.status = true
	atProvider := w.object(root, 0, false)
	atProvider.Description = "The result of the last read that succeeded, without sensitive values."
	atomic := "atomic"
	return props{
		Type:        "object",
		Description: "What was read.",
		Default:     unobserved(),
		XMapType:    &atomic,
		Properties: looked(map[string]props{
			"atProvider": atProvider,
			"lastChangeTime": {
				Type: "string", Format: "date-time",
				Description: "When a read last had another result than the one before. Reads with the same result " +
					"are not recorded.",
			},
			"configurationHash": {Type: "string", Description: "Identifies the arguments of the last read. They cannot be guessed from it."},
		}),
	}
}

// looked adds what all statuses have that tell what came of looks at an object.
func looked(own map[string]props) map[string]props {
	maps.Copy(own, map[string]props{
		"warnings":           {Type: "array", Items: stringItems(), Description: "Warnings of the provider."},
		"conditions":         conditionsSchema(),
		"messages":           messagesSchema(),
		"observedGeneration": integer("The generation of the object that this status describes."),
		"lastHandled":        dataLastHandledSchema(),
		"lastHandledReconcileAt": {
			Type:        "string",
			Description: "The last value of the annotation crossplane.io/reconcile-requested-at that was handled.",
		},
	})
	return own
}

func dataLastHandledSchema() props {
	out := lastHandledSchema()
	for name := range out.Properties {
		if name != "reconcileRequestedAt" {
			delete(out.Properties, name)
		}
	}
	return out
}

func dataColumns(*model.Resource) []apiextensionsv1.CustomResourceColumnDefinition {
	return []apiextensionsv1.CustomResourceColumnDefinition{
		{Name: "SYNCED", Type: "string", JSONPath: ".status.conditions[?(@.type=='Synced')].status"},
		{Name: "READY", Type: "string", JSONPath: ".status.conditions[?(@.type=='Ready')].status"},
		{Name: "CHANGED", Type: "date", JSONPath: ".status.lastChangeTime", Description: "When the result last changed."},
		{Name: "REASON", Type: "string", JSONPath: ".status.conditions[?(@.type=='Synced')].reason", Priority: 1},
		{
			Name: "INTERVAL", Type: "string", JSONPath: ".spec.refreshInterval", Priority: 1,
			Description: "The interval at which it is read again.",
		},
		age(),
	}
}

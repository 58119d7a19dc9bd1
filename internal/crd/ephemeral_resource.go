package crd

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/landbridge-io/landbridge/internal/model"
)

// openedSpec changes the schema of a data source's spec to that of an ephemeral resource.
func openedSpec(spec *props) {
	spec.Description = "What is opened."
	spec.Required = append(spec.Required, "writeConnectionSecretToRef")
	secret := spec.Properties["writeConnectionSecretToRef"]
	secret.Description = "The Secret, in the namespace of this object, to which the whole result is written. It is nowhere else."
	spec.Properties["writeConnectionSecretToRef"] = secret
}

func ephemeralStatusSchema(r *model.Resource, root *model.Type, w writer) props {
	out := dataStatusSchema(r, root, w)
	out.Description = "What is open."
	for _, of := range []string{"atProvider", "lastChangeTime", "configurationHash"} {
		delete(out.Properties, of)
	}
	out.Properties["openedAt"] = props{Type: "string", Format: "date-time", Description: "When what the Secret has was opened."}
	out.Properties["renewAt"] = props{
		Type: "string", Format: "date-time",
		Description: "When it ends unless it is renewed before. Without it, it does not end by itself.",
	}
	return out
}

func ephemeralColumns(*model.Resource) []apiextensionsv1.CustomResourceColumnDefinition {
	return []apiextensionsv1.CustomResourceColumnDefinition{
		{Name: "SYNCED", Type: "string", JSONPath: ".status.conditions[?(@.type=='Synced')].status"},
		{Name: "READY", Type: "string", JSONPath: ".status.conditions[?(@.type=='Ready')].status"},
		{Name: "OPENED", Type: "date", JSONPath: ".status.openedAt", Description: "When it was opened."},
		{Name: "RENEW-AT", Type: "string", JSONPath: ".status.renewAt", Description: "When it ends unless it is renewed before."},
		{Name: "REASON", Type: "string", JSONPath: ".status.conditions[?(@.type=='Synced')].reason", Priority: 1},
		age(),
	}
}

package crd

import (
	"cmp"
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/model"
)

// Resource returns the CRD of a resource type's kind, which is namespaced and follows the
// Crossplane Resource Model, or of the kind of a data source, an ephemeral resource
// or an action.
func Resource(r *model.Resource) (*apiextensionsv1.CustomResourceDefinition, error) {
	out, _, err := Fit(r)
	return out, err
}

func resource(r *model.Resource, root *model.Type, w writer) *apiextensionsv1.CustomResourceDefinition {
	about := shorten(plain(cmp.Or(r.Description, r.Schema.Block.Description.Text)), 1024)
	if about != "" {
		about = "\n" + about
	}
	if r.Schema.Block.Deprecated {
		about += strings.TrimRight("\nDeprecated: "+plain(r.Schema.Block.DeprecationMessage), ": ")
	}
	what, spec, status, columns := "resource", specSchema, statusSchema, resourceColumns
	switch r.Mode {
	case model.Data:
		what, spec, status, columns = r.Mode.What(), dataSpecSchema, dataStatusSchema, dataColumns
	case model.Ephemeral:
		what, spec, status, columns = r.Mode.What(), dataSpecSchema, ephemeralStatusSchema, ephemeralColumns
	case model.Action:
		what, spec, status, columns = r.Mode.What(), dataSpecSchema, actionStatusSchema, actionColumns
	}
	observed := status(r, root, w)
	top := props{
		Type:        "object",
		Description: fmt.Sprintf("%s is the Terraform %s %s.%s", r.Kind, what, r.Type, about),
		Required:    []string{"spec"},
		Properties:  objectProperties(spec(r, root, w), &observed),
	}
	if r.Mode == model.Action {
		top.XValidations = begunRules()
	}
	out := kind{
		group: r.Group, version: r.Version, scope: apiextensionsv1.NamespaceScoped,
		names: apiextensionsv1.CustomResourceDefinitionNames{
			Kind: r.Kind, ListKind: r.ListKind, Plural: r.Plural, Singular: r.Singular,
			ShortNames: r.ShortNames, Categories: r.Categories,
		},
		schema: top, columns: columns(r),
	}.definition()
	out.Annotations = map[string]string{v1alpha1.AnnotationResourceType: r.Address()}
	if t := referenceTargets(r); t != "" {
		out.Annotations[v1alpha1.AnnotationReferences] = t
	}
	out.Spec.Versions[0].SelectableFields = selectable(r, observed)
	if r.Schema.Block.Deprecated {
		out.Spec.Versions[0].Deprecated = true
		if m := shorten(strings.TrimSpace(r.Schema.Block.DeprecationMessage), 200); m != "" {
			m = strings.Join(strings.Fields(m), " ")
			out.Spec.Versions[0].DeprecationWarning = &m
		}
	}
	return out
}

// kind has the parts of a CRD with one version.
type kind struct {
	group, version string
	scope          apiextensionsv1.ResourceScope
	names          apiextensionsv1.CustomResourceDefinitionNames
	schema         props
	columns        []apiextensionsv1.CustomResourceColumnDefinition
}

func (k kind) definition() *apiextensionsv1.CustomResourceDefinition {
	v := apiextensionsv1.CustomResourceDefinitionVersion{
		Name: k.version, Served: true, Storage: true,
		Schema:                   &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &k.schema},
		AdditionalPrinterColumns: k.columns,
	}
	if _, ok := k.schema.Properties["status"]; ok {
		v.Subresources = &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}}
	}
	return &apiextensionsv1.CustomResourceDefinition{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"},
		ObjectMeta: metav1.ObjectMeta{Name: k.names.Plural + "." + k.group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: k.group, Scope: k.scope, Names: k.names,
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{v},
		},
	}
}

func objectProperties(spec props, status *props) map[string]props {
	out := metaProperties()
	out["spec"] = spec
	if status != nil {
		out["status"] = *status
	}
	return out
}

// metaProperties has the schema and the descriptions of apimachinery's TypeMeta.
func metaProperties() map[string]props {
	const conventions = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md"
	return map[string]props{
		"apiVersion": {Type: "string", Description: "APIVersion defines the versioned schema of this representation of an object.\n" +
			"Servers should convert recognized schemas to the latest internal value, and\nmay reject unrecognized values.\n" +
			"More info: " + conventions + "#resources"},
		"kind": {Type: "string", Description: "Kind is a string value representing the REST resource this object represents.\n" +
			"Servers may infer this from the endpoint the client submits requests to.\nCannot be updated.\nIn CamelCase.\n" +
			"More info: " + conventions + "#types-kinds"},
		"metadata": {Type: "object"},
	}
}

func resourceColumns(r *model.Resource) []apiextensionsv1.CustomResourceColumnDefinition {
	condition := func(t string) string { return fmt.Sprintf(".status.conditions[?(@.type=='%s')].status", t) }
	out := []apiextensionsv1.CustomResourceColumnDefinition{
		{Name: "SYNCED", Type: "string", JSONPath: condition("Synced")},
		{Name: "READY", Type: "string", JSONPath: condition("Ready")},
		{Name: "STATE", Type: "string", JSONPath: ".status.state"},
		{Name: "EXTERNAL-NAME", Type: "string", JSONPath: `.metadata.annotations.crossplane\.io/external-name`},
	}
	operation := []apiextensionsv1.CustomResourceColumnDefinition{
		{Name: "OPERATION", Type: "string", JSONPath: ".status.operation.kind", Priority: 1, Description: "The operation that is running."},
		{
			Name: "ELAPSED", Type: "date", JSONPath: ".status.operation.startedAt", Priority: 1,
			Description: "How long the operation has been running.",
		},
		{Name: "PLAN", Type: "string", JSONPath: ".status.plan.action", Priority: 1, Description: "What is to be done to the remote object."},
		{
			Name: "STATE-AGE", Type: "date", JSONPath: ".status.conditions[?(@.type=='Ready')].lastTransitionTime",
			Priority: 1, Description: "How long the remote object has been as READY and STATE tell.",
		},
	}
	out = append(out, operation...)
	out = append(out, apiextensionsv1.CustomResourceColumnDefinition{
		Name: "DRIFT", Type: "string", JSONPath: ".status.drift.changes[*].path", Priority: 1,
		Description: "Fields that were changed outside of this resource.",
	})
	taken := map[string]bool{"NAMESPACE": true, "NAME": true, "AGE": true}
	for _, c := range out {
		taken[c.Name] = true
	}
	if id := r.Identity(); id != nil {
		for _, f := range id.Object.All {
			if !f.Type.IsPrimitive() {
				continue
			}
			name := strings.ToUpper(strings.ReplaceAll(f.Name, "_", "-"))
			if taken[name] {
				name = "IDENTITY-" + name
			}
			if taken[name] {
				continue
			}
			taken[name] = true
			out = append(out, apiextensionsv1.CustomResourceColumnDefinition{
				Name: name, Type: columnType(f.Type), JSONPath: ".status.identity." + f.JSONName, Priority: 1,
				Description: shorten(f.Description, 160),
			})
		}
	}
	return append(out, age())
}

func age() apiextensionsv1.CustomResourceColumnDefinition {
	return apiextensionsv1.CustomResourceColumnDefinition{Name: "AGE", Type: "date", JSONPath: ".metadata.creationTimestamp"}
}

func columnType(t *model.Type) string {
	switch t.Presented() {
	case model.Number:
		return "number"
	case model.Bool:
		return "boolean"
	default:
		return "string"
	}
}

package generator

import (
	"fmt"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/model"
)

// kind is the generated kind of one resource type.
type kind struct {
	resource *model.Resource
	crd      *apiextensionsv1.CustomResourceDefinition
	leftOut  string // what was left out of the CRD because of its size
	// configuration is the one of its example in the provider's documentation; nil without one.
	configuration map[string]any
	types         *types
	names         kindNames
}

// kindNames are the names of the types that all or most kinds have.
type kindNames struct {
	spec, status, parameters, initParameters, observation string
	// imports is the type of spec.import; importIdentity and identity are types of identities.
	imports, importIdentity, identity string
}

// claim claims the names of a kind's own types. The names of kinds and their lists are claimed
// before.
func (k *kind) claim() {
	b, name := k.types, k.resource.Kind
	k.names = kindNames{
		spec: b.claim(name + "Spec"), status: b.claim(name + "Status"),
		parameters: b.claim(name + "Parameters"), initParameters: b.claim(name + "InitParameters"),
		observation: b.claim(name + "Observation"), imports: b.claim(name + "Import"),
	}
	if k.resource.Identity() != nil {
		k.names.importIdentity, k.names.identity = b.claim(name+"ImportIdentity"), b.claim(name+"Identity")
	}
}

// version returns the CRD's storage version. Earlier versions follow it.
func (k *kind) version() *apiextensionsv1.CustomResourceDefinitionVersion {
	return &k.crd.Spec.Versions[0]
}

// declare declares all types of the kind, in the order of the file.
func (k *kind) declare() error {
	root := k.version().Schema.OpenAPIV3Schema
	spec, status := root.Properties["spec"], root.Properties["status"]
	r, b, n := k.resource, k.types, k.names

	b.declared = append(b.declared, &goType{
		name: n.spec, doc: fmt.Sprintf("%s is what is wanted of a %s.", n.spec, r.Kind), markers: rules(spec),
		fields: []goField{
			{typ: "managed.ResourceSpec", json: ",inline"},
			k.field("ForProvider", n.parameters, "forProvider", spec),
			k.field("InitProvider", "*"+n.initParameters, "initProvider,omitempty", spec),
			k.field("Import", "*"+n.imports, "import,omitempty", spec),
		},
	})
	if err := k.object(n.parameters, "is what the remote object shall be.", r.Root(), spec.Properties["forProvider"], false); err != nil {
		return err
	}
	if err := k.object(n.initParameters, "is what the remote object shall be when it is created. The fields are those of "+n.parameters+".",
		r.Root(), spec.Properties["initProvider"], false); err != nil {
		return err
	}
	if err := k.imported(spec.Properties["import"]); err != nil {
		return err
	}

	observed := &goType{
		name: n.status, doc: fmt.Sprintf("%s is what is known of a %s.", n.status, r.Kind),
		fields: []goField{
			{typ: "managed.ResourceStatus", json: ",inline"},
			k.field("AtProvider", n.observation, "atProvider,omitempty", status),
		},
	}
	if r.Identity() != nil {
		history := k.field("IdentityHistory", "[]managed.FormerIdentity", "identityHistory,omitempty", status)
		observed.fields = append(observed.fields, k.field("Identity", "*"+n.identity, "identity,omitempty", status), history)
	}
	b.declared = append(b.declared, observed)
	if err := k.object(n.observation, "is the remote object as it was last seen, without sensitive values.", r.Root(),
		status.Properties["atProvider"], true); err != nil {
		return err
	}
	if r.Identity() == nil {
		return nil
	}
	return k.object(n.identity, "is the identity of the remote object.", r.Identity(), status.Properties["identity"], true)
}

// field returns one of the fixed fields with its description and markers from the schema.
func (*kind) field(name, typ, json string, schema props) goField {
	return fixedField(name, typ, json, schema)
}

func fixedField(name, typ, json string, schema props) goField {
	property, _, _ := strings.Cut(json, ",")
	p := schema.Properties[property]
	return goField{name: name, typ: typ, json: json, doc: p.Description, markers: markers(p)}
}

// object declares a struct of the model with the given comment.
func (k *kind) object(name, doc string, t *model.Type, schema props, status bool) error {
	at := len(k.types.declared)
	if err := k.types.object(name, t, schema, status); err != nil {
		return err
	}
	k.types.declared[at].doc = name + " " + doc
	return nil
}

func (k *kind) imported(schema props) error {
	n := k.names
	declared := &goType{
		name: n.imports, doc: fmt.Sprintf("%s is the remote object that a %s takes over.", n.imports, k.resource.Kind), markers: rules(schema),
	}
	k.types.declared = append(k.types.declared, declared)
	if k.resource.Identity() == nil {
		declared.fields = []goField{k.field("ID", "string", "id", schema)}
		return nil
	}
	declared.fields = []goField{
		k.field("ID", "*string", "id,omitempty", schema),
		k.field("Identity", "*"+n.importIdentity, "identity,omitempty", schema),
	}
	return k.object(n.importIdentity, "is the identity of the object to take over.", k.resource.Identity(),
		schema.Properties["identity"], false)
}

// root returns the declaration of the kind itself.
func (k *kind) root() *goType {
	r, v := k.resource, k.version()
	schema := *v.Schema.OpenAPIV3Schema
	var annotations []string
	for _, name := range []string{v1alpha1.AnnotationReferences, v1alpha1.AnnotationResourceType} {
		if value, ok := k.crd.Annotations[name]; ok {
			annotations = append(annotations, strconv.Quote(name+"="+value))
		}
	}
	out := &goType{name: r.Kind, doc: schema.Description, markers: kindMarkers(k.crd, "metadata:annotations="+strings.Join(annotations, ";"))}
	out.fields = []goField{
		{typ: "metav1.TypeMeta", json: ",inline"},
		{typ: "metav1.ObjectMeta", json: "metadata,omitempty"},
		k.field("Spec", k.names.spec, "spec", schema),
		k.field("Status", k.names.status, "status,omitempty", schema),
	}
	return out
}

// kindMarkers returns the markers of a kind that are not about its schema. extra is added before
// the columns.
func kindMarkers(d *apiextensionsv1.CustomResourceDefinition, extra ...string) []string {
	v, names := &d.Spec.Versions[0], d.Spec.Names
	out := []string{"+kubebuilder:object:root=true", storageVersion}
	add := func(marker string) { out = append(out, "+kubebuilder:"+marker) }
	if v.Subresources != nil && v.Subresources.Status != nil {
		add("subresource:status")
	}
	resource := fmt.Sprintf("resource:path=%s,singular=%s,scope=%s,categories={%s}", names.Plural, names.Singular,
		d.Spec.Scope, strings.Join(names.Categories, ","))
	if len(names.ShortNames) > 0 {
		resource += ",shortName={" + strings.Join(names.ShortNames, ",") + "}"
	}
	add(resource)
	for _, marker := range extra {
		add(marker)
	}
	for _, c := range v.AdditionalPrinterColumns {
		column := fmt.Sprintf("printcolumn:name=%s,type=%s,JSONPath=%s", strconv.Quote(c.Name), strconv.Quote(c.Type), strconv.Quote(c.JSONPath))
		if c.Priority != 0 {
			column += fmt.Sprintf(",priority=%d", c.Priority)
		}
		if c.Description != "" {
			column += ",description=" + strconv.Quote(c.Description)
		}
		add(column)
	}
	for _, f := range v.SelectableFields {
		out = append(out, selectableField+strconv.Quote(f.JSONPath))
	}
	if v.Deprecated {
		deprecated := "deprecatedversion"
		if v.DeprecationWarning != nil {
			deprecated += ":warning=" + strconv.Quote(*v.DeprecationWarning)
		}
		add(deprecated)
	}
	return out
}

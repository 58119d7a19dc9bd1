package generator

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/model"
)

// configKind is a generated kind of the provider's configuration.
type configKind struct {
	provider *model.Provider
	crd      *apiextensionsv1.CustomResourceDefinition
	types    *types
	// spec is the name of the type of the spec.
	spec string
}

// configKinds are ProviderConfig and ClusterProviderConfig.
func configKinds(p *model.Provider) []*configKind {
	var out []*configKind
	for _, d := range crd.ProviderConfig(p) {
		out = append(out, &configKind{provider: p, crd: d})
	}
	return out
}

// own are the fields of the spec that are not the provider's, with their Go types for each kind.
var own = []struct {
	property, name string
	types          map[string]string
	markers        []string
}{
	{
		property: model.AllowedNamespaces, name: "AllowedNamespaces",
		types: map[string]string{model.ClusterProviderConfigKind: "managed.AllowedNamespaces"},
	},
	{
		property: model.ServiceAccountTokens, name: "ServiceAccountTokens",
		types: map[string]string{
			model.ProviderConfigKind: "[]managed.ServiceAccountToken", model.ClusterProviderConfigKind: "[]managed.ClusterServiceAccountToken",
		},
		markers: []string{"+listType=map", "+listMapKey=name", "+kubebuilder:validation:MaxItems=16"},
	},
}

// declare declares all types of the kind except the kind itself.
func (c *configKind) declare() error {
	at, spec := len(c.types.declared), c.schema().Properties["spec"]
	all := spec.Properties
	spec.Properties = maps.Clone(all)
	for _, o := range own {
		delete(spec.Properties, o.property)
	}
	if err := c.types.object(c.spec, c.provider.Config, spec, false); err != nil {
		return err
	}
	for _, o := range own {
		typ, has := o.types[c.crd.Spec.Names.Kind]
		if !has {
			continue
		}
		field := goField{name: o.name, typ: typ, doc: all[o.property].Description, tf: "-", markers: slices.Clone(o.markers)}
		field.optional(o.property, false)
		c.types.declared[at].fields = append(c.types.declared[at].fields, field)
	}
	c.types.declared[at].doc = fmt.Sprintf("%s is how the provider is configured.", c.spec)
	return nil
}

func (c *configKind) schema() props { return *c.crd.Spec.Versions[0].Schema.OpenAPIV3Schema }

// source returns the Go file of the kind.
func (c *configKind) source() ([]byte, error) {
	schema, names := c.schema(), c.crd.Spec.Names
	spec := "spec,omitempty"
	for _, required := range schema.Required {
		if required == "spec" {
			spec = "spec"
		}
	}
	root := &goType{name: names.Kind, doc: schema.Description, markers: kindMarkers(c.crd), fields: []goField{
		{typ: "metav1.TypeMeta", json: ",inline"},
		{typ: "metav1.ObjectMeta", json: "metadata,omitempty"},
		fixedField("Spec", c.spec, spec, schema),
		fixedField("Status", "managed.ProviderConfigStatus", "status,omitempty", schema),
	}}
	var body, declaration bytes.Buffer
	root.write(&declaration)
	fmt.Fprintf(&body, "type (\n\t%s\n)\n\n", strings.ReplaceAll(strings.TrimSpace(declaration.String()), "\n", "\n\t"))
	if err := configTemplate.Execute(&body, names); err != nil {
		return nil, err
	}
	return c.types.file(c.provider.Version, body.String())
}

// configTemplate has the parts that both kinds share: the methods of resource.ProviderConfig.
var configTemplate = template.Must(template.New("config").Parse(`
// {{.ListKind}} is a list of {{.Kind}}.
//
// +kubebuilder:object:root=true
type {{.ListKind}} struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `
	metav1.ListMeta ` + "`json:\"metadata,omitempty\"`" + `
	Items []{{.Kind}} ` + "`json:\"items\"`" + `
}

var _ resource.ProviderConfig = &{{.Kind}}{}

// GetCondition of this {{.Kind}}.
func (o *{{.Kind}}) GetCondition(t xpv2.ConditionType) xpv2.Condition { return o.Status.GetCondition(t) }

// SetConditions of this {{.Kind}}.
func (o *{{.Kind}}) SetConditions(c ...xpv2.Condition) { o.Status.SetConditions(c...) }

// GetUsers of this {{.Kind}}.
func (o *{{.Kind}}) GetUsers() int64 { return o.Status.Users }

// SetUsers of this {{.Kind}}.
func (o *{{.Kind}}) SetUsers(n int64) { o.Status.Users = n }

`))

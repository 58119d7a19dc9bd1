package generator

import (
	"bytes"
	"path"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/model"
)

// addExamples adds a manifest for each kind, and one for the provider's configuration if it has
// any. It keeps those of earlier versions in dir.
func (o *Output) addExamples(p *model.Provider, packages map[string]*goPackage, dir string, configs []*configKind) error {
	const providerConfig = "examples/providerconfig.yaml"
	var all []*kind
	for _, of := range packages {
		all = append(all, of.kinds...)
	}
	file := func(k *kind) string {
		label, _, _ := strings.Cut(k.resource.Group, ".")
		return path.Join("examples", label, k.resource.Singular+".yaml")
	}
	err := each(all, func(k *kind) (string, []byte, error) {
		content, err := manifests(k.example())
		return file(k), content, err
	}, o.Files)
	if err != nil {
		return err
	}
	for _, k := range all {
		for _, v := range k.crd.Spec.Versions[1:] {
			if err := o.addFormerExample(dir, file(k), k.resource.Group, v.Name); err != nil {
				return err
			}
		}
	}
	for _, v := range configs[0].crd.Spec.Versions[1:] {
		if err := o.addFormerExample(dir, providerConfig, p.Group, v.Name); err != nil {
			return err
		}
	}
	if len(p.Config.Object.All) == 0 {
		return nil
	}
	o.Files[providerConfig], err = manifests(providerConfigExample(p))
	return err
}

// providerConfigExample returns the default provider configuration, with required and sensitive
// fields. The latter usually are credentials.
func providerConfigExample(p *model.Provider) map[string]any {
	var d *apiextensionsv1.CustomResourceDefinition
	for _, d = range crd.ProviderConfig(p) {
		if d.Spec.Names.Kind == model.ClusterProviderConfigKind {
			break
		}
	}
	schema := d.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	spec := exampleObject(p.Config, schema, nil)
	for _, f := range p.Config.Object.All {
		if f.Input && f.SecretRef != "" && !f.Deprecated {
			spec[f.SecretRef] = exampleSecretRef(schema.Properties[f.SecretRef])
		}
	}
	return map[string]any{
		"apiVersion": p.Group + "/" + p.Version, "kind": model.ClusterProviderConfigKind,
		"metadata": map[string]any{"name": "default"},
		"spec":     spec,
	}
}

// manifests returns a file with the Secret that an object refers to, followed by the object.
func manifests(object map[string]any) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("# " + mark + "\n")
	documents := []map[string]any{object}
	if refersToSecret(object) {
		secret := map[string]any{
			"apiVersion": "v1", "kind": "Secret",
			"metadata":   map[string]any{"name": exampleSecret, "namespace": exampleNamespace},
			"stringData": map[string]any{"value": ExampleSecret},
		}
		documents = []map[string]any{secret, object}
	}
	for _, d := range documents {
		raw, err := yaml.Marshal(d)
		if err != nil {
			return nil, err
		}
		b.WriteString("---\n")
		b.Write(raw)
	}
	return b.Bytes(), nil
}

func refersToSecret(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		for name, v := range value {
			if strings.HasSuffix(name, "SecretRef") || refersToSecret(v) {
				return true
			}
		}
	case []any:
		for _, v := range value {
			if refersToSecret(v) {
				return true
			}
		}
	}
	return false
}

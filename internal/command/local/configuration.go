package local

import (
	"fmt"

	"github.com/zclconf/go-cty/cty"
	corev1 "k8s.io/api/core/v1"

	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/redact"
)

// Configurations holds the provider configurations of manifests.
type Configurations struct {
	provider *model.Provider
	given    map[objectKey]configDocument
	values   map[objectKey]cty.Value
}

// ReadConfigurations reads the ProviderConfigs and ClusterProviderConfigs of one provider, with
// the Secrets that they refer to, whose values are added to secrets. Other objects are ignored.
func ReadConfigurations(p *model.Provider, sources []Source, secrets *redact.Redactor) (*Configurations, Messages) {
	r := newReader(p, secrets)
	for _, s := range sources {
		docs, messages := documents(s)
		r.messages = append(r.messages, messages...)
		for _, d := range docs {
			switch gvk := d.GroupVersionKind(); {
			case gvk == corev1.SchemeGroupVersion.WithKind("Secret"):
				r.secret(d)
			case r.isConfig(gvk):
				r.config(d)
			}
		}
	}
	for _, k := range sortedKeys(r.configs) {
		r.configure(k)
	}
	return &Configurations{provider: p, given: r.configs, values: r.values}, conceal(secrets, r.messages)
}

// Find returns the configuration of a kind, namespace and name. The ClusterProviderConfig "default"
// need not be given: it defaults to an empty configuration.
func (c *Configurations) Find(kind, namespace, name string) (cty.Value, error) {
	key := objectKey{kind: kind, name: name}
	switch kind {
	case model.ClusterProviderConfigKind:
	case model.ProviderConfigKind:
		key.namespace = namespaceOr(namespace)
	default:
		return cty.NilVal, fmt.Errorf("%q is neither %s nor %s", kind, model.ProviderConfigKind, model.ClusterProviderConfigKind)
	}
	if v, ok := c.values[key]; ok {
		return v, nil
	}
	if _, given := c.given[key]; !given && key == (objectKey{kind: model.ClusterProviderConfigKind, name: defaultName}) {
		return c.provider.Schema.Config.EmptyValue(), nil
	}
	if key.namespace != "" {
		name = key.namespace + "/" + name
	}
	return cty.NilVal, fmt.Errorf("there is no %s %s of %s in the files", kind, name, c.provider.Group)
}

package migrate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// ProviderConfig is a provider configuration of a provider that Upjet has generated: a
// ProviderConfig, which has no namespace with kinds that have none, or a ClusterProviderConfig.
type ProviderConfig struct{ *unstructured.Unstructured }

// IsProviderConfig reports whether an object is a provider configuration of Crossplane.
func IsProviderConfig(u *unstructured.Unstructured) bool {
	_, ok, _ := unstructured.NestedMap(u.Object, "spec", "credentials")
	return ok && (u.GetKind() == model.ProviderConfigKind || u.GetKind() == model.ClusterProviderConfigKind)
}

// Of reports whether it is the configuration that a resource refers to.
func (c ProviderConfig) Of(o Upjet) bool {
	ref := o.Configuration()
	group := c.GroupVersionKind().Group
	namespaced := c.GetKind() == model.ProviderConfigKind && c.GetNamespace() != ""
	return c.GetName() == ref.Name && (o.GroupVersionKind().Group == group || strings.HasSuffix(o.GroupVersionKind().Group, "."+group)) &&
		namespaced == (ref.Kind == model.ProviderConfigKind) && (!namespaced || c.GetNamespace() == o.GetNamespace())
}

// Title returns it for people.
func (c ProviderConfig) Title() string {
	return fmt.Sprintf("%s %s", c.GroupVersionKind().GroupKind(), strings.TrimPrefix(c.GetNamespace()+"/"+c.GetName(), "/"))
}

// Configuration is a provider configuration of Landbridge, with its credentials.
type Configuration struct {
	// Old is what it is made from.
	Old ProviderConfig
	// Object is the ProviderConfig or ClusterProviderConfig.
	Object *unstructured.Unstructured
	// Secret has the sensitive arguments, each under a key of its own; nil without any. From is
	// where they come from.
	Secret *corev1.Secret
	From   string
	// Notes are for people.
	Notes []string
}

// Credentials are the arguments in the credentials of a provider configuration, by Terraform's
// names.
type Credentials struct {
	values map[string]any
	// unknown are keys that the provider has no argument for.
	unknown []string
	// from is the Secret, and its key.
	from string
}

// ReadCredentials reads the credentials of a provider configuration: JSON in a key of a Secret,
// whose names are usually those of the provider's arguments.
func (c ProviderConfig) ReadCredentials(p *model.Provider, secrets Secrets) (*Credentials, error) {
	credentials, _, _ := unstructured.NestedMap(c.Object, "spec", "credentials")
	at := func(part, name string) string {
		s, _, _ := unstructured.NestedString(credentials, part, name)
		return s
	}
	switch source := credentials["source"]; source {
	case "None":
		return &Credentials{}, nil
	case "Secret":
	case "Environment":
		return nil, fmt.Errorf("its credentials are in the environment variable %s of the old provider. Write a %s "+
			"yourself, and name it by --configuration", at("env", "name"), model.ClusterProviderConfigKind)
	case "Filesystem":
		return nil, fmt.Errorf("its credentials are in the file %s of the old provider. Write a %s yourself, and "+
			"name it by --configuration", at("fs", "path"), model.ClusterProviderConfigKind)
	default:
		return nil, fmt.Errorf("its credentials are those of the old provider's identity (source %v). Write a %s "+
			"yourself, and name it by --configuration", source, model.ClusterProviderConfigKind)
	}
	ref := translate.SecretKeySelector{Namespace: at("secretRef", "namespace"), Name: at("secretRef", "name"), Key: at("secretRef", "key")}
	if c.GetNamespace() != "" {
		ref.Namespace = c.GetNamespace()
	}
	raw, err := secrets.key(ref)
	if err != nil {
		return nil, err
	}
	out := &Credentials{values: map[string]any{}, from: fmt.Sprintf("key %s of the Secret %s/%s", ref.Key, ref.Namespace, ref.Name)}
	var content map[string]any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(&content); err != nil {
		// The error could quote the content.
		return nil, fmt.Errorf("the %s is not a JSON object. Write a %s yourself, and name it by --configuration",
			out.from, model.ClusterProviderConfigKind)
	}
	for _, name := range slices.Sorted(maps.Keys(content)) {
		f, _ := find(p.Config.Object, name)
		if f == nil || !f.Input {
			out.unknown = append(out.unknown, name)
		} else if content[name] != nil && content[name] != "" {
			out.values[f.Name] = content[name]
		}
	}
	return out, nil
}

// Plain returns the arguments in the credentials that the provider does not mark as sensitive,
// except for those that may be shown. What comes from a Secret stays in one.
func (c *Credentials) Plain(p *model.Provider, shown []string) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(c.values)) {
		if f := p.Config.Object.ByTerraform(name); f.SecretRef == "" && !slices.Contains(shown, name) {
			out = append(out, name)
		}
	}
	return out
}

// Translate returns the provider configuration for Landbridge. Its Secret is in namespace, or in
// that of the configuration. Arguments that the provider does not mark as sensitive must be among
// those that may be shown.
func (c ProviderConfig) Translate(p *model.Provider, credentials *Credentials, shown []string, namespace string) (*Configuration, error) {
	if visible := credentials.Plain(p, shown); len(visible) > 0 {
		return nil,
			fmt.Errorf("the credentials have %s, which the provider does not mark as sensitive. Set "+
				"providerConfig.fields.%s.sensitive: true in spec of the TerraformProvider, or permit to show it by "+
				"--not-sensitive %s",
				strings.Join(visible, ", "), visible[0], strings.Join(visible, ","))
	}
	out, plain := &Configuration{Old: c, From: credentials.from}, &fields{what: "the provider"}
	spec := map[string]any{}
	u := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	u.SetAPIVersion(p.Group + "/" + p.Version)
	u.SetName(c.GetName())
	u.SetKind(model.ClusterProviderConfigKind)
	if c.GetKind() == model.ProviderConfigKind && c.GetNamespace() != "" {
		u.SetKind(model.ProviderConfigKind)
		u.SetNamespace(c.GetNamespace())
		namespace = c.GetNamespace()
	}
	out.Object = u
	secret := &corev1.Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{Name: p.Name + "-" + c.GetName() + "-credentials", Namespace: namespace}, Data: map[string][]byte{},
	}
	for _, name := range slices.Sorted(maps.Keys(credentials.values)) {
		f, v := p.Config.Object.ByTerraform(name), credentials.values[name]
		if f.SecretRef == "" {
			spec[f.JSONName] = plain.value(f.Type, plainJSON(v), "credentials."+name)
			continue
		}
		raw, err := text(v)
		if err != nil {
			return nil, err
		}
		secret.Data[name] = raw
		ref := map[string]any{"name": secret.Name, "key": name}
		if u.GetNamespace() == "" {
			ref["namespace"] = namespace
		}
		spec[f.SecretRef] = ref
	}
	if len(secret.Data) > 0 {
		out.Secret = secret
		out.Notes = append(out.Notes, fmt.Sprintf("Its credentials are %s of the Secret %s/%s, and were the %s.",
			listedKeys(secret.Data), namespace, secret.Name, credentials.from))
	}
	if len(credentials.unknown) > 0 {
		out.Notes = append(out.Notes,
			fmt.Sprintf("Left out: %s in the credentials, for which the provider has no argument.",
				strings.Join(credentials.unknown, ", ")))
	}
	own, _, _ := unstructured.NestedMap(c.Object, "spec")
	for _, name := range slices.Sorted(maps.Keys(own)) {
		if name == "credentials" {
			continue
		}
		f, isSecret := find(p.Config.Object, name)
		if f == nil || isSecret || f.SecretRef != "" || !f.Input {
			out.Notes = append(out.Notes, fmt.Sprintf("Left out: spec.%s, for which the provider has no argument of that name.", name))
			continue
		}
		if spec[f.JSONName] == nil {
			spec[f.JSONName] = plain.value(f.Type, own[name], "spec."+name)
		}
	}
	return out, problemsOf(plain.problems, func(string) string { return "" })
}

func listedKeys(data map[string][]byte) string {
	return "the keys " + strings.Join(slices.Sorted(maps.Keys(data)), ", ")
}

// plainJSON returns a value of JSON as custom resources have it.
func plainJSON(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		n, _ := v.Float64() // at worst infinite, which the API server refuses
		return n
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			out[k] = plainJSON(x)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = plainJSON(x)
		}
		return out
	}
	return v
}

// text returns a value as a key of a Secret has it: text, or JSON.
func text(v any) ([]byte, error) {
	if s, ok := v.(string); ok {
		return []byte(s), nil
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, errors.New("a value of the credentials cannot be written as JSON")
	}
	return raw, nil
}

// Values returns the arguments of the configuration's Secret, as its references find them.
func (c *Configuration) Values(ref translate.SecretKeySelector) ([]byte, error) {
	if c.Secret == nil || ref.Name != c.Secret.Name {
		return nil, fmt.Errorf("there is no Secret %s", ref.Name)
	}
	return c.Secret.Data[ref.Key], nil
}

package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"

	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/command/importer"
	"github.com/landbridge-io/landbridge/internal/command/migrate"
	"github.com/landbridge-io/landbridge/internal/controller/terraformprovider"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// openMigrated is a provider configuration of old resources.
type openMigrated struct {
	provider  *remoteProvider
	reference providerconfig.Reference
}

// openedMigrated is a provider with it, or why it cannot be used.
type openedMigrated struct {
	provider *importer.ConfiguredProvider
	err      error
}

// addedProvider is a provider that the cluster does not have.
type addedProvider struct {
	presentation config.Provider
	// types are the resource types that are used.
	types []string
}

// prepare finds out which of the given providers the cluster does not have. Their
// TerraformProviders let the arguments in the credentials stay in Secrets, also those that the
// provider does not mark as sensitive. The others are presented as in the cluster.
func (m *migration) prepare() error {
	if len(m.binaries) == 0 {
		return nil
	}
	installed := map[string]*v1alpha1.TerraformProvider{}
	if m.r.client != nil {
		list := &v1alpha1.TerraformProviderList{}
		if err := m.r.client.List(m.cmd.Context(), list); err != nil {
			return fmt.Errorf("cannot list TerraformProviders; is Landbridge installed in the cluster? %w", err)
		}
		for i := range list.Items {
			if a, err := install.ParseAddress(list.Items[i].Spec.Source); err == nil {
				installed[a.String()] = &list.Items[i]
			}
		}
	}
	for _, p := range m.r.providers {
		if there := installed[p.source]; there != nil {
			presented, _, err := terraformprovider.Model(m.cmd.Context(), m.r.client, there, p.model.Name, p.model.Schema)
			if err != nil {
				return fmt.Errorf("%s: %w", terraformProviderTitle(there.Name), err)
			}
			p.model = presented
			continue
		}
		c, err := m.presentation(p)
		if err != nil {
			return err
		}
		if p.model, err = model.NewProvider(p.model.Name, p.model.Schema, c); err != nil {
			return err
		}
		m.added[p] = &addedProvider{presentation: c}
	}
	return nil
}

// presentation returns how a provider that is added is presented.
func (m *migration) presentation(p *remoteProvider) (config.Provider, error) {
	file, err := m.readConfig(m.providerFlags.config)
	if err != nil {
		return config.Provider{}, err
	}
	c := file.Provider
	for _, x := range m.configs {
		if !inGroup(x.GroupVersionKind().Group, p.model.Name) && len(m.r.providers) > 1 {
			continue
		}
		credentials, err := x.ReadCredentials(p.model, m.secret)
		if err != nil {
			continue // it is reported with the resources that need it
		}
		for _, name := range credentials.Plain(p.model, m.notSensitive) {
			if c.ProviderConfig.Fields == nil {
				c.ProviderConfig.Fields = map[string]config.Field{}
			}
			f := c.ProviderConfig.Fields[name]
			f.Sensitive = true
			c.ProviderConfig.Fields[name] = f
		}
	}
	return c, nil
}

// configured returns a provider with the configuration of an old resource: that of the same name,
// or the one that is made of the old provider's.
func (m *migration) configured(p *remoteProvider, o migrate.Upjet) (*importer.ConfiguredProvider, error) {
	c := o.Configuration()
	key := openMigrated{p, providerconfig.Reference{Kind: c.Kind, Name: c.Name}}
	if c.Kind == model.ProviderConfigKind {
		key.reference.Namespace = o.GetNamespace()
	}
	if x, ok := m.opened[key]; ok {
		return x.provider, x.err
	}
	out := &importer.ConfiguredProvider{Model: p.model, Configuration: c, Secrets: m.r.secrets}
	value, err := m.configuration(p, o, key.reference)
	if err == nil {
		err = m.r.configure(m.cmd.Context(), p, out, value)
	}
	if err != nil {
		out = nil
	} else if m.r.cluster != nil {
		namespace := o.GetNamespace()
		if namespace == "" {
			namespace = m.r.namespace
		}
		out.Owners = m.r.owners(p, c, namespace)
	}
	m.opened[key] = openedMigrated{out, err}
	return out, err
}

// configuration returns the arguments of a provider configuration.
func (m *migration) configuration(p *remoteProvider, o migrate.Upjet, ref providerconfig.Reference) (cty.Value, error) {
	i := slices.IndexFunc(m.configs, func(x migrate.ProviderConfig) bool { return x.Of(o) })
	given, err := m.given(p, ref)
	if err == nil && (i < 0 || !given.RawEquals(p.model.Schema.Config.EmptyValue())) {
		return given, nil
	}
	if i < 0 {
		return cty.NilVal, fmt.Errorf("%w, and the old provider's is not there either. Give it with -f, or name yours with --configuration", err)
	}
	x := m.configs[i]
	credentials, err := x.ReadCredentials(p.model, m.secret)
	if err != nil {
		return cty.NilVal, fmt.Errorf("%s: %w", x.Title(), err)
	}
	t, err := x.Translate(p.model, credentials, m.notSensitive, m.system)
	if err != nil {
		return cty.NilVal, fmt.Errorf("%s: %w", x.Title(), err)
	}
	spec, _, _ := unstructured.NestedMap(t.Object.Object, "spec")
	v, diags := translate.ProviderConfig(p.model, spec, t.Values)
	if diags.HasErrors() {
		return cty.NilVal, fmt.Errorf("%s: %s", x.Title(), m.r.secrets.Replacer().Replace(diags.Errors()[0].Format(p.model.UserPath)))
	}
	if len(p.model.Schema.Config.Attributes)+len(p.model.Schema.Config.Blocks) > 0 {
		m.translated = append(m.translated, t)
	}
	return v, nil
}

// given returns the provider configuration of Landbridge's kind, from a file or the cluster.
func (m *migration) given(p *remoteProvider, ref providerconfig.Reference) (cty.Value, error) {
	if p.given != nil && (m.r.cluster == nil || len(m.files) > 0) {
		return p.given.Find(ref.Kind, ref.Namespace, ref.Name)
	}
	return m.r.cluster.Configuration(m.cmd.Context(), p.model, ref, m.r.secrets)
}

// providers returns the manifests of the providers that the cluster does not have, and of the
// configurations.
func (m *migration) providers() ([]importer.Manifest, error) {
	var out []importer.Manifest
	for _, p := range m.r.providers {
		x := m.added[p]
		if x == nil || len(x.types) == 0 {
			continue
		}
		manifest, err := migrate.TerraformProvider(p.model.Name, p.source, versionOf(p), x.types, x.presentation)
		if err != nil {
			return nil, err
		}
		out = append(out, manifest)
	}
	for _, c := range m.translated {
		out = append(out, c.Manifest())
	}
	return out, nil
}

// versionOf returns the version of a provider that is in a mirror; empty for others.
func versionOf(p *remoteProvider) string {
	parts := strings.Split(filepath.ToSlash(p.path), "/")
	if n := len(parts); n > 6 && strings.ContainsRune(parts[n-6], '.') && strings.Contains(parts[n-2], "_") {
		return parts[n-3]
	}
	return ""
}

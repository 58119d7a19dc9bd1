package cluster

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/terraformprovider"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
	"github.com/landbridge-io/landbridge/internal/provider/sources"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// Reader reads a cluster.
type Reader struct {
	// Client must not be a cache: it reads Secrets. Its scheme has v1alpha1 and core/v1.
	Client client.Reader
	// Installer finds the programs of providers, without registries.
	Installer *install.Installer
	// Downloads finds those that the controller has from a registry or its mirror: the same
	// version, with the checksums that the controller has recorded. Nil: Installer does.
	Downloads *install.Installer
	// Recorded finds programs where the controller finds them, as the status of their
	// TerraformProviders says, and is used instead of the others for those. Nil: the user has named
	// the sources.
	Recorded *Recorded
	// Attached are the providers that run already, and are used instead of programs.
	Attached sources.Attached
	// StartTimeout bounds the start of a provider's process.
	StartTimeout time.Duration
	// Stored are the stored instances, for Modules.
	Stored *store.Secrets

	// anyVersion permits downloads of versions that the controller has not installed.
	anyVersion bool
}

// InstalledProvider is a provider that is installed in the cluster.
type InstalledProvider struct {
	// Name of the TerraformProvider.
	Name string
	// Source is the provider's address or the path of its binary, as spec.source has it.
	Source   string
	Model    *model.Provider
	Launcher provider.Launcher
	// Activate are the patterns of what is served.
	Activate terraformprovider.Patterns
}

// Providers returns the TerraformProviders of the given names, sorted by name; all without names.
func (c *Reader) Providers(ctx context.Context, names ...string) ([]v1alpha1.TerraformProvider, error) {
	list := &v1alpha1.TerraformProviderList{}
	if err := c.Client.List(ctx, list); err != nil {
		if meta.IsNoMatchError(err) || kerrors.IsNotFound(err) {
			return nil, fmt.Errorf("the cluster has no TerraformProviders: Landbridge's controller was never started in it")
		}
		return nil, err
	}
	out := list.Items
	slices.SortFunc(out, func(a, b v1alpha1.TerraformProvider) int { return strings.Compare(a.Name, b.Name) })
	if len(names) > 0 {
		out = slices.DeleteFunc(out, func(p v1alpha1.TerraformProvider) bool { return !slices.Contains(names, p.Name) })
		for _, n := range names {
			if !slices.ContainsFunc(out, func(p v1alpha1.TerraformProvider) bool { return p.Name == n }) {
				return nil, fmt.Errorf("there is no TerraformProvider %s in the cluster", n)
			}
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("there is no TerraformProvider in the cluster")
	}
	return out, nil
}

// Open finds the binary of a TerraformProvider on this machine, or its process if it runs already,
// and reads its schema.
func (c *Reader) Open(ctx context.Context, p *v1alpha1.TerraformProvider) (*InstalledProvider, error) {
	launcher, name, err := c.launcher(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("TerraformProvider %s: %w", p.Name, err)
	}
	server, err := launcher.Launch(ctx)
	if err != nil {
		return nil, fmt.Errorf("TerraformProvider %s: %w", p.Name, err)
	}
	s, diags := server.Schema(ctx)
	if err := server.Close(ctx); err != nil && !diags.HasErrors() {
		return nil, fmt.Errorf("TerraformProvider %s: %w", p.Name, err)
	}
	if err := diags.Err(); err != nil {
		return nil, fmt.Errorf("TerraformProvider %s: %w", p.Name, err)
	}
	m, _, err := terraformprovider.Model(ctx, c.Client, p, name, s)
	if err != nil {
		return nil, fmt.Errorf("TerraformProvider %s: %w", p.Name, err)
	}
	return &InstalledProvider{
		Name: p.Name, Source: p.Spec.Source, Model: m, Launcher: launcher,
		Activate: terraformprovider.PatternsOf(&p.Spec),
	}, nil
}

// OpenVersion is Open for another version of a TerraformProvider: a version, or the path of another
// program of the provider, or of a directory that has it, such as ./terraform-provider-cloud. Kinds
// keep their names.
func (c *Reader) OpenVersion(ctx context.Context, p *v1alpha1.TerraformProvider, version string) (*InstalledProvider, error) {
	other := p.DeepCopy()
	other.Spec.Checksums = nil // those of the version that the spec asks for
	if isPath(version) {
		path, err := filepath.Abs(version)
		if err != nil {
			return nil, err
		}
		other.Spec.Source, other.Spec.Version, other.Status.Sources = path, "", nil
	} else {
		other.Spec.Version = version
	}
	of := *c
	of.Attached = nil // which version runs already is not known
	of.anyVersion = true
	return of.Open(ctx, other)
}

// isPath reports whether a version is written as a path. A file that happens to be named as a
// version is never run.
func isPath(version string) bool {
	return version == "." || version == ".." || strings.ContainsAny(version, "/"+string(filepath.Separator))
}

// launcher returns the launcher of a TerraformProvider, and the provider's own name, such as
// random.
func (c *Reader) launcher(ctx context.Context, p *v1alpha1.TerraformProvider) (_ provider.Launcher, name string, _ error) {
	if a := c.Attached.Find(p.Spec.Source); a != nil {
		return a, path.Base(a.Source), nil
	}
	binary, err := c.find(ctx, p)
	if err != nil {
		return nil, "", err
	}
	launcher := &plugin.Launcher{
		Path: binary.Path, SHA256: binary.SHA256, Env: map[string]string{}, TerraformVersion: p.Spec.TerraformVersion,
		StartTimeout: c.StartTimeout,
	}
	for _, e := range p.Spec.Env {
		launcher.Env[e.Name] = e.Value
	}
	return launcher, binary.Name(), nil
}

// find finds the binary of a TerraformProvider.
func (c *Reader) find(ctx context.Context, p *v1alpha1.TerraformProvider) (install.Binary, error) {
	if c.Recorded != nil && len(p.Status.Sources) > 0 {
		return c.Recorded.find(ctx, p)
	}
	if r, current := terraformprovider.Request(p); c.Downloads != nil && (current != "" || c.anyVersion) {
		return c.Downloads.Find(ctx, r)
	}
	return c.Installer.Install(ctx, p.Spec.Source, p.Spec.Version)
}

// Configuration returns a provider configuration. The values of the Secrets that it refers to are
// added to secrets. A provider without configuration arguments needs no object.
func (c *Reader) Configuration(
	ctx context.Context, p *model.Provider, ref providerconfig.Reference, secrets *redact.Redactor,
) (cty.Value, error) {
	u, err := c.configuration(ctx, p, ref)
	switch {
	case err != nil:
		return cty.NilVal, err
	case u == nil:
		return p.Schema.Config.EmptyValue(), nil
	}
	if _, given, _ := unstructured.NestedSlice(u.Object, "spec", model.ServiceAccountTokens); given {
		return cty.NilVal,
			fmt.Errorf("%s %s has spec.%s: only the controller requests tokens of ServiceAccounts. Name a provider "+
				"configuration with other credentials, by --provider-config", ref.Kind, ref.Name,
				model.ServiceAccountTokens)
	}
	v, diags := c.arguments(ctx, p, u, secrets)
	if diags.HasErrors() {
		lines := make([]string, 0, len(diags))
		for _, d := range diags.Errors() {
			lines = append(lines, d.Format(p.UserPath))
		}
		return cty.NilVal, fmt.Errorf("%s %s: %s", ref.Kind, ref.Name, secrets.Replacer().ReplaceInLine(strings.Join(lines, "; ")))
	}
	return v, nil
}

// Account returns what a provider configuration has in common with others for the same account, as
// far as it can be read. The values of the Secrets that it refers to are added to secrets.
func (c *Reader) Account(
	ctx context.Context, p *model.Provider, l provider.Launcher, ref providerconfig.Reference, secrets *redact.Redactor,
) ownership.Account {
	u, err := c.configuration(ctx, p, ref)
	if err != nil || u == nil {
		return ownership.Account{}
	}
	config, diags := c.arguments(ctx, p, u, secrets)
	if diags.HasErrors() {
		config = cty.NilVal
	}
	return providerconfig.AccountOf(u, config, l)
}

// configuration reads a provider configuration; nil if there is none and none is needed.
func (c *Reader) configuration(ctx context.Context, p *model.Provider, ref providerconfig.Reference) (*unstructured.Unstructured, error) {
	kind, namespace, name := ref.Kind, ref.Namespace, ref.Name
	switch kind {
	case model.ClusterProviderConfigKind:
		namespace = ""
	case model.ProviderConfigKind:
	default:
		return nil, fmt.Errorf("%q is neither %s nor %s", kind, model.ProviderConfigKind, model.ClusterProviderConfigKind)
	}
	u := &unstructured.Unstructured{}
	u.SetAPIVersion(p.Group + "/" + p.Version)
	u.SetKind(kind)
	err := c.Client.Get(ctx, types.NamespacedName{Namespace: namespace, Name: name}, u)
	if kerrors.IsNotFound(err) || meta.IsNoMatchError(err) {
		if len(p.Schema.Config.Attributes)+len(p.Schema.Config.Blocks) == 0 {
			return nil, nil
		}
		if namespace != "" {
			name = namespace + "/" + name
		}
		return nil, fmt.Errorf("there is no %s %s of %s in the cluster", kind, name, p.Group)
	}
	return u, err
}

// arguments returns the arguments of a provider configuration.
func (c *Reader) arguments(
	ctx context.Context, p *model.Provider, u *unstructured.Unstructured, secrets *redact.Redactor,
) (cty.Value, diagnostic.Diagnostics) {
	spec, _, _ := unstructured.NestedMap(u.Object, "spec")
	return translate.ProviderConfig(p, spec, func(ref translate.SecretKeySelector) ([]byte, error) {
		if u.GetNamespace() != "" {
			ref.Namespace = u.GetNamespace() // a namespaced configuration reads its own namespace only
		}
		b, err := providerconfig.ReadSecret(ctx, c.Client, ref)
		if err == nil {
			secrets.Add(b)
		}
		return b, err
	})
}

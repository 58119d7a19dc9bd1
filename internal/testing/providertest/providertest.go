package providertest

import (
	"context"
	"fmt"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// mirror is the directory of the filesystem mirror, relative to the repository's root.
const mirror = "bin/providers"

// Provider is one release of a provider.
type Provider struct {
	Name     string // its type in the address, as in "random"
	Source   string // address with hostname, as in "registry.terraform.io/hashicorp/random"
	Version  string // without a "v"
	Protocol int    // major version of the plugin protocol it speaks
	pkg      string // import path of the main package
	// ByName is set for providers that are built only by name, since few tests need them.
	ByName bool
}

var providers = []Provider{
	{
		Name: "azurerm", Source: "registry.terraform.io/hashicorp/azurerm", Version: "5.2.0", Protocol: 5,
		pkg: "github.com/hashicorp/terraform-provider-azurerm", ByName: true,
	},
	{
		Name: "cloudflare", Source: "registry.terraform.io/cloudflare/cloudflare", Version: "1.18.1", Protocol: 5,
		pkg: "github.com/terraform-providers/terraform-provider-cloudflare", ByName: true,
	},
	{
		Name: "hcloud", Source: "registry.terraform.io/hetznercloud/hcloud", Version: "1.68.0", Protocol: 6,
		pkg: "github.com/hetznercloud/terraform-provider-hcloud",
	},
	{
		Name: "http", Source: "registry.terraform.io/hashicorp/http", Version: "1.2.0", Protocol: 5,
		pkg: "github.com/terraform-providers/terraform-provider-http", ByName: true,
	},
	{
		Name: "kubernetes", Source: "registry.terraform.io/hashicorp/kubernetes", Version: "1.13.4", Protocol: 5,
		pkg: "github.com/hashicorp/terraform-provider-kubernetes", ByName: true,
	},
	{
		Name: "local", Source: "registry.terraform.io/hashicorp/local", Version: "2.9.0", Protocol: 5,
		pkg: "github.com/terraform-providers/terraform-provider-local",
	},
	{
		Name: "null", Source: "registry.terraform.io/hashicorp/null", Version: "1.0.0", Protocol: 5,
		pkg: "github.com/terraform-providers/terraform-provider-null", ByName: true,
	},
	{
		Name: "random", Source: "registry.terraform.io/hashicorp/random", Version: "3.9.0", Protocol: 5,
		pkg: "github.com/terraform-providers/terraform-provider-random",
	},
	{
		Name: "time", Source: "registry.terraform.io/hashicorp/time", Version: "0.14.2", Protocol: 5,
		pkg: "github.com/hashicorp/terraform-provider-time",
	},
	{
		Name: "tls", Source: "registry.terraform.io/hashicorp/tls", Version: "1.2.0", Protocol: 5,
		pkg: "github.com/terraform-providers/terraform-provider-tls", ByName: true,
	},
}

// All returns every provider except those that are built only by name, sorted by name.
func All() []Provider {
	return slices.DeleteFunc(slices.Clone(providers), func(p Provider) bool { return p.ByName })
}

// Get returns the provider of that name.
func Get(name string) (Provider, error) {
	i := slices.IndexFunc(providers, func(p Provider) bool { return p.Name == name })
	if i < 0 {
		names := make([]string, len(providers))
		for i, p := range providers {
			names[i] = p.Name
		}
		return Provider{}, fmt.Errorf("no provider %q: there are %s", name, strings.Join(names, ", "))
	}
	return providers[i], nil
}

// Build returns the absolute path of the provider's binary inside the mirror.
func (p Provider) Build(ctx context.Context) (string, error) {
	module := "test/providers/" + p.Name
	return testbin.Build(ctx, testbin.Target{
		Module:  module,
		Package: p.pkg,
		Output: path.Join(mirror, p.Source, p.Version, runtime.GOOS+"_"+runtime.GOARCH,
			fmt.Sprintf("terraform-provider-%s_v%s", p.Name, p.Version)),
		Sources: []string{module},
	})
}

// Binary returns the path of the named provider's binary.
func Binary(tb testing.TB, name string) string {
	tb.Helper()
	p, err := Get(name)
	if err != nil {
		tb.Fatal(err)
	}
	binary, err := p.Build(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	return binary
}

// Mirror returns the path of a filesystem mirror that holds at least the named
// providers.
func Mirror(tb testing.TB, names ...string) string {
	tb.Helper()
	for _, name := range names {
		Binary(tb, name)
	}
	root, err := testbin.Root()
	if err != nil {
		tb.Fatal(err)
	}
	return filepath.Join(root, filepath.FromSlash(mirror))
}

// Module returns the provider's main package and the version of its Go module, as in
// PACKAGE@VERSION.
func (p Provider) Module(ctx context.Context) (string, error) {
	root, err := testbin.Root()
	if err != nil {
		return "", err
	}
	list := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Path}}@{{.Version}}", p.pkg)
	list.Dir = filepath.Join(root, "test", "providers", p.Name)
	out, err := list.Output()
	return strings.TrimSpace(string(out)), err
}

// Documentation returns the directory of the named provider's source, which contains its
// documentation and examples.
func Documentation(tb testing.TB, name string) string {
	tb.Helper()
	p, err := Get(name)
	if err != nil {
		tb.Fatal(err)
	}
	root, err := testbin.Root()
	if err != nil {
		tb.Fatal(err)
	}
	list := exec.CommandContext(tb.Context(), "go", "list", "-m", "-f", "{{.Dir}}", p.pkg)
	list.Dir = filepath.Join(root, "test", "providers", name)
	out, err := list.Output()
	dir := strings.TrimSpace(string(out))
	if err != nil || dir == "" {
		tb.Fatalf("finding the source of %s: %v: build the provider first (%s)", name, err, list)
	}
	return dir
}

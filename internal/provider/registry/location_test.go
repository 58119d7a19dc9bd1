package registry_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/provider/registry"
)

// Where a program searches a provider is recorded without credentials, and another program finds
// the same sources by it.
func TestLocations(t *testing.T) {
	t.Parallel()
	implicit := registry.Address{Host: "registry.terraform.io", Namespace: "acme", Type: "cloud", Implicit: true}
	explicit := registry.Address{Host: "registry.example.com", Namespace: "acme", Type: "cloud"}
	public := []string{"registry.opentofu.org", "registry.terraform.io"}
	for name, test := range map[string]struct {
		installation, registry string
		of                     registry.Address
		want                   []registry.Location
	}{
		"the default registry": {
			of: implicit, registry: registry.Default,
			want: []registry.Location{{Type: registry.Registry, Hosts: []string{registry.Default}}},
		},
		"another registry": {
			of: implicit, registry: "registry.acme.io",
			want: []registry.Location{{Type: registry.Registry, Hosts: []string{"registry.acme.io"}}},
		},
		"the registry of the source": {
			of: explicit, registry: registry.Default, want: []registry.Location{{Type: registry.Registry, Hosts: []string{"registry.example.com"}}},
		},
		"mirrors": {
			of: implicit, registry: "registry.acme.io", installation: `
provider_installation {
  filesystem_mirror {
    path = "/mirror"
  }
  network_mirror {
    url = "https://somebody:hunter2@mirror.example.com/providers/?token=hunter2"
  }
  oci_mirror {
    repository_template = "ghcr.io/acme/${namespace}/${type}"
  }
  direct {
    exclude = ["acme/*"]
  }
}`,
			want: []registry.Location{
				{Type: registry.FilesystemMirror, Path: "/mirror", Hosts: append([]string{"registry.acme.io"}, public...)},
				{Type: registry.NetworkMirror, URL: "https://mirror.example.com/providers/", Hosts: append([]string{"registry.acme.io"}, public...)},
				{Type: registry.OCIMirror, Repository: "ghcr.io/acme/acme/cloud", Hosts: append([]string{"registry.acme.io"}, public...)},
			},
		},
		"a repository for each host": {
			of: implicit, registry: registry.Default, installation: `
provider_installation {
  oci_mirror {
    repository_template = "ghcr.io/${hostname}/${type}"
  }
}`,
			want: []registry.Location{
				{Type: registry.OCIMirror, Repository: "ghcr.io/registry.opentofu.org/cloud", Hosts: public},
				{Type: registry.OCIMirror, Repository: "ghcr.io/registry.terraform.io/cloud", Hosts: public},
			},
		},
		"a service that is configured": {
			of: explicit, registry: registry.Default, installation: `
host "registry.example.com" {
  services = { "providers.v1" = "https://hunter2@services.example.com/v1/" }
}`,
			want: []registry.Location{{Type: registry.Registry, URL: "https://services.example.com/v1/", Hosts: []string{"registry.example.com"}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := &registry.Client{Registry: test.registry}
			if test.installation != "" {
				c.Installation = filepath.Join(t.TempDir(), "tofurc")
				if err := os.WriteFile(c.Installation, []byte(test.installation), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got := locations(t, c, test.of)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			elsewhere := (&registry.Client{Registry: registry.Default}).At(got)
			if diff := cmp.Diff(test.want, locations(t, elsewhere, test.of)); diff != "" {
				t.Errorf("another program has other sources: -want, +got:\n%s", diff)
			}
		})
	}
}

func locations(t *testing.T, c *registry.Client, of registry.Address) (out []registry.Location) {
	t.Helper()
	sources, err := c.Sources(of)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sources {
		out = append(out, s.Locations()...)
	}
	return out
}

func TestLocationsThatAreNone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		location registry.Location
		want     string
	}{
		"an unknown type":   {registry.Location{Type: "Future"}, `the type "Future" is not known; use a program of the controller's version`},
		"a relative path":   {registry.Location{Type: registry.FilesystemMirror, Path: "mirror"}, `path "mirror" is not absolute`},
		"no https":          {registry.Location{Type: registry.NetworkMirror, URL: "http://mirror.example.com"}, "not an address with https"},
		"no repository":     {registry.Location{Type: registry.OCIMirror, Repository: "ghcr.io"}, "not HOST/NAME"},
		"no address at all": {registry.Location{Type: registry.NetworkMirror}, "not an address with https"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := (&registry.Client{}).At([]registry.Location{test.location}).Sources(registry.Address{Host: "a.b", Namespace: "c", Type: "d"})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v does not say %q", err, test.want)
			}
		})
	}
}

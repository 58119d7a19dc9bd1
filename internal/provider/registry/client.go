package registry

import (
	"os"
	"sync"
	"time"
)

// Default is the public registry that is used by default. Its terms allow any program to use it;
// those of registry.terraform.io permit downloads only for use with HashiCorp's Terraform.
const Default = "registry.opentofu.org"

// Client finds the sources of providers. It reads its files again when they have changed, such as a
// mounted Secret. It must not be copied after its first use.
type Client struct {
	// Registry is the host of the registry for addresses without a host. Without it, such providers
	// are only in mirrors.
	Registry string
	// Installation is the path of a file with a block provider_installation. Without it, providers
	// are downloaded from the registries of their addresses.
	Installation string
	// Credentials is the path of a file with credentials. Those in Installation are used, too.
	Credentials string
	// CA is the path of a file with authorities in PEM, besides those of the system.
	CA string
	// TrustedRoot is the path of a file with the authorities of cosign's certificates, a trusted
	// root of Sigstore.
	TrustedRoot string
	// Patience is how long a client tries.
	Patience Patience

	// locations, unless they are nil, are the sources of every provider, instead of those of
	// Registry and Installation.
	locations []Location

	mu     sync.Mutex
	stamp  [3]stamp
	loaded *sources
}

// stamp changes when a file does.
type stamp struct {
	size    int64
	changed time.Time
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if path == "" || err != nil {
		return stamp{}
	}
	return stamp{info.Size(), info.ModTime()}
}

// sources are what the files describe.
type sources struct {
	configuration
	protocols []protocol // of each method; nil for a folder
}

// Check returns an error if a file that configures the sources is wrong.
func (c *Client) Check() error {
	_, err := c.load()
	return err
}

// Sources returns the sources of a provider, in the order in which they are searched.
func (c *Client) Sources(a Address) ([]Source, error) {
	s, err := c.load()
	if err != nil {
		return nil, err
	}
	var out []Source
	for i, m := range s.methods {
		switch {
		case !m.allows(a, c.Registry):
		case m.kind == "direct" && a.Implicit && c.Registry == "":
		case m.kind == "filesystem_mirror":
			out = append(out, Source{Folder: m.path, Hosts: a.hosts(c.Registry)})
		default:
			out = append(out, Source{protocol: s.protocols[i], address: a})
		}
	}
	return out, nil
}

// load reads the files, unless they were read and have not changed.
func (c *Client) load() (*sources, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := [3]stamp{stampOf(c.Installation), stampOf(c.Credentials), stampOf(c.CA)}
	if c.loaded != nil && c.stamp == now {
		return c.loaded, nil
	}
	var s sources
	if c.Installation != "" {
		if err := s.readFile("--provider-installation", c.Installation); err != nil {
			return nil, err
		}
	}
	if c.Credentials != "" {
		if err := s.readFile("--provider-credentials", c.Credentials); err != nil {
			return nil, err
		}
	}
	if c.locations != nil {
		if err := s.locate(c.locations); err != nil {
			return nil, err
		}
	}
	if s.methods == nil {
		s.methods = []method{{kind: "direct"}}
	}
	patience := c.Patience.withDefaults()
	client, err := newHTTP(patience, c.CA)
	if err != nil {
		return nil, err
	}
	s.connect(c, &fetcher{client, patience})
	c.loaded, c.stamp = &s, now
	return c.loaded, nil
}

// connect makes the protocols of all methods.
func (s *sources) connect(c *Client, f *fetcher) {
	token := func(host string) string { return s.tokens[host] }
	for i := range s.methods {
		var p protocol
		switch m := &s.methods[i]; m.kind {
		case "direct":
			p = &direct{fetcher: f, registry: c.Registry, token: token, services: s.services}
		case "network_mirror":
			p = &network{fetcher: f, base: m.url, registry: c.Registry, token: token}
		case "oci_mirror":
			p = &oci{fetcher: f, method: m, registry: c.Registry, credentials: s.oci, trustedRoot: c.TrustedRoot}
		}
		s.protocols = append(s.protocols, p)
	}
}

// Enabled returns the client, or nil if it has no sources.
func (c *Client) Enabled() *Client {
	if c.Registry == "" && c.Installation == "" {
		return nil
	}
	return c
}

package registry

import (
	"fmt"
	"net/url"
	"path/filepath"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// Types of locations.
const (
	FilesystemMirror = "FilesystemMirror"
	NetworkMirror    = "NetworkMirror"
	OCIMirror        = "OCIMirror"
	Registry         = "Registry"
)

// Location is where a source of a provider is. It has no credentials, so that one program can
// record it and another can use it.
type Location struct {
	// Type is FilesystemMirror, NetworkMirror, OCIMirror or Registry.
	Type string
	// Path of a filesystem mirror.
	Path string
	// URL of a network mirror, or the address of a registry's service if a file configures it.
	URL string
	// Repository of an OCI mirror, as HOST/NAME.
	Repository string
	// Hosts are the host of a registry, or those under which a mirror has the provider, in this
	// order.
	Hosts []string
}

// String describes the location to users.
func (l Location) String() string {
	switch l.Type {
	case FilesystemMirror:
		return "the directory " + l.Path
	case NetworkMirror:
		return "the network mirror " + l.URL
	case OCIMirror:
		return "the OCI mirror " + l.Repository
	}
	if len(l.Hosts) == 0 {
		return "a registry"
	}
	return "the registry " + l.Hosts[0]
}

// Locations returns where the source is: one location, or one for each repository of an OCI mirror.
func (s Source) Locations() []Location {
	switch p := s.protocol.(type) {
	case *network:
		return []Location{{Type: NetworkMirror, URL: public(p.base.String()), Hosts: s.address.hosts(p.registry)}}
	case *direct:
		host := p.host(s.address)
		return []Location{{Type: Registry, URL: public(p.services[host]), Hosts: []string{host}}}
	case *oci:
		repositories, err := p.repositories(s.address)
		if err != nil {
			return nil // whoever searches it gets the error
		}
		var out []Location
		for _, r := range repositories {
			out = append(out, Location{
				Type: OCIMirror, Repository: r.Reference.Registry + "/" + r.Reference.Repository,
				Hosts: s.address.hosts(p.registry),
			})
		}
		return out
	}
	return []Location{{Type: FilesystemMirror, Path: s.Folder, Hosts: s.Hosts}}
}

// public returns an address without what may be a credential.
func public(address string) string {
	u, err := url.Parse(address)
	if address == "" || err != nil {
		return ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// Clone returns another client with the same files.
func (c *Client) Clone() Client {
	return Client{
		Registry: c.Registry, Installation: c.Installation, Credentials: c.Credentials, CA: c.CA,
		TrustedRoot: c.TrustedRoot, Patience: c.Patience,
	}
}

// At returns a client for the sources of one provider that another program has recorded, with the
// credentials and authorities of this one.
func (c *Client) At(locations []Location) *Client {
	out := c.Clone()
	out.Registry, out.Installation, out.locations = Default, "", locations
	for _, l := range locations {
		if len(l.Hosts) > 0 {
			out.Registry = l.Hosts[0]
			break
		}
	}
	return &out
}

// locate adds the methods of recorded locations.
func (c *configuration) locate(locations []Location) error {
	c.methods = []method{}
	for _, l := range locations {
		var m method
		var err error
		switch l.Type {
		case FilesystemMirror:
			m.kind, m.path = "filesystem_mirror", l.Path
			if !filepath.IsAbs(l.Path) {
				err = fmt.Errorf("path %s is not absolute", clip(l.Path))
			}
		case NetworkMirror:
			m.kind = "network_mirror"
			if m.url, err = url.Parse(l.URL); err == nil && (m.url.Scheme != "https" || m.url.Host == "") {
				err = fmt.Errorf("%s is not an address with https", clip(l.URL))
			}
		case OCIMirror:
			m.kind, m.repository = "oci_mirror", hcl.StaticExpr(cty.StringVal(l.Repository), hcl.Range{})
			_, _, err = m.repositoryOf(Address{})
		case Registry:
			m.kind = "direct"
			if l.URL != "" && len(l.Hosts) > 0 {
				if c.services == nil {
					c.services = map[string]string{}
				}
				c.services[l.Hosts[0]] = l.URL
			}
		default:
			err = fmt.Errorf("the type %s is not known; use a program of the controller's version", clip(l.Type))
		}
		if err != nil {
			return problem(Misconfigured, "a source that the controller has recorded cannot be used: %s", err)
		}
		c.methods = append(c.methods, m)
	}
	return nil
}

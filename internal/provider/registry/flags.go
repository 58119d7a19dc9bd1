package registry

// AddFlags adds the flags that say where providers are downloaded from.
func (c *Client) AddFlags(f interface {
	StringVar(p *string, name, value, usage string)
}) {
	f.StringVar(&c.Registry, "provider-registry", Default, "registry of providers whose source has no host; empty for none: then providers come from mirrors alone")
	f.StringVar(&c.Installation, "provider-installation", "", "file with a provider_installation block, as for OpenTofu's and Terraform's command line: which mirrors and registries have which providers")
	f.StringVar(&c.Credentials, "provider-credentials", "", "file with the credentials of registries and mirrors, as for OpenTofu's and Terraform's command line, or as Docker writes them")
	f.StringVar(&c.TrustedRoot, "sigstore-trusted-root", "", "file with the authorities of certificates that providers in OCI mirrors are signed with, as cosign trusted-root create writes it")
	f.StringVar(&c.CA, "provider-ca", "", "file with authorities in PEM that registries and mirrors may have certificates of, besides the system's")
}

// Enabled returns the client, or nil if it has no sources.
func (c *Client) Enabled() *Client {
	if c.Registry == "" && c.Installation == "" {
		return nil
	}
	return c
}

// Clone returns another client with the same files.
func (c *Client) Clone() Client {
	return Client{Registry: c.Registry, Installation: c.Installation, Credentials: c.Credentials, CA: c.CA, TrustedRoot: c.TrustedRoot, Patience: c.Patience}
}

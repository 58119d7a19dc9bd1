package registry

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/hcltext"
)

// configuration is what the files say.
type configuration struct {
	// methods are those of provider_installation. Nil without the block.
	methods []method
	tokens  map[string]string
	// services are the base addresses of providers.v1, by host.
	services map[string]string
	// oci are the credentials of OCI registries, by host or by host and the beginning of the
	// repository.
	oci map[string]ociCredential
}

// method is an installation method.
type method struct {
	rule
	// kind is the name of the block.
	kind string
	// path of a filesystem mirror.
	path string
	url  *url.URL
	// repository is the template of an OCI mirror.
	repository hcl.Expression
}

// ociCredential is a credential of an OCI registry.
type ociCredential struct{ username, password, access, refresh string }

var fileSchema = &hcl.BodySchema{
	Blocks: []hcl.BlockHeaderSchema{
		{Type: "provider_installation"},
		{Type: "credentials", LabelNames: []string{"host"}},
		{Type: "host", LabelNames: []string{"host"}},
		{Type: "oci_credentials", LabelNames: []string{"repository"}},
		{Type: "oci_default_credentials"},
		{Type: "credentials_helper", LabelNames: []string{"type"}},
	},
	// These are about the command line alone.
	Attributes: []hcl.AttributeSchema{
		{Name: "plugin_cache_dir"}, {Name: "plugin_cache_may_break_dependency_lock_file"},
		{Name: "disable_checkpoint"}, {Name: "disable_checkpoint_signature"},
	},
}

// readFile adds what a file has. flag is the flag that names it.
func (c *configuration) readFile(flag, path string) error {
	raw, err := hcltext.ReadFile(path)
	if err != nil {
		return problem(Misconfigured, "%s: %s", flag, err)
	}
	if err := c.parse(path, raw); err != nil {
		return problem(Misconfigured, "%s: %s", flag, err)
	}
	return nil
}

// parse adds what a text has: a file of Terraform's or OpenTofu's command line, or credentials as
// Docker writes them.
func (c *configuration) parse(name string, raw []byte) error {
	if strings.HasPrefix(strings.TrimSpace(string(raw)), "{") {
		return c.parseJSON(name, raw)
	}
	file, diags := hcltext.ParseConfig(raw, name)
	switch {
	case diags.HasErrors() && strings.Contains(string(raw), "dev_overrides"):
		return problem(Misconfigured, "%s: %s", name, noOverrides) // its keys are in a syntax that no other block has
	case diags.HasErrors():
		return diags
	}
	content, diags := file.Body.Content(fileSchema)
	if diags.HasErrors() {
		return diags
	}
	for _, b := range content.Blocks {
		if err := c.block(b); err != nil {
			return err
		}
	}
	return nil
}

// parseJSON reads credentials: {"credentials": {"host": {"token": ""}}}, or Docker's {"auths": {}}.
func (c *configuration) parseJSON(name string, raw []byte) error {
	var file struct {
		Credentials map[string]struct{ Token string }
		Auths       map[string]struct{ Auth, Username, Password, IdentityToken, RegistryToken string }
		Other       json.RawMessage `json:"provider_installation"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		return problem(Misconfigured, "%s: it is neither JSON nor HCL", name) // the error may quote a token
	}
	if file.Other != nil {
		return problem(Misconfigured, "%s: provider_installation is not read from JSON; write it in HCL", name)
	}
	for host, one := range file.Credentials {
		c.setToken(host, one.Token)
	}
	for host, one := range file.Auths {
		cred := ociCredential{one.Username, one.Password, one.RegistryToken, one.IdentityToken}
		if one.Auth != "" {
			both, err := base64.StdEncoding.DecodeString(one.Auth)
			user, password, ok := strings.Cut(string(both), ":")
			if err != nil || !ok {
				return problem(Misconfigured, "%s: auth of %s is not USER:PASSWORD in base64", name, clip(host))
			}
			cred.username, cred.password = user, password
		}
		c.setOCI(host, cred)
	}
	return nil
}

func (c *configuration) setToken(host, token string) {
	if c.tokens == nil {
		c.tokens = map[string]string{}
	}
	c.tokens[strings.ToLower(host)] = token
}

func (c *configuration) setOCI(repository string, cred ociCredential) {
	if c.oci == nil {
		c.oci = map[string]ociCredential{}
	}
	repository = strings.TrimPrefix(strings.TrimPrefix(repository, "https://"), "http://")
	c.oci[strings.Trim(repository, "/")] = cred
}

const noOverrides = "dev_overrides is not supported; leave it out, and write the path of the program into spec.source"

// block reads one block at the top of a file.
func (c *configuration) block(b *hcl.Block) error {
	if b.Type == "provider_installation" {
		if c.methods != nil {
			return at(b.DefRange, "there are two provider_installation blocks; write one")
		}
		return c.installation(b)
	}
	attrs, diags := b.Body.JustAttributes()
	if diags.HasErrors() {
		return diags
	}
	switch b.Type {
	case "credentials":
		token, err := textOf(attrs, "token", b.DefRange, true)
		if err != nil {
			return err
		}
		c.setToken(b.Labels[0], token)
	case "host":
		return c.host(b, attrs)
	case "oci_credentials":
		return c.ociCredentials(b, attrs)
	case "oci_default_credentials":
		files, err := texts(attrs, "docker_style_config_files")
		if err != nil {
			return err
		}
		for _, f := range files {
			if !filepath.IsAbs(f) {
				return at(b.DefRange, "docker_style_config_files: %s is not an absolute path", clip(f))
			}
			raw, err := os.ReadFile(f)
			if err != nil {
				return at(b.DefRange, "docker_style_config_files: %s", err)
			}
			if err := c.parseJSON(f, raw); err != nil {
				return err
			}
		}
	default:
		return at(b.DefRange, "%s is not supported, because it runs a program; write the token into a block credentials", b.Type)
	}
	return nil
}

func (c *configuration) host(b *hcl.Block, attrs hcl.Attributes) error {
	services := attrs["services"]
	if services == nil {
		return nil
	}
	v, diags := services.Expr.Value(nil)
	if diags.HasErrors() || !v.IsWhollyKnown() || v.IsNull() || !v.CanIterateElements() {
		return at(services.Range, "services is not an object")
	}
	for name, one := range v.AsValueMap() {
		if name != "providers.v1" {
			continue
		}
		if one.IsNull() || one.Type() != cty.String {
			return at(services.Range, "providers.v1 is not an address")
		}
		if c.services == nil {
			c.services = map[string]string{}
		}
		c.services[strings.ToLower(b.Labels[0])] = one.AsString()
	}
	return nil
}

func (c *configuration) ociCredentials(b *hcl.Block, attrs hcl.Attributes) error {
	var cred ociCredential
	for name, to := range map[string]*string{
		"username": &cred.username, "password": &cred.password, "access_token": &cred.access, "refresh_token": &cred.refresh,
	} {
		var err error
		if *to, err = textOf(attrs, name, b.DefRange, false); err != nil {
			return err
		}
		delete(attrs, name)
	}
	for name, a := range attrs {
		return at(a.Range, "%s is not supported; give username and password, or access_token and refresh_token", clip(name))
	}
	c.setOCI(b.Labels[0], cred)
	return nil
}

var installationSchema = &hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{
	{Type: "filesystem_mirror"}, {Type: "network_mirror"}, {Type: "oci_mirror"}, {Type: "direct"}, {Type: "dev_overrides"},
}}

// installation reads the block provider_installation.
func (c *configuration) installation(b *hcl.Block) error {
	content, diags := b.Body.Content(installationSchema)
	if diags.HasErrors() {
		return diags
	}
	c.methods = []method{}
	for _, m := range content.Blocks {
		if m.Type == "dev_overrides" {
			return at(m.DefRange, noOverrides)
		}
		attrs, diags := m.Body.JustAttributes()
		if diags.HasErrors() {
			return diags
		}
		one, err := newMethod(m, attrs)
		if err != nil {
			return err
		}
		c.methods = append(c.methods, one)
	}
	return nil
}

func newMethod(b *hcl.Block, attrs hcl.Attributes) (m method, err error) {
	m.kind = b.Type
	allowed := map[string]bool{"include": true, "exclude": true}
	switch m.kind {
	case "filesystem_mirror":
		allowed["path"] = true
		if m.path, err = textOf(attrs, "path", b.DefRange, true); err == nil && !filepath.IsAbs(m.path) {
			err = at(b.DefRange, "path: %s is not an absolute path", clip(m.path))
		}
	case "network_mirror":
		// Retries are the same for all sources, and only checksums that were compared are recorded.
		allowed["url"], allowed["download_retry_count"], allowed["trust_all_hashes"] = true, true, true
		var address string
		if address, err = textOf(attrs, "url", b.DefRange, true); err == nil {
			if m.url, err = url.Parse(address); err != nil || m.url.Scheme != "https" || m.url.Host == "" {
				err = at(b.DefRange, "url: %s is not an address with https", clip(address))
			}
		}
	case "oci_mirror":
		allowed["repository_template"] = true
		a := attrs["repository_template"]
		if a == nil {
			err = at(b.DefRange, "repository_template is missing")
			break
		}
		m.repository = a.Expr
		var host, name string
		if host, name, err = m.repositoryOf(Address{
			Host: "example.com", Namespace: "namespace", Type: "type",
		}); err == nil && (host == "" || name == "") {
			err = at(a.Range, "repository_template is not HOST/NAME")
		}
	case "direct":
		allowed["download_retry_count"] = true
	}
	if err != nil {
		return m, err
	}
	for name, a := range attrs {
		if !allowed[name] {
			return m, at(a.Range, "%s is not an argument of %s", clip(name), m.kind)
		}
	}
	for name, to := range map[string]*[]pattern{"include": &m.include, "exclude": &m.exclude} {
		all, err := texts(attrs, name)
		if err != nil {
			return m, err
		}
		for _, s := range all {
			p, ok := parsePattern(s)
			if !ok {
				return m, at(attrs[name].Range, "%s: %s is not HOST/NAMESPACE/TYPE or NAMESPACE/TYPE, with * for any of them", name, clip(s))
			}
			*to = append(*to, p)
		}
	}
	return m, nil
}

// repositoryOf returns the OCI repository of a provider.
func (m *method) repositoryOf(a Address) (host, name string, _ error) {
	v, diags := m.repository.Value(&hcl.EvalContext{Variables: map[string]cty.Value{
		"hostname": cty.StringVal(a.Host), "namespace": cty.StringVal(a.Namespace), "type": cty.StringVal(a.Type),
	}})
	if diags.HasErrors() {
		return "", "", problem(Misconfigured, "repository_template: %s", diags)
	}
	if v.Type() != cty.String || v.IsNull() || !v.IsKnown() {
		return "", "", problem(Misconfigured, "repository_template is not a text")
	}
	host, name, ok := strings.Cut(v.AsString(), "/")
	if !ok {
		return "", "", problem(Misconfigured, "repository_template is %s, not HOST/NAME", clip(v.AsString()))
	}
	return host, name, nil
}

// textOf returns an argument that is a text.
func textOf(attrs hcl.Attributes, name string, block hcl.Range, required bool) (string, error) {
	a := attrs[name]
	if a == nil {
		if required {
			return "", at(block, "%s is missing", name)
		}
		return "", nil
	}
	v, diags := a.Expr.Value(nil)
	if diags.HasErrors() || v.IsNull() || !v.IsKnown() || v.Type() != cty.String || v.AsString() == "" {
		return "", at(a.Range, "%s is not a text", name) // the value may be a secret
	}
	return v.AsString(), nil
}

// texts returns an argument that is a list of texts.
func texts(attrs hcl.Attributes, name string) (out []string, _ error) {
	a := attrs[name]
	if a == nil {
		return nil, nil
	}
	v, diags := a.Expr.Value(nil)
	if diags.HasErrors() || v.IsNull() || !v.IsWhollyKnown() || !v.Type().IsTupleType() {
		return nil, at(a.Range, "%s is not a list of texts", name)
	}
	for _, one := range v.AsValueSlice() {
		if one.IsNull() || one.Type() != cty.String {
			return nil, at(a.Range, "%s is not a list of texts", name)
		}
		out = append(out, one.AsString())
	}
	return out, nil
}

func at(r hcl.Range, format string, args ...any) *Error {
	e := problem(Misconfigured, format, args...)
	e.Detail = r.String() + ": " + e.Detail
	return e
}

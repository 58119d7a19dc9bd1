package registry

import (
	"context"
	"encoding/json"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// direct is the registry that a provider's address names, by Terraform's provider registry
// protocol.
type direct struct {
	*fetcher
	// registry is the host of the registry for addresses without one.
	registry string
	// token returns the token for a host, or "".
	token func(host string) string
	// services are the base addresses that are known without asking the host.
	services map[string]string

	mu    sync.Mutex
	known map[string]service
}

// service is the base address of a host's registry of providers.
type service struct {
	base  *url.URL
	until time.Time
}

// serviceTTL is how long the answer of a service discovery is used.
const serviceTTL = time.Hour

func (d *direct) host(a Address) string {
	if a.Implicit {
		return d.registry
	}
	return a.Host
}

func (d *direct) describe(a Address) string { return "the registry " + d.host(a) }

// discover returns the base address of the providers of a host.
func (d *direct) discover(ctx context.Context, host string) (*url.URL, error) {
	d.mu.Lock()
	s, ok := d.known[host]
	d.mu.Unlock()
	if ok && time.Now().Before(s.until) {
		return s.base, nil
	}
	what := "the registry " + host
	at := &url.URL{Scheme: "https", Host: host, Path: "/.well-known/terraform.json"}
	text, ok := d.services[host]
	if !ok {
		raw, from, err := d.get(ctx, what, at, d.token(host))
		if err != nil && KindOf(err) == NotFound {
			return nil, problem(NotFound, "%s is not a registry of providers: %s", host, err)
		}
		if err != nil {
			return nil, err
		}
		at = from
		if text, err = parseDiscovery(raw); err != nil {
			return nil, problem(Invalid, "%s: %s: %s", what, from.Redacted(), err)
		}
	}
	base, err := at.Parse(text)
	if err != nil || base.Scheme != "https" {
		return nil, problem(Invalid, "%s: its service providers.v1 is at %s, which is not an address with https", what, clip(text))
	}
	if !strings.HasSuffix(base.Path, "/") {
		base.Path += "/"
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.known == nil {
		d.known = map[string]service{}
	}
	d.known[host] = service{base, time.Now().Add(serviceTTL)}
	return base, nil
}

// parseDiscovery returns the address of the service providers.v1.
func parseDiscovery(raw []byte) (string, error) {
	var services map[string]any
	if err := json.Unmarshal(raw, &services); err != nil {
		return "", problem(Invalid, "the answer is not JSON: %s", err)
	}
	text, ok := services["providers.v1"].(string)
	if !ok || text == "" {
		return "", problem(NotFound, "the host has no service providers.v1")
	}
	return text, nil
}

// query returns a document of the registry, and its address.
func (d *direct) query(ctx context.Context, a Address, elements ...string) ([]byte, *url.URL, error) {
	host := d.host(a)
	base, err := d.discover(ctx, host)
	if err != nil {
		return nil, nil, err
	}
	return d.get(ctx, d.describe(a), base.JoinPath(append([]string{a.Namespace, a.Type}, elements...)...), d.token(host))
}

func (d *direct) versions(ctx context.Context, a Address) ([]Version, error) {
	raw, at, err := d.query(ctx, a, "versions")
	if err != nil {
		return nil, err
	}
	out, err := parseVersions(raw)
	if err != nil {
		return nil, problem(Invalid, "%s: %s: %s", d.describe(a), at.Redacted(), err)
	}
	return out, nil
}

// parseVersions parses the list of versions of a registry.
func parseVersions(raw []byte) ([]Version, error) {
	var answer struct {
		Versions []struct {
			Version   string
			Platforms []struct{ OS, Arch string }
		}
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, problem(Invalid, "the answer is not a list of versions: %s", err)
	}
	out := make([]Version, len(answer.Versions))
	for i, v := range answer.Versions {
		out[i].Version = v.Version
		for _, p := range v.Platforms {
			out[i].Platforms = append(out[i].Platforms, p.OS+"_"+p.Arch)
		}
	}
	return out, nil
}

// release is the answer of a registry for one version and platform.
type release struct {
	Filename     string `json:"filename"`
	DownloadURL  string `json:"download_url"`
	SumsURL      string `json:"shasums_url"`
	SignatureURL string `json:"shasums_signature_url"`
	Sum          string `json:"shasum"`
	SigningKeys  struct {
		GPG []Key `json:"gpg_public_keys"`
	} `json:"signing_keys"`
}

// parseRelease parses and checks a release.
func parseRelease(raw []byte) (*release, error) {
	r := &release{}
	if err := json.Unmarshal(raw, r); err != nil {
		return nil, problem(Invalid, "the answer is not a release: %s", err)
	}
	r.Sum = strings.ToLower(r.Sum)
	switch {
	case r.Filename == "" || r.Filename != path.Base(r.Filename) || strings.ContainsAny(r.Filename, `\ `):
		return nil, problem(Invalid, "the release has the file name %s", clip(r.Filename))
	case r.DownloadURL == "":
		return nil, problem(Invalid, "the release has no download_url")
	case !isSHA256(r.Sum):
		return nil, problem(Invalid, "the release has the checksum %s, which is not SHA-256", clip(r.Sum))
	}
	return r, nil
}

func (d *direct) find(ctx context.Context, a Address, version, platform string) (*Package, error) {
	goos, arch, _ := strings.Cut(platform, "_")
	raw, at, err := d.query(ctx, a, version, "download", goos, arch)
	if err != nil {
		return nil, err
	}
	what := d.describe(a)
	r, err := parseRelease(raw)
	if err != nil {
		return nil, problem(Invalid, "%s: %s: %s", what, at.Redacted(), err)
	}
	download, err := follow(what, at, r.DownloadURL)
	if err != nil {
		return nil, err
	}
	p := &Package{Version: version, Origin: what, Hashes: []string{"zh:" + r.Sum}, ReleasePage: releasePage(download)}
	p.fetch = func(ctx context.Context, to *os.File) (string, error) {
		return d.download(ctx, what, d.open(what, download, ""), to)
	}
	if p.All, p.Signer, err = d.sums(ctx, what, at, r); err != nil {
		return nil, err
	}
	if p.All == nil {
		p.All = p.Hashes
	}
	return p, nil
}

// releasePage returns the page of a release on GitHub, by the address of one of its files, or "".
func releasePage(file *url.URL) string {
	parts := strings.Split(strings.Trim(file.EscapedPath(), "/"), "/")
	if file.Scheme != "https" || file.Host != "github.com" || len(parts) != 6 || parts[2] != "releases" || parts[3] != "download" {
		return ""
	}
	return "https://github.com/" + strings.Join([]string{parts[0], parts[1], "releases/tag", parts[4]}, "/")
}

// sums returns the checksums of all packages of a release, and who has signed them. The registry of
// OpenTofu has releases whose authors have given it no key, and a registry may have no checksum
// document.
func (d *direct) sums(ctx context.Context, what string, at *url.URL, r *release) ([]string, *Signer, error) {
	keys := r.SigningKeys.GPG
	if r.SumsURL == "" {
		if len(keys) > 0 {
			return nil, nil, problem(Untrusted, "%s has keys for the provider, but no checksum document that they have signed", what)
		}
		return nil, nil, nil
	}
	address, err := follow(what, at, r.SumsURL)
	if err != nil {
		return nil, nil, err
	}
	document, _, err := d.get(ctx, what, address, "")
	if err != nil && KindOf(err) == NotFound {
		return nil, nil, problem(Untrusted, "%s: the checksum document is missing: %s", what, err)
	}
	if err != nil {
		return nil, nil, err
	}
	sums, problemOf := parseSums(document)
	if problemOf != nil {
		return nil, nil, problem(problemOf.Kind, "%s: %s", what, problemOf.Detail)
	}
	if sums[r.Filename] != r.Sum {
		return nil, nil, problem(Untrusted, "%s has the checksum %s for %s, and %q in the checksum document; it does not agree with itself",
			what, r.Sum, r.Filename, sums[r.Filename])
	}
	var all []string
	for name, sum := range sums {
		if strings.HasSuffix(name, ".zip") {
			all = append(all, "zh:"+sum)
		}
	}
	slices.Sort(all)
	if len(keys) == 0 {
		return all, nil, nil
	}
	if r.SignatureURL == "" {
		return nil, nil, problem(Untrusted, "%s has keys for the provider, but no signature of the checksums", what)
	}
	if address, err = follow(what, at, r.SignatureURL); err != nil {
		return nil, nil, err
	}
	signature, _, err := d.get(ctx, what, address, "")
	if err != nil && KindOf(err) == NotFound {
		return nil, nil, problem(Untrusted, "%s has keys for the provider, but the signature of the checksums is missing: %s", what, err)
	}
	if err != nil {
		return nil, nil, err
	}
	signer, err := Verify(document, signature, keys, time.Now())
	if err != nil {
		return nil, nil, problem(KindOf(err), "%s: %s", what, err)
	}
	return all, &signer, nil
}

// follow returns an address in an answer, which may be relative to that of the answer.
func follow(what string, from *url.URL, text string) (*url.URL, error) {
	to, err := from.Parse(text)
	if err != nil || to.Scheme != "https" || to.Host == "" {
		return nil, problem(Invalid, "%s refers to %s; packages are downloaded by https alone", what, clip(text))
	}
	return to, nil
}

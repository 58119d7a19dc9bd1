package registry

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/errcode"
)

// What OpenTofu's OCI mirrors have: a tag for each version names an index, with a manifest for each
// platform, whose only layer is the package.
const (
	typeProvider = "application/vnd.opentofu.provider"
	typeTarget   = "application/vnd.opentofu.provider-target"
	typePackage  = "archive/zip"
	// maxManifest bounds manifests, in bytes.
	maxManifest = 4 << 20
	// maxTags bounds the versions of a provider.
	maxTags = 100_000
)

// oci is an OCI mirror, in the layout of OpenTofu 1.10.
type oci struct {
	*fetcher
	method   *method
	registry string
	// credentials are those of the configuration.
	credentials map[string]ociCredential
	// trustedRoot is the file with the authorities of cosign's certificates.
	trustedRoot string
}

func (m *oci) describe(a Address) string {
	host, name, err := m.method.repositoryOf(a)
	if err != nil {
		return "the OCI mirror"
	}
	return "the OCI mirror " + host + "/" + name
}

// repositories returns the repositories that the provider may be in.
func (m *oci) repositories(a Address) (out []*remote.Repository, _ error) {
	for _, host := range a.hosts(m.registry) {
		a.Host = host
		host, name, err := m.method.repositoryOf(a)
		if err != nil {
			return nil, err
		}
		r, err := repository(m.http, m.credentials, host, name)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(out, func(x *remote.Repository) bool { return x.Reference == r.Reference }) {
			out = append(out, r)
		}
	}
	return out, nil
}

// repository returns the client of an OCI repository.
func repository(client *http.Client, credentials map[string]ociCredential, host, name string) (*remote.Repository, error) {
	r, err := remote.NewRepository(host + "/" + name)
	if err != nil || r.Reference.Reference != "" {
		return nil, problem(Misconfigured, "%s is not an OCI repository, HOST/NAME in lower case", clip(host+"/"+name))
	}
	c := credentialFor(credentials, host, name)
	r.Client = &auth.Client{
		Client: client, Header: http.Header{"User-Agent": {"landbridge"}}, Cache: auth.NewCache(),
		Credential: auth.StaticCredential(host, auth.Credential{
			Username: c.username, Password: c.password, AccessToken: c.access, RefreshToken: c.refresh,
		}),
	}
	r.MaxMetadataBytes = maxManifest
	return r, nil
}

// credentialFor returns the credential of the longest beginning of a repository.
func credentialFor(credentials map[string]ociCredential, host, name string) ociCredential {
	for at := host + "/" + name; ; {
		if c, ok := credentials[at]; ok {
			return c
		}
		cut := strings.LastIndexByte(at, '/')
		if cut < 0 {
			return ociCredential{}
		}
		at = at[:cut]
	}
}

func (m *oci) versions(ctx context.Context, a Address) ([]Version, error) {
	out, _, err := m.list(ctx, a)
	return out, err
}

func (m *oci) list(ctx context.Context, a Address) (out []Version, _ *remote.Repository, _ error) {
	all, err := m.repositories(a)
	if err != nil {
		return nil, nil, err
	}
	var missing error
	for _, r := range all {
		err := r.Tags(ctx, "", func(tags []string) error {
			for _, t := range tags {
				out = append(out, Version{Version: strings.ReplaceAll(t, "_", "+")})
			}
			if len(out) > maxTags {
				return problem(Invalid, "%s has more than %d tags", m.describe(a), maxTags)
			}
			return nil
		})
		if err == nil {
			return out, r, nil
		}
		if err = m.problem(a, err); KindOf(err) != NotFound {
			return nil, nil, err
		}
		missing = err
	}
	return nil, nil, missing
}

func (m *oci) find(ctx context.Context, a Address, version, platform string) (*Package, error) {
	_, r, err := m.list(ctx, a)
	if err != nil {
		return nil, err
	}
	what := m.describe(a)
	d, err := r.Resolve(ctx, strings.ReplaceAll(version, "+", "_"))
	if err != nil {
		return nil, m.problem(a, err)
	}
	raw, err := m.manifest(ctx, a, r, d)
	if err != nil {
		return nil, err
	}
	target, err := parseProviderIndex(raw, platform)
	if err != nil {
		return nil, problem(KindOf(err), "%s: version %s: %s", what, version, err)
	}
	if raw, err = m.manifest(ctx, a, r, target); err != nil {
		return nil, err
	}
	layer, err := parseTarget(raw)
	if err != nil {
		return nil, problem(KindOf(err), "%s: version %s: %s", what, version, err)
	}
	hash := "zh:" + layer.Digest.Encoded()
	p := &Package{Version: version, Origin: what, Hashes: []string{hash}, All: []string{hash}, cosign: &cosign{m, a, r, d}}
	p.fetch = func(ctx context.Context, to *os.File) (string, error) {
		return m.download(ctx, what, m.openLayer(a, r, layer), to)
	}
	return p, nil
}

// manifest returns a manifest, whose checksum is that of its descriptor.
func (m *oci) manifest(ctx context.Context, a Address, r *remote.Repository, d ocispec.Descriptor) ([]byte, error) {
	return m.whole(ctx, a, r, d, "a manifest")
}

// whole returns content of a bounded size, whose checksum is that of its descriptor. called is what
// messages call it.
func (m *oci) whole(ctx context.Context, a Address, from content.Fetcher, d ocispec.Descriptor, called string) ([]byte, error) {
	if d.Size > maxManifest {
		return nil, problem(Invalid, "%s: %s has %d bytes, more than %d MiB", m.describe(a), called, d.Size, maxManifest>>20)
	}
	raw, err := content.FetchAll(ctx, from, d)
	switch {
	case errors.Is(err, content.ErrMismatchedDigest), errors.Is(err, content.ErrTrailingData):
		return nil, problem(Untrusted, "%s: %s does not have its checksum %s: %s", m.describe(a), called, d.Digest, err)
	case err != nil:
		return nil, m.problem(a, err)
	}
	return raw, nil
}

// parseProviderIndex returns the manifest for a platform.
func parseProviderIndex(raw []byte, platform string) (ocispec.Descriptor, error) {
	var index ocispec.Index
	if err := json.Unmarshal(raw, &index); err != nil {
		return ocispec.Descriptor{}, problem(Invalid, "its index is not JSON: %s", err)
	}
	if index.ArtifactType != typeProvider {
		return ocispec.Descriptor{}, problem(Invalid, "it is of the type %s, not %s", clip(index.ArtifactType), typeProvider)
	}
	for _, d := range index.Manifests {
		if d.ArtifactType == typeTarget && d.Platform != nil && d.Platform.OS+"_"+d.Platform.Architecture == platform {
			return d, checkDigest(d)
		}
	}
	return ocispec.Descriptor{}, problem(NotFound, "there is no build for %s", platform)
}

// parseTarget returns the package of a platform's manifest.
func parseTarget(raw []byte) (ocispec.Descriptor, error) {
	var manifest ocispec.Manifest
	if err := json.Unmarshal(raw, &manifest); err != nil {
		return ocispec.Descriptor{}, problem(Invalid, "its manifest is not JSON: %s", err)
	}
	if manifest.ArtifactType != typeTarget {
		return ocispec.Descriptor{}, problem(Invalid, "its manifest is of the type %s, not %s", clip(manifest.ArtifactType), typeTarget)
	}
	layers := slices.DeleteFunc(manifest.Layers, func(d ocispec.Descriptor) bool { return d.MediaType != typePackage })
	if len(layers) != 1 {
		return ocispec.Descriptor{}, problem(Invalid, "its manifest has %d layers of the type %s, not one", len(layers), typePackage)
	}
	return layers[0], checkDigest(layers[0])
}

func checkDigest(d ocispec.Descriptor) error {
	if err := d.Digest.Validate(); err != nil || d.Digest.Algorithm() != digest.SHA256 {
		return problem(Invalid, "the checksum %s is not SHA-256", clip(d.Digest.String()))
	}
	if d.Size < 0 {
		return problem(Invalid, "a size is negative")
	}
	return nil
}

// openLayer returns an opener for a layer.
func (m *oci) openLayer(a Address, r *remote.Repository, layer ocispec.Descriptor) opener {
	return func(ctx context.Context, offset int64) (part, error) {
		body, err := r.Blobs().Fetch(ctx, layer)
		if err != nil {
			return part{}, m.problem(a, err)
		}
		if seeker, ok := body.(io.Seeker); ok && offset > 0 {
			if _, err := seeker.Seek(offset, io.SeekStart); err == nil {
				return part{body, offset, layer.Size}, nil
			}
		}
		if offset > 0 {
			_ = body.Close()
			if body, err = r.Blobs().Fetch(ctx, layer); err != nil {
				return part{}, m.problem(a, err)
			}
		}
		return part{body, 0, layer.Size}, nil
	}
}

func (m *oci) problem(a Address, err error) error { return ociProblem(m.describe(a), err) }

// ociProblem returns the error of a request to an OCI registry.
func ociProblem(what string, err error) error {
	var ours *Error
	var answer *errcode.ErrorResponse
	switch {
	case errors.As(err, &ours):
		return ours
	case errors.Is(err, errdef.ErrNotFound):
		return problem(NotFound, "%s: %s", what, err)
	case errors.Is(err, auth.ErrBasicCredentialNotFound):
		return problem(Denied, "%s requires credentials; give them in a block oci_credentials (--provider-credentials)", what)
	case errors.As(err, &answer):
		switch code := answer.StatusCode; {
		case code == http.StatusNotFound:
			return problem(NotFound, "%s does not exist: %s", what, answer.Errors)
		case code == http.StatusUnauthorized, code == http.StatusForbidden:
			return problem(Denied, "%s answers status %d: %s; check the block oci_credentials (--provider-credentials)", what, code, answer.Errors)
		case code == http.StatusTooManyRequests, code >= 500:
			return problem(Unavailable, "%s answers status %d: %s; it is tried again", what, code, answer.Errors)
		default:
			return problem(Invalid, "%s answers status %d: %s; check the name of the repository", what, code, answer.Errors)
		}
	}
	return requestProblem(what, what, err)
}

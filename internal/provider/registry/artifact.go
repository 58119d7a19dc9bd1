package registry

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
)

// maxArtifact bounds the layer of an artifact, in bytes.
const maxArtifact = 64 << 20

// Artifact is a module in an OCI repository.
type Artifact struct {
	// Repository is HOST/NAME.
	Repository string
	// Reference is a tag or a digest. Defaults to the tag latest.
	Reference string
	// Username and Password are for the repository. Defaults to those of the client's files.
	Username, Password string
}

// Pull returns the archive of an artifact: its only layer that is a zip archive, as OpenTofu's, or
// a gzipped tar archive, as those of oras and Flux.
func (c *Client) Pull(ctx context.Context, a Artifact) ([]byte, error) {
	s, err := c.load()
	if err != nil {
		return nil, err
	}
	client, misconfigured := newHTTP(c.Patience.withDefaults(), c.CA)
	if misconfigured != nil {
		return nil, misconfigured
	}
	credentials := s.oci
	if a.Password != "" {
		credentials = map[string]ociCredential{a.Repository: {username: a.Username, password: a.Password}}
	}
	host, name, _ := strings.Cut(a.Repository, "/")
	r, err := repository(client, credentials, host, name)
	if err != nil {
		return nil, err
	}
	what := "the OCI repository " + clip(a.Repository)
	if a.Reference == "" {
		a.Reference = "latest"
	}
	d, err := r.Resolve(ctx, a.Reference)
	if err != nil {
		return nil, ociProblem(what+", "+clip(a.Reference), err)
	}
	if d.Size > maxManifest {
		return nil, problem(Invalid, "%s: the manifest has %d bytes, more than %d MiB", what, d.Size, maxManifest>>20)
	}
	raw, err := content.FetchAll(ctx, r, d)
	if err != nil {
		return nil, artifactProblem(what, err)
	}
	layer, err := parseArtifact(raw)
	if err != nil {
		return nil, problem(KindOf(err), "%s, %s: %s", what, clip(a.Reference), err)
	}
	if raw, err = content.FetchAll(ctx, r.Blobs(), layer); err != nil {
		return nil, artifactProblem(what, err)
	}
	return raw, nil
}

func artifactProblem(what string, err error) error {
	if errors.Is(err, content.ErrMismatchedDigest) || errors.Is(err, content.ErrTrailingData) {
		return problem(Untrusted, "%s: its content does not have its checksum: %s", what, err)
	}
	return ociProblem(what, err)
}

// parseArtifact returns the layer with the archive.
func parseArtifact(raw []byte) (ocispec.Descriptor, error) {
	var manifest ocispec.Manifest
	if err := json.Unmarshal(raw, &manifest); err != nil {
		return ocispec.Descriptor{}, problem(Invalid, "its manifest is not JSON: %s", err)
	}
	layers := slices.DeleteFunc(manifest.Layers, func(d ocispec.Descriptor) bool { return !isArchive(d.MediaType) })
	if len(layers) != 1 {
		return ocispec.Descriptor{}, problem(Invalid, "it has %d layers that are archives (archive/zip or …tar+gzip), not one", len(layers))
	}
	if layers[0].Size > maxArtifact {
		return ocispec.Descriptor{}, problem(Invalid, "it has %d bytes, more than %d MiB", layers[0].Size, maxArtifact>>20)
	}
	return layers[0], checkDigest(layers[0])
}

func isArchive(mediaType string) bool {
	return mediaType == typePackage || mediaType == "application/zip" ||
		strings.HasSuffix(mediaType, "tar+gzip") || strings.HasSuffix(mediaType, "tar.gzip")
}

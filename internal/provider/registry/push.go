package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/registry/remote"
)

// Push puts the packages of a version, by platform, into an OCI repository, HOST/NAME, in the
// layout of OpenTofu's OCI mirrors. A version that is there already is replaced.
func (c *Client) Push(ctx context.Context, target, version string, packages map[string]string) error {
	s, err := c.load()
	if err != nil {
		return err
	}
	host, name, _ := strings.Cut(target, "/")
	client, problemOf := newHTTP(c.Patience.withDefaults(), c.CA)
	if problemOf != nil {
		return problemOf
	}
	r, err := repository(client, s.oci, host, name)
	if err != nil {
		return err
	}
	failed := func(err error) error { return ociProblem("the OCI repository "+target, err) }
	index := ocispec.Index{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageIndex, ArtifactType: typeProvider}
	for _, platform := range slices.Sorted(maps.Keys(packages)) {
		layer, err := pushFile(ctx, r, packages[platform])
		if err != nil {
			return failed(err)
		}
		if err := pushBytes(ctx, r, ocispec.DescriptorEmptyJSON, ocispec.DescriptorEmptyJSON.Data); err != nil {
			return failed(err)
		}
		d, err := pushManifest(ctx, r, ocispec.MediaTypeImageManifest, ocispec.Manifest{
			Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageManifest, ArtifactType: typeTarget,
			Config: ocispec.DescriptorEmptyJSON, Layers: []ocispec.Descriptor{layer},
		}, "")
		if err != nil {
			return failed(err)
		}
		goos, arch, _ := strings.Cut(platform, "_")
		d.ArtifactType, d.Platform = typeTarget, &ocispec.Platform{OS: goos, Architecture: arch}
		index.Manifests = append(index.Manifests, d)
	}
	if _, err := pushManifest(ctx, r, ocispec.MediaTypeImageIndex, index, strings.ReplaceAll(version, "+", "_")); err != nil {
		return failed(err)
	}
	return nil
}

// pushFile pushes a package, unless it is there.
func pushFile(ctx context.Context, r *remote.Repository, path string) (ocispec.Descriptor, error) {
	f, err := os.Open(path)
	if err != nil {
		return ocispec.Descriptor{}, err
	}
	defer f.Close()
	sum, err := digest.FromReader(f)
	if err != nil {
		return ocispec.Descriptor{}, err
	}
	info, err := f.Stat()
	if err != nil {
		return ocispec.Descriptor{}, err
	}
	d := ocispec.Descriptor{MediaType: typePackage, Digest: sum, Size: info.Size()}
	if there, err := r.Blobs().Exists(ctx, d); err != nil || there {
		return d, err
	}
	if _, err := f.Seek(0, 0); err != nil {
		return d, err
	}
	return d, r.Blobs().Push(ctx, d, f)
}

func pushBytes(ctx context.Context, r *remote.Repository, d ocispec.Descriptor, raw []byte) error {
	if there, err := r.Blobs().Exists(ctx, d); err != nil || there {
		return err
	}
	return r.Blobs().Push(ctx, d, bytes.NewReader(raw))
}

// pushManifest pushes a manifest, with a tag unless that is empty.
func pushManifest(ctx context.Context, r *remote.Repository, mediaType string, v any, tag string) (ocispec.Descriptor, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return ocispec.Descriptor{}, err
	}
	d := ocispec.Descriptor{MediaType: mediaType, Digest: digest.FromBytes(raw), Size: int64(len(raw))}
	if tag == "" {
		return d, r.Manifests().Push(ctx, d, bytes.NewReader(raw))
	}
	return d, r.Manifests().PushReference(ctx, d, bytes.NewReader(raw), tag)
}

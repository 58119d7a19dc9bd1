package image

import (
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/compression"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// User is the user and group of the image's processes.
const User = 65532

// Cache is the directory for private copies of providers. It is empty, and belongs to User.
const Cache = "/var/cache/landbridge"

// bestZstd is the level from which on the library compresses as well as it can.
const bestZstd = 10

// Options describe an image.
type Options struct {
	// Version is a tag such as v0.5.0.
	Version string
	// Revision is the commit that the programs were built from.
	Revision string
	// Created is the time of the commit.
	Created time.Time
	// Title and Description are for people.
	Title, Description string
	// Source is the address of the source code, Licenses the licence's SPDX expression.
	Source, Licenses string
	// Entrypoint is the program that the image runs. Empty is landbridge.
	Entrypoint string
	// User is the user and group of the image's processes. Zero is the constant User.
	User int
	// TimeZones is the file lib/time/zoneinfo.zip of a Go distribution.
	TimeZones string
	// Zstd has layers compressed by zstd, which makes them a seventh smaller. Container runtimes
	// read that since containerd 1.5, CRI-O 1.20 and Docker 23. Else, it is gzip.
	Zstd bool
	// Platforms of the image, with their programs.
	Platforms []Platform
}

// Platform is one platform of an image.
type Platform struct {
	// OS and Architecture in Go's terms.
	OS, Architecture string
	// Programs are the files in /usr/local/bin, by name; each one is a layer.
	Programs map[string]string
}

// String returns the platform as os/architecture.
func (p Platform) String() string { return p.OS + "/" + p.Architecture }

// Index returns the image for all platforms.
func Index(o Options) (v1.ImageIndex, error) {
	o = o.withDefaults()
	base, err := baseLayer(o)
	if err != nil {
		return nil, err
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, p := range o.Platforms {
		image, err := one(o, p, base)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add:        image,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: p.OS, Architecture: p.Architecture}},
		})
	}
	return mutate.Annotations(index, o.annotations()).(v1.ImageIndex), nil
}

// Image returns the image for its only platform.
func Image(o Options) (v1.Image, error) {
	if len(o.Platforms) != 1 {
		return nil, fmt.Errorf("an image is for one platform, not for %d", len(o.Platforms))
	}
	o = o.withDefaults()
	base, err := baseLayer(o)
	if err != nil {
		return nil, err
	}
	return one(o, o.Platforms[0], base)
}

func (o Options) withDefaults() Options {
	o.Entrypoint = cmp.Or(o.Entrypoint, "landbridge")
	o.User = cmp.Or(o.User, User)
	return o
}

// one returns the image for one platform.
func one(o Options, p Platform, base v1.Layer) (v1.Image, error) {
	created := v1.Time{Time: o.Created.UTC()}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	layers := []mutate.Addendum{{
		Layer: base, History: v1.History{
			Created: created, Comment: "certificates, time zones, users and empty directories",
		},
	}}
	names := make([]string, 0, len(p.Programs))
	for name := range p.Programs {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		// The program that the image runs changes with each version, so it comes last.
		if (a == o.Entrypoint) != (b == o.Entrypoint) {
			if a == o.Entrypoint {
				return 1
			}
			return -1
		}
		return strings.Compare(a, b)
	})
	for _, name := range names {
		l, err := programLayer(o, name, p.Programs[name])
		if err != nil {
			return nil, err
		}
		layers = append(layers, mutate.Addendum{Layer: l, History: v1.History{Created: created, Comment: "the program " + name}})
	}
	image, err := mutate.Append(image, layers...)
	if err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = p.OS, p.Architecture, created
	config.Config = v1.Config{
		User:       fmt.Sprintf("%d:%d", o.User, o.User),
		Entrypoint: []string{"/usr/local/bin/" + o.Entrypoint},
		Env:        []string{"PATH=/usr/local/bin", "HOME=/home/landbridge", "XDG_CACHE_HOME=/var/cache"},
		WorkingDir: "/",
		Labels:     o.annotations(),
	}
	image, err = mutate.ConfigFile(image, config)
	if err != nil {
		return nil, err
	}
	return mutate.Annotations(image, o.annotations()).(v1.Image), nil
}

func (o Options) annotations() map[string]string {
	out := map[string]string{ // empty ones are left out
		"org.opencontainers.image.title":       o.Title,
		"org.opencontainers.image.description": o.Description,
		"org.opencontainers.image.version":     o.Version,
		"org.opencontainers.image.revision":    o.Revision,
		"org.opencontainers.image.created":     o.Created.UTC().Format(time.RFC3339),
		"org.opencontainers.image.source":      o.Source,
		"org.opencontainers.image.licenses":    o.Licenses,
	}
	maps.DeleteFunc(out, func(_, value string) bool { return value == "" })
	return out
}

// layer compresses an archive, which open returns again and again.
func (o Options) layer(open func() (io.ReadCloser, error)) (v1.Layer, error) {
	if o.Zstd {
		return tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayerZStd), tarball.WithCompressedCaching,
			tarball.WithCompression(compression.ZStd), tarball.WithCompressionLevel(bestZstd))
	}
	return tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer), tarball.WithCompressedCaching,
		tarball.WithCompressionLevel(gzip.BestCompression))
}

// TimeZones returns the file with the time zones of the Go distribution.
func TimeZones(ctx context.Context) (string, error) {
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	return filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"), nil
}

// Size returns the compressed size of an image, with its manifest and configuration.
func Size(image v1.Image) (int64, error) {
	m, err := image.Manifest()
	if err != nil {
		return 0, err
	}
	size, err := image.Size()
	if err != nil {
		return 0, err
	}
	size += m.Config.Size
	for _, l := range m.Layers {
		size += l.Size
	}
	return size, nil
}

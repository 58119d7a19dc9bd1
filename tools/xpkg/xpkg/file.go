package xpkg

import (
	"fmt"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

var emptyImage = empty.Image

// Write writes a package to a .xpkg file, which `crossplane xpkg push` reads, too.
func Write(image v1.Image, file string) error {
	return tarball.WriteToFile(file, nil, image)
}

// Read returns the package in a .xpkg file, and what it has.
func Read(file string) (v1.Image, *Summary, error) {
	image, err := tarball.ImageFromPath(file, nil)
	if err != nil {
		return nil, nil, err
	}
	if image, err = annotate(image); err != nil {
		return nil, nil, err
	}
	summary, err := Check(image)
	return image, summary, err
}

// Push pushes packages, one for each platform, to a registry, with the credentials of docker's
// configuration. Several are one index.
func Push(tag string, images ...v1.Image) error {
	ref, err := name.NewTag(tag, name.StrictValidation)
	if err != nil {
		return fmt.Errorf("%s: %w: give it as registry.example/NAME:TAG", tag, err)
	}
	options := remote.WithAuthFromKeychain(authn.DefaultKeychain)
	if len(images) == 1 {
		return remote.Write(ref, images[0], options)
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	seen := map[string]bool{}
	for _, image := range images {
		config, err := image.ConfigFile()
		if err != nil {
			return err
		}
		platform := &v1.Platform{OS: config.OS, Architecture: config.Architecture}
		if seen[platform.String()] {
			return fmt.Errorf("there are two packages for %s: give one for each platform", platform)
		}
		seen[platform.String()] = true
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: platform}})
	}
	return remote.WriteIndex(ref, index, options)
}

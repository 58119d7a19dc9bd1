package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/tools/release/sbom"
	"github.com/landbridge-io/landbridge/tools/xpkg/image"
)

// imageLimit is the maximum size of an image for one platform, compressed.
const imageLimit = 60e6

// images are the images to make.
type images struct {
	*source
	repository string
	platforms  []string
	opentofu   bool
	push       bool
}

func newImageCommand() *cobra.Command {
	o := images{source: &source{}}
	cmd := &cobra.Command{
		Use:   "image",
		Short: "Make the container image, as an OCI layout and as a tar archive of it",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.complete(cmd.Context()); err != nil {
				return err
			}
			return o.run(cmd.Context())
		},
	}
	o.addFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.repository, "repository", "ghcr.io/landbridge-io/landbridge", "the image's name, without a tag")
	f.StringSliceVar(&o.platforms, "platforms", []string{"linux/amd64", "linux/arm64"}, "platforms to make it for")
	f.BoolVar(&o.opentofu, "opentofu", false, "make the variant with OpenTofu, whose tag ends with -opentofu, as well")
	f.BoolVar(&o.push, "push", false, "push to the registry")
	return cmd
}

func (o *images) run(ctx context.Context) error {
	zones, err := image.TimeZones(ctx)
	if err != nil {
		return err
	}
	for _, platform := range o.platforms {
		if err := o.build(ctx, platform, o.contained()...); err != nil {
			return err
		}
	}
	if err := o.make(image.Options{
		Version: o.version, Title: "Landbridge", Description: "Any Terraform provider as a Kubernetes API", TimeZones: zones,
	}, "", o.landbridge(), git); err != nil || !o.opentofu {
		return err
	}
	return o.make(image.Options{
		Version: o.version + "-opentofu", Title: "Landbridge with OpenTofu",
		Description: "Any Terraform provider as a Kubernetes API, with the command line of OpenTofu for execution: " +
			"CLI and for modules",
		TimeZones: zones,
		Zstd:      true, // by gzip, it would have more than imageLimit
	}, "-opentofu", o.landbridge(), git, opentofu)
}

// contained returns the programs of the images.
func (o *images) contained() []program {
	if o.opentofu {
		return []program{o.landbridge(), git, opentofu}
	}
	return []program{o.landbridge(), git}
}

// make makes one image for all platforms of programs that were built, with its SBOM.
func (o *images) make(options image.Options, suffix string, programs ...program) error {
	options.Revision, options.Created = o.revision, o.committed
	options.Source, options.Licenses = "https://github.com/landbridge-io/landbridge", "Apache-2.0"
	var listed []sbom.Program
	for _, platform := range o.platforms {
		os, arch, _ := strings.Cut(platform, "/")
		files := map[string]string{}
		for _, p := range programs {
			files[p.name] = o.path(p, platform)
			listed = append(listed, sbom.Program{Name: p.name + "_" + dashed(platform), File: files[p.name]})
		}
		options.Platforms = append(options.Platforms, image.Platform{OS: os, Architecture: arch, Programs: files})
	}
	index, err := image.Index(options)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(o.dist, 0o755); err != nil {
		return err
	}
	tag := o.repository + ":" + options.Version
	base := filepath.Join(o.dist, "landbridge-image"+suffix)
	archive := base + "_" + o.version + ".tar"
	if err := image.Write(index, tag, base, archive); err != nil {
		return err
	}
	document, err := sbom.SPDX("landbridge-image"+suffix, o.version, o.committed, listed...)
	if err != nil {
		return err
	}
	if err := os.WriteFile(base+"_"+o.version+".spdx.json", append(document, '\n'), 0o644); err != nil {
		return err
	}
	if err := o.report(index, tag, archive); err != nil || !o.push {
		return err
	}
	return image.Push(index, tag)
}

// report prints what was made. An image that is too large is an error.
func (o *images) report(index v1.ImageIndex, tag, archive string) error {
	manifest, err := index.IndexManifest()
	if err != nil {
		return err
	}
	for _, m := range manifest.Manifests {
		one, err := index.Image(m.Digest)
		if err != nil {
			return err
		}
		size, err := image.Size(one)
		if err != nil {
			return err
		}
		fmt.Printf("%s for %s: %.1f MB compressed, %s\n", tag, m.Platform, float64(size)/1e6, m.Digest)
		if size > imageLimit {
			return fmt.Errorf("the image for %s has %.1f MB, more than %.0f MB", m.Platform, float64(size)/1e6, float64(imageLimit)/1e6)
		}
	}
	digest, err := index.Digest()
	if err != nil {
		return err
	}
	fmt.Printf("image: %s@%s in %s\n", tag, digest, archive)
	return nil
}

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/tools/release/archive"
	"github.com/landbridge-io/landbridge/tools/release/chart"
	"github.com/landbridge-io/landbridge/tools/release/sbom"
)

// release is everything that is released of one version.
type release struct {
	images
	programs []string // platforms of the command line
	// playgrounds are the platforms of the playground.
	playgrounds []string
	key         string
	noImages    bool
}

func newReleaseCommand() *cobra.Command {
	o := release{images: images{source: &source{}, opentofu: true}}
	cmd := &cobra.Command{
		Use:   "release",
		Short: "Make all files of a release, with checksums",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.complete(cmd.Context()); err != nil {
				return err
			}
			if !strings.HasPrefix(o.version, "v") {
				return fmt.Errorf("the version %q does not begin with v: give --version or make a tag", o.version)
			}
			return o.run(cmd.Context())
		},
	}
	o.addFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.repository, "repository", "ghcr.io/landbridge-io/landbridge", "the image's name, without a tag")
	f.StringSliceVar(&o.platforms, "image-platforms", []string{"linux/amd64", "linux/arm64"}, "platforms of the images")
	f.StringSliceVar(&o.programs, "platforms", []string{
		"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64",
	}, "platforms of the command line")
	f.StringSliceVar(&o.playgrounds, "playground-platforms", []string{
		"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64",
	}, "platforms of the playground; empty for none")
	f.StringVar(&o.key, "key", "", "private key, as PEM, to sign the checksums with: ECDSA or Ed25519")
	f.BoolVar(&o.noImages, "no-images", false, "make no images")
	f.BoolVar(&o.push, "push", false, "push the images to their registry")
	return cmd
}

func (o *release) run(ctx context.Context) error {
	if err := announce(o.root, o.version); err != nil {
		return err
	}
	if err := os.MkdirAll(o.dist, 0o755); err != nil {
		return err
	}
	if err := o.builds(ctx); err != nil {
		return err
	}
	packages, err := o.packages(ctx)
	if err != nil {
		return err
	}
	if err := o.playground(); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(o.dist, "landbridge.krew.yaml"), krew(o.version, packages), 0o644); err != nil {
		return err
	}
	if err := o.deployment(); err != nil {
		return err
	}
	if err := o.notes(); err != nil {
		return err
	}
	if !o.noImages {
		if err := o.images.run(ctx); err != nil {
			return err
		}
	}
	n, err := archive.Checksums(o.dist, o.key)
	if err != nil {
		return err
	}
	changed, err := succeed(o.root, o.version)
	if err != nil {
		return err
	}
	if changed {
		fmt.Printf("%s names this release, which make downgrade tries from now on: commit it after the release\n", formerFile)
	}
	fmt.Printf("release: %s, %d files in %s\n", o.version, n, o.dist)
	return nil
}

// builds builds all programs, platform by platform.
func (o *release) builds(ctx context.Context) error {
	wanted := map[string][]program{host: {o.landbridge()}} // which writes the completions
	for _, platform := range o.programs {
		wanted[platform] = append(wanted[platform], o.landbridge())
	}
	for _, platform := range o.playgrounds {
		wanted[platform] = append(wanted[platform], playground)
	}
	for _, platform := range o.platforms {
		if !o.noImages {
			wanted[platform] = append(wanted[platform], o.contained()...)
		}
	}
	for _, platform := range slices.Sorted(maps.Keys(wanted)) {
		if err := o.build(ctx, platform, wanted[platform]...); err != nil {
			return err
		}
	}
	return nil
}

// pkg is the command line for one platform.
type pkg struct {
	platform, file, sum string
}

// packages makes the archives of the command line, and one SBOM of all programs.
func (o *release) packages(ctx context.Context) ([]pkg, error) {
	var out []pkg
	var listed []sbom.Program
	completions, err := o.completions(ctx)
	if err != nil {
		return nil, err
	}
	for _, platform := range o.programs {
		name := "landbridge_" + o.version + "_" + dashed(platform)
		program, suffix := o.path(o.landbridge(), platform), ""
		if strings.HasPrefix(platform, "windows/") {
			suffix = ".exe"
		}
		listed = append(listed, sbom.Program{Name: name, File: program})
		content, err := os.ReadFile(program)
		if err != nil {
			return nil, err
		}
		licence, err := os.ReadFile(filepath.Join(o.root, "LICENSE"))
		if err != nil {
			return nil, err
		}
		files := append([]archive.File{
			{Name: "landbridge" + suffix, Mode: 0o755, Content: content}, {
				Name: "LICENSE", Mode: 0o644, Content: licence,
			},
		}, completions...)
		file := name + ".tar.gz"
		sum, err := archive.Write(filepath.Join(o.dist, file), o.committed, files)
		if err != nil {
			return nil, err
		}
		out = append(out, pkg{platform, file, sum})
	}
	return out, o.contents("landbridge", listed)
}

// contents writes the SBOM of programs.
func (o *release) contents(name string, programs []sbom.Program) error {
	document, err := sbom.SPDX(name, o.version, o.committed, programs...)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(o.dist, name+"_"+o.version+".spdx.json"), append(document, '\n'), 0o644)
}

// playground makes the archives of the playground, with the manifests that it shows, and its SBOM.
func (o *release) playground() error {
	examples, err := filepath.Glob(filepath.Join(o.root, "examples", "demo", "*.yaml"))
	if err != nil {
		return err
	}
	var listed []sbom.Program
	for _, platform := range o.playgrounds {
		name := "landbridge-playground_" + o.version + "_" + dashed(platform)
		program := o.path(playground, platform)
		listed = append(listed, sbom.Program{Name: name, File: program})
		files := []archive.File{{Name: "landbridge-playground", Mode: 0o755}, {Name: "LICENSE", Mode: 0o644}}
		for n, path := range append([]string{program, filepath.Join(o.root, "LICENSE")}, examples...) {
			if n >= 2 {
				files = append(files, archive.File{Name: "examples/demo/" + filepath.Base(path), Mode: 0o644})
			}
			if files[n].Content, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		if _, err := archive.Write(filepath.Join(o.dist, name+".tar.gz"), o.committed, files); err != nil {
			return err
		}
	}
	if len(listed) == 0 {
		return nil
	}
	return o.contents("landbridge-playground", listed)
}

// completions returns scripts for shells, by the program for this machine. kubectl asks plugins by
// the program kubectl_complete-landbridge.
func (o *release) completions(ctx context.Context) ([]archive.File, error) {
	program, err := filepath.Abs(o.path(o.landbridge(), host))
	if err != nil {
		return nil, err
	}
	out := []archive.File{{
		Name: "kubectl_complete-landbridge", Mode: 0o755,
		Content: []byte("#!/bin/sh\nexec kubectl-landbridge __complete \"$@\"\n"),
	}}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		text, err := output(exec.CommandContext(ctx, program, "completion", shell))
		if err != nil {
			return nil, err
		}
		out = append(out, archive.File{Name: "completions/landbridge." + shell, Mode: 0o644, Content: []byte(text + "\n")})
	}
	return out, nil
}

// deployment writes the chart and the plain manifests of the version.
func (o *release) deployment() error {
	dir := filepath.Join(o.root, "deploy", "chart")
	c, err := chart.Load(dir, o.semantic(), o.version)
	if err != nil {
		return err
	}
	plain, err := chart.Plain(c)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(o.dist, "install.yaml"), plain, 0o644); err != nil {
		return err
	}
	var files []archive.File
	for _, f := range c.Raw {
		content := f.Data
		if f.Name == "Chart.yaml" {
			content = []byte(strings.NewReplacer("version: 0.0.0-dev", "version: "+o.semantic(), "appVersion: dev",
				"appVersion: "+o.version).Replace(string(f.Data)))
		}
		files = append(files, archive.File{Name: "landbridge/" + f.Name, Mode: 0o644, Content: content})
	}
	slices.SortFunc(files, func(a, b archive.File) int { return strings.Compare(a.Name, b.Name) })
	_, err = archive.Write(filepath.Join(o.dist, "landbridge-chart_"+o.semantic()+".tgz"), o.committed, files)
	return err
}

// notes writes the entry of the changelog: that of the version, else of what is not released yet.
func (o *release) notes() error {
	text, err := os.ReadFile(filepath.Join(o.root, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	entry, err := changes(string(text), o.semantic())
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(o.dist, "CHANGES.md"), []byte(entry), 0o644)
}

// changes returns the entry of a version in a changelog.
func changes(text, version string) (string, error) {
	for _, title := range []string{version, "v" + version, "[" + version + "]", "Unreleased"} {
		_, after, found := strings.Cut(text, "\n## "+title)
		if !found {
			continue
		}
		_, after, _ = strings.Cut(after, "\n")
		entry, _, _ := strings.Cut(after, "\n## ")
		return strings.TrimSpace(entry) + "\n", nil
	}
	return "", errors.New("CHANGELOG.md has no entry of the version, and none of what is not released")
}

// krew returns the manifest of the plugin kubectl landbridge.
func krew(version string, packages []pkg) []byte {
	var out strings.Builder
	fmt.Fprintf(&out, `apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: landbridge
spec:
  version: %s
  homepage: https://github.com/landbridge-io/landbridge
  shortDescription: Manage what Terraform providers manage
  description: |
    Shows the resources that Landbridge manages by Terraform providers, imports existing
    objects, plans changes, and moves resources between clusters.
  platforms:
`, version)
	for _, p := range packages {
		system, arch, _ := strings.Cut(p.platform, "/")
		suffix := ""
		if system == "windows" {
			suffix = ".exe"
		}
		fmt.Fprintf(&out, `  - selector:
      matchLabels: {os: %s, arch: %s}
    uri: https://github.com/landbridge-io/landbridge/releases/download/%s/%s
    sha256: %s
    files:
    - {from: landbridge%s, to: kubectl-landbridge%s}
    - {from: LICENSE, to: .}
    bin: kubectl-landbridge%s
`, system, arch, version, p.file, p.sum, suffix, suffix, suffix)
	}
	return []byte(out.String())
}

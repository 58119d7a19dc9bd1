package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/tools/xpkg/image"
	"github.com/landbridge-io/landbridge/tools/xpkg/xpkg"
)

// user is the user and group that Crossplane runs providers as.
const user = 2000

func main() {
	cmd := &cobra.Command{Use: "xpkg", Short: "Build, check and push Crossplane packages of providers", SilenceUsage: true}
	cmd.AddCommand(newBuildCommand(), newCheckCommand(), newPushCommand())
	if cmd.Execute() != nil {
		os.Exit(1)
	}
}

// build has the flags of the command build.
type build struct {
	root, programs, entrypoint, platform, version, output string
}

func newBuildCommand() *cobra.Command {
	o := build{}
	cmd := &cobra.Command{
		Use:   "build",
		Short: "Build a package, with an image of the program, and check it",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	f := cmd.Flags()
	f.StringVar(&o.root, "package-root", "package", "directory with crossplane.yaml and the CRDs")
	f.StringVar(&o.programs, "programs", "", "directory with the programs for the platform: all of its files are in the image")
	f.StringVar(&o.entrypoint, "entrypoint", "", "name of the program that the image runs")
	f.StringVar(&o.platform, "platform", "linux/amd64", "platform of the programs")
	f.StringVar(&o.version, "version", "", "version of the package, such as v0.1.0")
	f.StringVarP(&o.output, "output", "o", "", "the .xpkg file to write")
	for _, name := range []string{"programs", "entrypoint", "version", "output"} {
		_ = cmd.MarkFlagRequired(name) // fails only for unknown flags
	}
	return cmd
}

func (o *build) run(ctx context.Context) error {
	system, arch, ok := strings.Cut(o.platform, "/")
	if !ok {
		return fmt.Errorf("--platform %s: give it as os/architecture", o.platform)
	}
	files, err := os.ReadDir(o.programs)
	if err != nil {
		return err
	}
	programs := map[string]string{}
	for _, f := range files {
		if f.Type().IsRegular() {
			programs[f.Name()] = filepath.Join(o.programs, f.Name())
		}
	}
	if programs[o.entrypoint] == "" {
		return fmt.Errorf("%s has no program %s: build it first", o.programs, o.entrypoint)
	}
	zones, err := image.TimeZones(ctx)
	if err != nil {
		return err
	}
	program, err := image.Image(image.Options{
		Version: o.version, Title: o.entrypoint, Created: time.Unix(0, 0), TimeZones: zones, Entrypoint: o.entrypoint, User: user,
		Platforms: []image.Platform{{OS: system, Architecture: arch, Programs: programs}},
	})
	if err != nil {
		return err
	}
	built, _, err := xpkg.Build(o.root, program)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(o.output), 0o755); err != nil {
		return err
	}
	if err := xpkg.Write(built, o.output); err != nil {
		return err
	}
	_, err = check(o.output)
	return err
}

// check reads a package, and prints what it has.
func check(file string) (v1.Image, error) {
	read, summary, err := xpkg.Read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	fmt.Printf("%s: the package of %s for %s, with %d CRDs\n", file, summary.Name, summary.Platform, len(summary.CRDs))
	return read, nil
}

func newCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE...",
		Short: "Check packages as Crossplane's package manager does",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, files []string) error {
			for _, file := range files {
				if _, err := check(file); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func newPushCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "push IMAGE:TAG FILE...",
		Short: "Check packages, one for each platform, and push them to a registry with the credentials of docker's configuration",
		Args:  cobra.MinimumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			var images []v1.Image
			for _, file := range args[1:] {
				read, err := check(file)
				if err != nil {
					return err
				}
				images = append(images, read)
			}
			return xpkg.Push(args[0], images...)
		},
	}
}

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/internal/provider/sources"
)

func newProviderInstallCommand() *cobra.Command {
	from := sources.Flags{ConfigFile: true}
	var version, platform, sum, output string
	cmd := &cobra.Command{
		Use:   "install SOURCE|BINARY --output-file FILE",
		Short: "Copy a provider's program out of a mirror or a registry",
		Long: `Copy a provider's program out of a mirror or a registry, or from its path, to a file of a fixed name. The newest
version that meets the constraint is taken. With --sha256 it is copied only if its checksum matches.`,
		Example: `  landbridge provider install hashicorp/random --version 3.9.0 --output-file bin/terraform-provider-random`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cache, err := os.MkdirTemp("", "landbridge-install-")
			if err != nil {
				return err
			}
			defer os.RemoveAll(cache)
			installer, err := from.Installer()
			if err != nil {
				return err
			}
			installer.CacheDir, installer.Platform = cache, platform
			if filepath.IsAbs(args[0]) {
				version = "" // the version in the file's name may be wrong
			}
			done := showProgress(cmd, "Installing the provider "+args[0])
			found, err := installer.Install(cmd.Context(), args[0], version)
			done()
			if err != nil {
				return err
			}
			if sum != "" && sum != found.SHA256 {
				return fmt.Errorf("%s has the checksum %s, not the pinned checksum %s", found.Path, found.SHA256, sum)
			}
			if err := copyFile(found.Path, output, 0o755); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s %s, sha256 %s\n", output, found.Source, found.Version, found.SHA256)
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&version, "version", "", "version constraint in Terraform's syntax, for SOURCE (default: the newest)")
	from.Add(f)
	f.StringVar(&platform, "platform", "", "platform of the program, such as linux_arm64 (default: this machine's)")
	f.StringVar(&sum, "sha256", "", "checksum that the program must have (default: any)")
	addPath(cmd, outputFile, &output, "the file to write")
	if err := cmd.MarkFlagRequired(outputFile); err != nil {
		panic(err)
	}
	return cmd
}

// copyFile copies a file atomically.
func copyFile(from, to string, mode os.FileMode) (err error) {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.CreateTemp(filepath.Dir(to), "."+filepath.Base(to)+"-")
	if err != nil {
		return err
	}
	defer os.Remove(out.Name())
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Chmod(mode), out.Close()); err != nil {
		return err
	}
	return os.Rename(out.Name(), to)
}

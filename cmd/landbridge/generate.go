package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"
	"golang.org/x/mod/modfile"

	"github.com/landbridge-io/landbridge/internal/generator"
)

func newGenerateCommand() *cobra.Command {
	var flags providerFlags
	var provider, output, module string
	var allowBreaking bool
	cmd := &cobra.Command{
		Use:   "generate --provider PROVIDER --output-dir DIR",
		Short: "Write Go types, CRDs and documentation of a provider's kinds",
		Long: `Write the generated part of a provider's repository: the Go types of all kinds in
apis/GROUP/VERSION/zz_*.go, their CustomResourceDefinitions in package/crds, and their documentation
in docs/kinds.

The provider is started to read its schema. It is not configured: no credentials are needed, and
no network access, except to download it.

With --documentation, attributes that the provider's own examples set to those of other resources
get references and selectors beside them, unless the configuration says otherwise.

Kinds that are in DIR keep their names, and kinds that the provider adds give way.

The new kinds are compared with those in DIR, and changes for their users are printed. If manifests
or programs made for the old kinds would break, nothing is written, unless --allow-breaking is given.

If the configuration gives a kind another API version (version), the version in DIR is still served:
its Go types stay, and the CRD has both versions, with a conversion webhook. droppedVersions ends
that.

Unchanged files are not touched. Files of an earlier run that are no longer generated are removed.
Other files are neither overwritten nor removed: if one conflicts, nothing is written.

The Go types need deep copies, which controller-gen writes: run "go generate ./apis/..." in DIR
afterwards.`,
		Example: `  landbridge generate --provider ./terraform-provider-random_v3.9.0 --output-dir .
  landbridge generate --provider ./terraform-provider-hcloud_v1.68.0 --output-dir . --group hcloud.example.org --config config.yaml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if module == "" {
				var err error
				if module, err = importPath(output); err != nil {
					return err
				}
			}
			known, err := generator.KnownNames(output)
			if err != nil {
				return err
			}
			flags.known = known
			p, err := flags.open(cmd.Context(), provider, nil)
			if err != nil {
				return err
			}
			var inferred []string
			for _, r := range p.inferred {
				inferred = append(inferred, fmt.Sprint(r))
			}
			changes, err := generator.Update(p.model, generator.UpdateOptions{
				Options:       generator.Options{Module: module, Dir: output},
				AllowBreaking: allowBreaking,
				HowToAllow:    "give --allow-breaking",
				Inferred:      inferred,
				Notes:         cmd.ErrOrStderr(),
			})
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %d kinds; %d files written, %d removed, %d unchanged\n",
				output, len(p.model.Resources), len(changes.Written), len(changes.Removed), changes.Unchanged)
			return nil
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&provider, "provider", "",
		"the provider: its program, a directory that holds it, or its address, such as hashicorp/random@3.9.0")
	addPath(cmd, outputDir, &output, "directory to write to; created if absent")
	flags.addDocumentation(cmd)
	cmd.Flags().BoolVar(&allowBreaking, "allow-breaking", false, "write kinds that break manifests or programs made for the old ones")
	cmd.Flags().StringVar(&module, "module", "", "Go import path of the output directory (default: from the go.mod there or above)")
	cmd.Flags().StringVar(&flags.group, "group", "",
		"API group of the kinds, such as random.example.org (default: from --config, else NAME.landbridge.io)")
	for _, name := range []string{"provider", outputDir} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err)
		}
	}
	return cmd
}

// importPath returns the Go import path of a directory, from the go.mod in it or above it.
func importPath(dir string) (string, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for at := absolute; ; at = filepath.Dir(at) {
		file := filepath.Join(at, "go.mod")
		raw, err := os.ReadFile(file)
		if err == nil {
			below, err := filepath.Rel(at, absolute)
			if err != nil {
				return "", err
			}
			module := modfile.ModulePath(raw)
			if module == "" {
				return "", fmt.Errorf("%s has no module line: add one, or give --module", file)
			}
			return path.Join(module, filepath.ToSlash(below)), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("%s is not in a Go module: run go mod init there, or give --module", dir)
		}
	}
}

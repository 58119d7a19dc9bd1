package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/schema"
)

func newProviderSchemaCommand() *cobra.Command {
	var flags providerFlags
	var version, output string
	cmd := &cobra.Command{
		Use:   "schema PROVIDER --output-file FILE",
		Short: "Record a provider's schema in a file",
		Long: `Record a provider's schema in a file, with the provider's name and version, as JSON. Kinds can be
generated from it without the provider.

The provider is started to read its schema. It is not configured: no credentials are needed, and
no network access, except to download it. The file of a provider is not overwritten with the schema
of another, and keeps its examples.`,
		Example: `  landbridge provider schema ./terraform-provider-random_v3.9.0 --output-file config/schema.json`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := flags.open(cmd.Context(), args[0], nil)
			if err != nil {
				return err
			}
			if version == "" && p.attached != nil {
				return errors.New("an attached provider does not tell its version: give --version")
			}
			if version == "" {
				found, err := (&install.Installer{}).Install(cmd.Context(), p.path, "")
				if err != nil {
					return err
				}
				if version = found.Version; version == "" {
					return fmt.Errorf("the name of %s does not contain its version: give --version", filepath.Base(p.path))
				}
			}
			name := flags.name
			if name == "" {
				name = p.model.Name
			}
			former, err := schema.ReadRecord(output, name)
			switch {
			case errors.Is(err, os.ErrNotExist):
				former = &schema.Record{}
			case err != nil:
				return fmt.Errorf("%w; remove the file if it is no longer wanted", err)
			}
			raw, err := (&schema.Record{Provider: name, Version: version, Schema: p.schema, Examples: former.Examples}).Encode()
			if err != nil {
				return err
			}
			if err := os.WriteFile(output, raw, 0o644); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %d resource types of the provider %s %s\n", output, len(p.schema.Resources), name, version)
			return nil
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&version, "version", "", "the provider's version (default: from the binary's name)")
	addPath(cmd, outputFile, &output, "the file to write", "json")
	if err := cmd.MarkFlagRequired(outputFile); err != nil {
		panic(err)
	}
	return cmd
}

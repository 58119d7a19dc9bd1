package main

import (
	"os"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/internal/inference"
)

func newProviderReferencesCommand() *cobra.Command {
	var flags providerFlags
	var output string
	cmd := &cobra.Command{
		Use:   "references PROVIDER|SCHEMA --documentation DIR",
		Short: "Infer which attributes come from other resources",
		Long: `Infer, from the examples in a provider's documentation, which attributes of its resource types get
their values from other resources, and print that as a configuration: for the spec of a TerraformProvider, or for
--config of other commands. What the configuration given by --config has already is left out.

The provider is started to read its schema, unless SCHEMA is a JSON file with the schema. It is not
configured: no credentials are needed, and no network access, except to download it.`,
		Example: `  landbridge provider references ./terraform-provider-hcloud_v1.68.0 --documentation ~/src/terraform-provider-hcloud > references.yaml`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := flags.open(cmd.Context(), args[0], nil)
			if err != nil {
				return err
			}
			for _, r := range p.inferred {
				if r.Left != nil {
					cmd.PrintErrln("Note:", r)
				}
			}
			raw, err := yaml.Marshal(inference.Configuration(p.inferred))
			if err != nil {
				return err
			}
			if output != "" {
				return os.WriteFile(output, raw, 0o644)
			}
			_, err = cmd.OutOrStdout().Write(raw)
			return err
		},
	}
	flags.add(cmd)
	flags.addDocumentation(cmd)
	addPath(cmd, outputFile, &output, "file to write to (default: the standard output)", "yaml")
	if err := cmd.MarkFlagRequired("documentation"); err != nil {
		panic(err)
	}
	return cmd
}

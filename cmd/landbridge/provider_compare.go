package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/evolution"
	"github.com/landbridge-io/landbridge/schema"
)

func newProviderCompareCommand() *cobra.Command {
	var flags providerFlags
	var oldConfig string
	output := outputText
	cmd := &cobra.Command{
		Use:   "compare OLD NEW",
		Short: "Show what another version of a provider changes for users",
		Long: `Show what another version of a provider changes in its kinds: fields that are added, removed,
required, sensitive or of another type. For each change it shows whether manifests and programs made
for the old version still work, whether the kind needs a new API version and how objects are
converted, and whether objects need manual changes. Kinds keep the names that they have in OLD, and
kinds that NEW adds give way. Kinds of a cluster may have names of their own (status.names of the
TerraformProvider): write them into the file for --config, under names.

OLD and NEW are binaries, directories that hold one, JSON files with a schema, or versions in a
registry or a mirror: hashicorp/random@3.6.0. The providers are started to read their schemas. They
are not configured: no credentials are needed.

The exit code is 0 if manifests and programs made for the old version still work, 1 if a change needs
a new API version or manual changes, and 2 on errors.`,
		Example: `  landbridge provider compare ./terraform-provider-random_v3.6.0 ./terraform-provider-random_v3.9.0
  landbridge provider compare hashicorp/random@3.6.0 hashicorp/random@3.9.0 -o json`,
		Args: cobra.ExactArgs(2),
		RunE: compared(func(cmd *cobra.Command, args []string) (differs bool, _ error) {
			if err := checkFormat(output, compareOutputs); err != nil {
				return false, err
			}
			newVersion, err := flags.loadVersion(cmd.Context(), args[1], nil)
			if err != nil {
				return false, err
			}
			oldVersion, err := flags.loadVersion(cmd.Context(), args[0], nil)
			if err != nil {
				return false, err
			}
			c, err := flags.readConfig(flags.config)
			if err != nil {
				return false, err
			}
			was := known(c, oldVersion.schema)
			if oldConfig != "" {
				if was, err = flags.readConfig(oldConfig); err != nil {
					return false, err
				}
			}
			old, new, err := flags.presentVersions(oldVersion, newVersion, was, c)
			if err != nil {
				return false, err
			}
			report, err := evolution.Compare(old.model, new.model)
			if err != nil {
				return false, err
			}
			return report.Verdict() != evolution.InPlace, printReport(cmd, report, output)
		}),
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&oldConfig, "old-config", "", "the file for --config that goes with OLD (default: that of "+
		"--config, but for resource types that OLD does not have)")
	cmd.Flags().StringVarP(&output, "output", "o", output, "output format: "+strings.Join(compareOutputs, ", "))
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(compareOutputs, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

const outputText = "text"

var compareOutputs = []string{outputText, "json", "yaml"}

// known returns a configuration without the resource types that a schema does not have.
func known(c *config.File, s *schema.Provider) *config.File {
	out := *c
	out.Resources = map[string]config.Resource{}
	for t, r := range c.Resources {
		if s.Resources[t] != nil {
			out.Resources[t] = r
		}
	}
	return &out
}

func printReport(cmd *cobra.Command, r evolution.Report, output string) error {
	switch output {
	case "json", "yaml":
		return writeDocument(cmd.OutOrStdout(), output, r)
	default:
		return r.Text(cmd.OutOrStdout())
	}
}

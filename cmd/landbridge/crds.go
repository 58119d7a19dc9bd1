package main

import (
	"fmt"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/landbridge-io/landbridge/internal/crd"
)

func newCRDsCommand() *cobra.Command {
	var flags providerFlags
	providerConfig := true
	cmd := &cobra.Command{
		Use:   "crds PROVIDER [PATTERN...]",
		Short: "Print the CustomResourceDefinitions of a provider",
		Long: `Print the CustomResourceDefinitions of a provider's resource types and of its configuration, as YAML. Data
sources, ephemeral resources and actions are printed for patterns that begin with data., ephemeral. and action.

The provider is started to read its schema. It is not configured: no credentials are needed, and
no network access, except to download it. The controller installs the same CRDs by itself. Use this command to view them,
to validate manifests, or to install the CRDs by other means.

PROVIDER is the path of its program, a directory that holds it, or its address, such as
hashicorp/random or hashicorp/random@'~> 3.7', which is found in a mirror or downloaded. PATTERN
limits the resource types; * stands for any characters, data.* for all data sources,
ephemeral.* for all ephemeral resources, and action.* for all actions.`,
		Example: `  landbridge crds hashicorp/random random_password
  landbridge crds ./terraform-provider-random_v3.9.0 random_password
  landbridge crds ./terraform-provider-hcloud_v1.68.0 'hcloud_*' > crds.yaml
  landbridge crds ./terraform-provider-hcloud_v1.68.0 data.hcloud_image`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := flags.open(cmd.Context(), args[0], nil)
			if err != nil {
				return err
			}
			resources, err := p.match(args[1:])
			if err != nil {
				return err
			}
			p.warn(cmd, resources)
			var all []*apiextensionsv1.CustomResourceDefinition
			if providerConfig {
				all = crd.ProviderConfig(p.model)
			}
			for _, r := range resources {
				d, leftOut, err := crd.Fit(r)
				if err != nil {
					return err
				}
				size, err := crd.Measure(r, d, leftOut)
				if err != nil {
					return err
				}
				if size != nil {
					cmd.PrintErrf("Note: %s: %s\n", r.Address(), size)
				}
				all = append(all, d)
			}
			for _, d := range all {
				document, err := crd.YAML(d)
				if err != nil {
					return err
				}
				if _, err := fmt.Fprintf(cmd.OutOrStdout(), "---\n%s", document); err != nil {
					return err
				}
			}
			return nil
		},
	}
	flags.add(cmd)
	cmd.Flags().BoolVar(&providerConfig, "provider-config", providerConfig, "print the kinds of the provider's configuration as well")
	return cmd
}

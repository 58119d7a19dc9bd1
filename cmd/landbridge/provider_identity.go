package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/internal/command/state"
	"github.com/landbridge-io/landbridge/internal/command/suggest"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/instance/tfstate"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

func newProviderIdentityCommand() *cobra.Command {
	var provider providerFlags
	var cluster stateFlags
	var file string
	cmd := &cobra.Command{
		Use:   "identity PROVIDER|SCHEMA",
		Short: "Suggest how identities are made of arguments",
		Long: `Suggest, from the objects that exist, which arguments and constants the identities of a provider's
resource types are made of, where they are not arguments of the same names. This is printed as a
configuration: for the spec of a TerraformProvider, or for --config of other commands. With it, the
identity of an object is known before its create (docs/identity.md).

The objects are those that are stored in the cluster, or with --state those of a Terraform state. The
mappings are consistent with all of them; notes tell what is uncertain.

The provider is started to read its schema, unless SCHEMA is a JSON file with the schema. It is not
configured: no credentials are needed, and no network access, except to download it.`,
		Example: `  landbridge provider identity ./terraform-provider-kubernetes_v3.0.1 > identity.yaml
  landbridge provider identity ./terraform-provider-kubernetes_v3.0.1 --state terraform.tfstate`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := provider.open(cmd.Context(), args[0], nil)
			if err != nil {
				return err
			}
			var objects map[string][]instance.Instance
			if file != "" {
				objects, err = stateObjects(p, file)
			} else {
				objects, err = cluster.objects(cmd, p)
			}
			if err != nil {
				return err
			}
			suggested := suggest.Identities(p.model, objects)
			for _, n := range suggested.Notes {
				cmd.PrintErrln("Note:", n)
			}
			if len(suggested.Configuration.Resources) == 0 {
				cmd.PrintErrln("No mapping is needed or possible for the resource types of the objects that were found.")
				return nil
			}
			raw, err := yaml.Marshal(suggested.Configuration)
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(raw)
			return err
		},
	}
	provider.add(cmd)
	cluster.add(cmd)
	cmd.Flags().StringVar(&file, "state", "", "Terraform state file of format 4 to read objects from, instead of the cluster")
	return cmd
}

// stateObjects returns the objects in a state file, by their resource types.
func stateObjects(p *openedProvider, file string) (map[string][]instance.Instance, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	s, err := tfstate.Read(raw, tfstate.Of(p.schema))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	out := map[string][]instance.Instance{}
	for r, in := range s.All() {
		out[r.Type] = append(out[r.Type], in.Instance)
	}
	return out, nil
}

// objects returns the objects that are stored in the cluster, of the provider's resource types.
func (f *stateFlags) objects(cmd *cobra.Command, p *openedProvider) (map[string][]instance.Instance, error) {
	f.everywhere = f.namespace == ""
	c, kinds, namespace, err := f.openState(cmd)
	if err != nil {
		return nil, err
	}
	return storedObjects(cmd.Context(), c, kinds, state.Selection{Namespace: namespace}, p)
}

func storedObjects(
	ctx context.Context, c *state.Cluster, kinds state.Kinds, s state.Selection, p *openedProvider,
) (map[string][]instance.Instance, error) {
	keys, err := c.Keys(ctx, s)
	if err != nil {
		return nil, err
	}
	out := map[string][]instance.Instance{}
	for _, k := range keys {
		kind, ok := kinds.Of(k)
		if !ok || kind.Module || p.schema.Resources[kind.Type] == nil {
			continue
		}
		rec, err := c.Stored.Load(ctx, k, p.schema.Resources[kind.Type])
		switch {
		case errors.Is(err, store.ErrNotFound): // it was removed meanwhile
		case err != nil:
			return nil, fmt.Errorf("%s: %w", state.Title(k), err)
		default:
			out[kind.Type] = append(out[kind.Type], rec.Instance)
		}
	}
	return out, nil
}

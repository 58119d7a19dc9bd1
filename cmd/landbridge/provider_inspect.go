package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/schema"
)

// inspection is the output of provider inspect; its JSON is for programs.
type inspection struct {
	Name         string              `json:"name"`
	Binary       string              `json:"binary"`
	Group        string              `json:"group"`
	Protocol     int                 `json:"protocol"`
	Capabilities schema.Capabilities `json:"capabilities"`
	Resources    []inspectedResource `json:"resources"`
	// UnmarkedSecrets are arguments of the provider's configuration that have the name of a secret,
	// though the provider does not mark them as sensitive.
	UnmarkedSecrets []string `json:"unmarkedSecrets,omitempty"`
	// Other objects of the provider, by name.
	DataSources        []string `json:"dataSources,omitempty"`
	EphemeralResources []string `json:"ephemeralResources,omitempty"`
	Actions            []string `json:"actions,omitempty"`
	Functions          []string `json:"functions,omitempty"`
	// Signatures are those of Functions, such as rfc3339_parse(timestamp string) object.
	Signatures []string `json:"signatures,omitempty"`
	// EphemeralResourceSchemas and ActionSchemas are the schemas of EphemeralResources and Actions.
	EphemeralResourceSchemas map[string]*schema.Block `json:"ephemeralResourceSchemas,omitempty"`
	ActionSchemas            map[string]*schema.Block `json:"actionSchemas,omitempty"`
	// Cost is what serving the resources costs an API server; with --cost.
	Cost *crd.Cost `json:"cost,omitempty"`
}

type inspectedResource struct {
	Type          string             `json:"type"`
	APIVersion    string             `json:"apiVersion"`
	Kind          string             `json:"kind"`
	Plural        string             `json:"plural"`
	SchemaVersion int64              `json:"schemaVersion"`
	Identity      *inspectedIdentity `json:"identity,omitempty"`
	// Listable is set when the provider can list the remote objects.
	Listable   bool `json:"listable,omitempty"`
	Deprecated bool `json:"deprecated,omitempty"`
	// TakenBy is the API group of Kubernetes that has a resource with the same plural, which
	// kubectl means by it.
	TakenBy string `json:"takenBy,omitempty"`
}

type inspectedIdentity struct {
	Version    int64               `json:"version"`
	Attributes []inspectedArgument `json:"attributes"`
}

type inspectedArgument struct {
	Name              string `json:"name"`
	Type              string `json:"type"`
	RequiredForImport bool   `json:"requiredForImport,omitempty"`
	Description       string `json:"description,omitempty"`
}

func newProviderInspectCommand() *cobra.Command {
	var flags providerFlags
	output, cost := "table", false
	cmd := &cobra.Command{
		Use:   "inspect PROVIDER [PATTERN...]",
		Short: "Show the resource types, kinds and identities of a provider",
		Long: `Show a provider's resource types, their kinds in Kubernetes, the versions of their schemas, and
their identities, by which existing objects are imported. Its ephemeral resources, actions and functions
are shown with their arguments and results, and with -o json or yaml with their schemas.

The provider is started to read its schema. It is not configured: no credentials are needed, and
no network access, except to download it.

PROVIDER is the path of its program, a directory that holds it, or its address, such as
hashicorp/random or hashicorp/random@'~> 3.7', which is found in a mirror or downloaded. PATTERN
limits the resource types; * stands for any characters, data.* for all data sources,
ephemeral.* for all ephemeral resources, and action.* for all actions.

--cost adds what serving the kinds costs an API server: the number of CRDs and their size, and estimates
of its memory and of its OpenAPI, from figures that were measured (docs/performance.md).`,
		Example: `  landbridge provider inspect hashicorp/random
  landbridge provider inspect ./terraform-provider-random_v3.9.0
  landbridge provider inspect ./terraform-provider-azurerm_v4.81.0 'azurerm_storage_*' --cost
  landbridge provider inspect ./terraform-provider-hcloud_v1.68.0 'hcloud_zone*' -o yaml`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(output, outputs); err != nil {
				return err
			}
			p, err := flags.open(cmd.Context(), args[0], nil)
			if err != nil {
				return err
			}
			resources, err := p.match(args[1:])
			if err != nil {
				return err
			}
			p.warn(cmd, resources)
			out := inspect(p, resources)
			if cost {
				if out.Cost, err = costOf(p.model, resources); err != nil {
					return err
				}
			}
			return out.write(cmd.OutOrStdout(), output)
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVarP(&output, "output", "o", output, "output format: "+strings.Join(outputs, ", "))
	cmd.Flags().BoolVar(&cost, "cost", false, "add what serving the kinds costs an API server")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(outputs, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// costOf returns the cost of serving resource types, and the kinds of the provider's configuration.
func costOf(p *model.Provider, resources []*model.Resource) (*crd.Cost, error) {
	all := crd.ProviderConfig(p)
	for _, r := range resources {
		d, err := crd.Resource(r)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	out, err := crd.EstimateCost(all)
	return &out, err
}

var outputs = []string{"table", "json", "yaml"}

func inspect(p *openedProvider, resources []*model.Resource) inspection {
	out := inspection{
		Name: p.model.Name, Binary: p.path, Group: p.model.Group,
		Protocol: p.schema.Protocol, Capabilities: p.schema.Capabilities,
		Resources:          make([]inspectedResource, 0, len(resources)),
		DataSources:        slices.Sorted(maps.Keys(p.schema.DataSources)),
		EphemeralResources: slices.Sorted(maps.Keys(p.schema.EphemeralResources)),
		Actions:            slices.Sorted(maps.Keys(p.schema.Actions)),
		Functions:          p.schema.Functions,

		EphemeralResourceSchemas: p.schema.EphemeralResources, ActionSchemas: p.schema.Actions,
		UnmarkedSecrets: model.UnmarkedCredentials(p.model.Config),
	}
	for _, name := range slices.Sorted(maps.Keys(p.schema.Signatures)) {
		out.Signatures = append(out.Signatures, name+p.schema.Signatures[name].String())
	}
	for _, r := range resources {
		x := inspectedResource{
			Type: r.Address(), APIVersion: r.GroupVersionKind().GroupVersion().String(), Kind: r.Kind, Plural: r.Plural,
			SchemaVersion: r.Schema.Version, Deprecated: r.Schema.Block.Deprecated,
			Listable: r.Mode == model.Managed && p.schema.ListResources[r.Type] != nil,
		}
		x.TakenBy, _ = model.KubernetesGroup(r.Plural)
		if id := r.Schema.Identity; id != nil {
			x.Identity = &inspectedIdentity{Version: id.Version}
			for _, name := range slices.Sorted(maps.Keys(id.Attributes)) {
				a := id.Attributes[name]
				x.Identity.Attributes = append(x.Identity.Attributes, inspectedArgument{
					Name: name, Type: a.Type.FriendlyName(), RequiredForImport: a.RequiredForImport, Description: a.Description,
				})
			}
		}
		out.Resources = append(out.Resources, x)
	}
	return out
}

func (i inspection) write(w io.Writer, output string) error {
	switch output {
	case "json", "yaml":
		return writeDocument(w, output, i)
	default:
		return i.table(w)
	}
}

func (i inspection) table(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "Provider:\t%s\n", i.Name)
	fmt.Fprintf(t, "Protocol:\t%d\n", i.Protocol)
	fmt.Fprintf(t, "API group:\t%s\n", i.Group)
	fmt.Fprintf(t, "Capabilities:\t%s\n", capabilities(i.Capabilities))
	for _, more := range []struct {
		what  string
		names []string
	}{{"Data sources", i.DataSources}, {"Ephemeral resources", i.EphemeralResources}, {"Actions", i.Actions}, {"Functions", i.Functions}} {
		if len(more.names) > 0 {
			fmt.Fprintf(t, "%s:\t%d\n", more.what, len(more.names))
		}
	}
	fmt.Fprintf(t, "Resources:\t%d\n", len(i.Resources))
	if c := i.Cost; c != nil {
		fmt.Fprintf(t, "CRDs:\t%d, %s\n", c.CRDs, bytesOf(c.Bytes))
		fmt.Fprintf(t, "API server:\tabout %s of memory, and %s of OpenAPI\n", bytesOf(c.Memory), bytesOf(c.OpenAPI))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if len(i.Signatures) > 0 {
		fmt.Fprintln(w)
		fmt.Fprintln(w, "FUNCTION")
		for _, s := range i.Signatures {
			fmt.Fprintln(w, s)
		}
	}
	if err := writeBlocks(w, "EPHEMERAL RESOURCE", i.EphemeralResourceSchemas, true); err != nil {
		return err
	}
	if err := writeBlocks(w, "ACTION", i.ActionSchemas, false); err != nil {
		return err
	}
	if len(i.Resources) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	fmt.Fprintln(t, "TYPE\tKIND\tVERSION\tLIST\tIDENTITY")
	for _, r := range i.Resources {
		kind := r.Kind
		if r.Deprecated {
			kind += " (deprecated)"
		}
		list := "no"
		if r.Listable {
			list = "yes"
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\n", r.Type, kind, r.SchemaVersion, list, r.Identity)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if len(i.UnmarkedSecrets) > 0 {
		fmt.Fprintf(w, "\nThe provider does not mark these arguments of its configuration as sensitive: %s. To set "+
			"them from Secrets, set providerConfig.fields.%s.sensitive: true.\n",
			strings.Join(i.UnmarkedSecrets, ", "), i.UnmarkedSecrets[0])
	}
	for _, r := range i.Resources {
		if r.TakenBy != "" {
			fmt.Fprintf(w, "\nTo kubectl, %s means that of %s: write %s.%s, or set resources.%s.kind, such as %s.\n",
				r.Plural, r.TakenBy, r.Plural, strings.Split(r.APIVersion, "/")[0], r.Type, model.OwnKind(i.Name, r.Kind))
		}
	}
	return nil
}

// bytesOf returns a number of bytes for people.
func bytesOf(n int) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d KiB", (n+1<<10-1)>>10)
	}
	return fmt.Sprintf("%d MiB", (n+1<<20-1)>>20)
}

// String returns the attributes of the identity; optional ones are in brackets.
func (i *inspectedIdentity) String() string {
	if i == nil {
		return "-"
	}
	names := make([]string, 0, len(i.Attributes))
	for _, required := range []bool{true, false} {
		for _, a := range i.Attributes {
			if a.RequiredForImport != required {
				continue
			}
			if required {
				names = append(names, a.Name)
			} else {
				names = append(names, "["+a.Name+"]")
			}
		}
	}
	return strings.Join(names, ", ")
}

func capabilities(c schema.Capabilities) string {
	var out []string
	for name, has := range map[string]bool{
		"plan destroy": c.PlanDestroy, "schema asked for once": c.GetProviderSchemaOptional,
		"move resource state": c.MoveResourceState, "generate configuration": c.GenerateResourceConfig,
	} {
		if has {
			out = append(out, name)
		}
	}
	if len(out) == 0 {
		return "none"
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

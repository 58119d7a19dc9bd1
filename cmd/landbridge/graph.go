package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

var graphOutputs = []string{"mermaid", "dot", "svg", "json"}

func newGraphCommand() *cobra.Command {
	var flags clusterFlags
	var output string
	var down bool
	cmd := &cobra.Command{
		Use:   "graph KIND/NAME",
		Short: "Draw what an object depends on, and what depends on it",
		Long: `Draw what a managed resource, a data source, an ephemeral resource, an action, the instance of a module, a provider
configuration, a TerraformProvider or a TerraformModule depends on (references, Secrets, provider configurations, modules, providers), and what depends on
it, with the state of each: as a Mermaid flowchart, which GitHub shows, for Graphviz, or as an SVG, which prints.

KIND is a kind, its plural or a short name, with its group if several kinds have the name. KIND NAME is
accepted too. Only what you may read is drawn. Of Secrets only their existence is looked at. It changes nothing.`,
		Example: `  landbridge graph password/db -n team-a

  # A picture
  landbridge graph password/db -n team-a -o svg > db.svg

  # Only what it depends on
  landbridge graph password/db -n team-a --dependents=false -o dot | dot -Tpdf > db.pdf`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(output, graphOutputs); err != nil {
				return err
			}
			v, err := flags.explained(args, "")
			if err != nil {
				return err
			}
			s, err := v.read(cmd.Context())
			if err != nil {
				return err
			}
			if down {
				kinds, err := v.c.AllKinds()
				if err != nil {
					return err
				}
				leftOut, err := v.reader.ReadReferrers(cmd.Context(), s, kinds)
				if err != nil {
					return err
				}
				if leftOut > 0 {
					fmt.Fprintf(cmd.ErrOrStderr(), "%d objects that depend on it are not drawn, since there are too many.\n", leftOut)
				}
			}
			g := s.Graph()
			out := cmd.OutOrStdout()
			switch output {
			case "json":
				return writeJSON(out, g)
			case "dot":
				_, err = io.WriteString(out, g.DOT())
			case "svg":
				_, err = io.WriteString(out, g.SVG())
			default:
				_, err = io.WriteString(out, g.Mermaid())
			}
			return err
		},
		ValidArgsFunction: flags.completeAny,
	}
	flags.add(cmd)
	cmd.Flags().BoolVar(&down, "dependents", true, "draw what depends on the object, too; all kinds are listed for that")
	cmd.Flags().StringVarP(&output, "output", "o", graphOutputs[0], "output format: "+strings.Join(graphOutputs, ", "))
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(graphOutputs, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

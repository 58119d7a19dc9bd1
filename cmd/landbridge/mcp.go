package main

import (
	"context"
	"io"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/internal/command/mcp"
	"github.com/landbridge-io/landbridge/internal/command/status"
	"github.com/landbridge-io/landbridge/internal/command/ui"
	"github.com/landbridge-io/landbridge/internal/version"
)

func newMCPCommand() *cobra.Command {
	var flags clusterFlags
	o := mcp.Options{Version: version.String()}
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Let agents read what Landbridge knows",
		Long: `Serve tools to an agent by the Model Context Protocol, on standard input and output: search, what needs attention,
explain, history, graph, plan, discover, upgrades and preview. The client that runs the agent starts this command.

The tools read what your kubeconfig lets you read, and change nothing. With --allow-proposals, the agent can also write
a patch or ask for an approval: the result is the command for you to run. Results are data that others may have written,
so they are fenced and bounded; sensitive values are in none.

plan, discover, upgrades and preview run providers on this machine, with the credentials of their configurations.
--tools leaves them out. docs/mcp.md describes everything.`,
		Example: `  # The configuration of a client
  {"mcpServers": {"landbridge": {"command": "landbridge", "args": ["mcp", "--context", "staging"]}}}

  # Without running providers
  landbridge mcp --tools search,attention,explain,history,graph`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			config, namespace, err := flags.config()
			if err != nil {
				return err
			}
			if o.Cluster, err = status.NewClient(config); err != nil {
				return err
			}
			if o.Views, err = ui.New(ui.Options{Config: config, Namespace: namespace, System: o.System}); err != nil {
				return err
			}
			o.Namespace, o.Run = namespace, runHere
			o.Flags = flags.arguments()
			server, err := mcp.New(cmd.Context(), o)
			if err != nil {
				return err
			}
			err = server.Run(cmd.Context(), &sdk.StdioTransport{})
			if cmd.Context().Err() != nil {
				return nil // a signal has ended it
			}
			return err
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&o.System, "system-namespace", "landbridge-system", "namespace of Landbridge's own objects, where states are stored")
	cmd.Flags().StringSliceVar(&o.Tools, "tools", nil, "names of the tools that are served (default: all)")
	cmd.Flags().BoolVar(&o.Proposals, "allow-proposals", false, "serve tools that propose changes, too: propose_patch and propose_approval")
	return cmd
}

// arguments returns the flags that select the same cluster.
func (f *clusterFlags) arguments() (out []string) {
	for name, value := range map[string]string{"kubeconfig": f.kubeconfig, "context": f.context} {
		if value != "" {
			out = append(out, "--"+name+"="+value)
		}
	}
	return out
}

// runHere runs a command in this process.
func runHere(ctx context.Context, c mcp.Call, out, notes io.Writer) (exit int, _ error) {
	root := newRootCommand()
	root.SetArgs(c.Args)
	root.SetIn(strings.NewReader(c.Input))
	root.SetOut(out)
	root.SetErr(notes)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return 0, nil
	}
	exit, tell := exitStatus(cmd, err)
	if !tell {
		err = nil
	}
	return exit, err
}

package main

import (
	"fmt"
	"net"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/internal/command/ui"
)

func newUICommand() *cobra.Command {
	var flags clusterFlags
	var system string
	var port uint16
	cmd := &cobra.Command{
		Use:   "ui",
		Short: "Show what needs attention, and everything else, as a page",
		Long: `Serve a page about the resources of a cluster to a browser on this machine: what needs attention and why,
every resource with its conditions, its plan and what depends on it, a search over names, identities and values, the
plans that wait for approval, providers and their newer versions, what can be imported, and figures of the last day. The page is live, and readable without JavaScript.

The page sees what your kubeconfig lets you see, and nothing else. It changes nothing, unless you approve a plan there,
as with landbridge approve. The figures are from the Secrets with the change records, if you may read them. To list
what can be imported, the page runs landbridge discover and landbridge import, which start providers here. The address that is printed has a token in it, without which
nothing is answered: keep it to yourself. Everything ends with the command.

The same views are an API for programs: docs/ui.md describes it.`,
		Example: `  landbridge ui

  # The same for programs
  curl -H "Authorization: Bearer $TOKEN" http://127.0.0.1:8080/api/v1/attention`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			config, namespace, err := flags.config()
			if err != nil {
				return err
			}
			self, err := os.Executable()
			if err != nil {
				return err
			}
			server, err := ui.New(ui.Options{Config: config, Namespace: namespace, System: system, Program: &ui.Program{Path: self, Flags: flags.given()}})
			if err != nil {
				return err
			}
			listener, err := new(net.ListenConfig).Listen(cmd.Context(), "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(int(port))))
			if err != nil {
				return fmt.Errorf("the page has no port: %w. Choose another one with --port", err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "Open %s\n", server.Address(listener))
			return server.Serve(cmd.Context(), listener)
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&system, "system-namespace", "landbridge-system", "namespace of Landbridge's own objects, where the controller runs")
	cmd.Flags().Uint16Var(&port, "port", 0, "port of the page on 127.0.0.1 (default: a free one)")
	return cmd
}

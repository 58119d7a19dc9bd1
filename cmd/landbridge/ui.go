package main

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/internal/command/ui"
)

func newUICommand() *cobra.Command {
	var flags clusterFlags
	var system string
	var port uint16
	var people peopleFlags
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

With --address, the page is for many people. Each signs in with a token of the cluster, or a proxy passes it on in the
header Authorization. The command's own permissions are not used then.

The same views are an API for programs: docs/ui.md describes it.`,
		Example: `  landbridge ui

  # For a team, in the cluster: the chart's value ui.enabled does this
  landbridge ui --address :8443 --url https://landbridge.example.com --certificates /etc/tls

  # The same for programs
  curl -H "Authorization: Bearer $TOKEN" http://127.0.0.1:8080/api/v1/attention`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			config, namespace, err := flags.config()
			if err != nil {
				return err
			}
			if people.address != "" {
				return people.serve(cmd, ui.Options{Config: config, System: system})
			}
			self, err := os.Executable()
			if err != nil {
				return err
			}
			server, err := ui.New(ui.Options{
				Config: config, Namespace: namespace, System: system, Program: &ui.Program{
					Path: self, Flags: flags.given(),
				},
			})
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
	people.add(cmd)
	return cmd
}

// peopleFlags are those of a page for many people.
type peopleFlags struct {
	address, certificates string
	urls, namespaces      []string
}

func (f *peopleFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.address, "address", "", "serve the page to many people at this address, such as :8443, each "+
		"with the permissions of their own token (default: to this machine alone)")
	flags.StringSliceVar(&f.urls, "url", nil, "with --address, where people open the page, such as "+
		"https://landbridge.example.com; requests for others are refused")
	flags.StringVar(&f.certificates, "certificates", "", "with --address, directory with tls.crt and tls.key (default: without TLS)")
	flags.StringSliceVar(&f.namespaces, "namespaces", nil,
		"with --address, namespaces that are looked at for people who may not list namespaces")
	for _, name := range []string{"port", "namespace"} {
		cmd.MarkFlagsMutuallyExclusive("address", name)
	}
}

// serve serves the page to many people.
func (f *peopleFlags) serve(cmd *cobra.Command, o ui.Options) error {
	o.Namespaces = f.namespaces
	people, err := ui.NewPeople(o, f.urls)
	if err != nil {
		return fmt.Errorf("--url: %w", err)
	}
	listener, err := new(net.ListenConfig).Listen(cmd.Context(), "tcp", f.address)
	if err != nil {
		return fmt.Errorf("--address: %w", err)
	}
	var certificates *ui.Certificates
	if f.certificates != "" {
		certificates = &ui.Certificates{Directory: f.certificates}
	}
	fmt.Fprintf(cmd.OutOrStdout(), "The page is at %s\n", strings.Join(f.urls, ", "))
	return people.Serve(cmd.Context(), listener, certificates)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/internal/command/doctor"
	"github.com/landbridge-io/landbridge/internal/kubeconfig"
	"github.com/landbridge-io/landbridge/internal/version"
)

// versions is the output of version; its JSON is for programs.
type versions struct {
	Client clientVersion `json:"client"`
	// Server is the controller. Nil if there is no cluster.
	Server *serverVersion `json:"server,omitempty"`
}

type clientVersion struct {
	Version   string `json:"version"`
	GoVersion string `json:"goVersion"`
	Platform  string `json:"platform"`
}

type serverVersion struct {
	// Version is that of the controller that leads. Empty if it is not known.
	Version    string `json:"version,omitempty"`
	Kubernetes string `json:"kubernetes"`
}

var versionOutputs = []string{outputText, "json", "yaml"}

func newVersionCommand() *cobra.Command {
	var flags doctorFlags
	output, client := versionOutputs[0], false
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Show the versions of this program, the controller and the cluster",
		Long: `Show the versions of this program, of the controller in the cluster, and of Kubernetes.

The controller's version is a label of its Lease. It is not known if the controller runs without leader election,
or if you may not list Leases in its namespace. Without a kubeconfig file, only this program's version is shown.`,
		Example: `  landbridge version
  landbridge version --client -o json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkFormat(output, versionOutputs); err != nil {
				return err
			}
			out := versions{Client: clientVersion{version.String(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}}
			var err error
			if !client {
				out.Server, err = flags.version(cmd.Context())
			}
			if writeErr := out.write(cmd.OutOrStdout(), output); writeErr != nil {
				return writeErr
			}
			return err
		},
	}
	flags.addCluster(cmd)
	cmd.Flags().BoolVar(&client, "client", false, "only show the version of this program")
	cmd.Flags().StringVarP(&output, "output", "o", output, "output format: "+strings.Join(versionOutputs, ", "))
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(versionOutputs, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// version returns the versions of the cluster; nil if there is none.
func (f *doctorFlags) version(ctx context.Context) (*serverVersion, error) {
	c, err := f.connect()
	if errors.Is(err, kubeconfig.ErrNone) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	kubernetes, _, err := c.Kubernetes(ctx)
	if err != nil {
		return nil, err
	}
	out := &serverVersion{Kubernetes: kubernetes}
	leases, err := c.Leases(ctx)
	if err == nil {
		out.Version = doctor.Version(leases)
	}
	return out, nil
}

func (v versions) write(w io.Writer, output string) error {
	if output == "json" || output == "yaml" {
		return writeDocument(w, output, v)
	}
	lines := []string{"Client: " + v.Client.Version}
	switch {
	case v.Server == nil:
	case v.Server.Version == "":
		lines = append(lines, "Server: not known", "Kubernetes: "+v.Server.Kubernetes)
	default:
		lines = append(lines, "Server: "+v.Server.Version, "Kubernetes: "+v.Server.Kubernetes)
	}
	_, err := fmt.Fprintln(w, strings.Join(lines, "\n"))
	return err
}

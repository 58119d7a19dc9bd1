package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/child"
	"github.com/landbridge-io/landbridge/internal/command/cluster"
	"github.com/landbridge-io/landbridge/internal/command/doctor"
	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/provider/registry"
	"github.com/landbridge-io/landbridge/internal/provider/sources"
)

// doctorFlags are the flags of commands about the installation as a whole.
type doctorFlags struct {
	clusterFlags
	system  string
	from    sources.Flags
	timeout time.Duration
}

func (f *doctorFlags) addCluster(cmd *cobra.Command) {
	f.clusterFlags.add(cmd)
	cmd.Flags().StringVar(&f.system, "system-namespace", "landbridge-system",
		"namespace of Landbridge's own objects, where the controller runs")
}

func newDoctorCommand() *cobra.Command {
	var flags doctorFlags
	output := versionOutputs[0]
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Find out why Landbridge does not work here",
		Long: `Check the cluster, its controller and your permissions, the clock of this machine, the TerraformProviders and
their webhooks, where this machine finds providers, and sandboxes. Each line is OK, or a problem with
what to do. Nothing is changed.

The exit status is 1 if there is a problem.`,
		Example: `  landbridge doctor
  landbridge doctor -o json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkFormat(output, versionOutputs); err != nil {
				return err
			}
			done := showProgress(cmd, "Checking")
			findings := doctor.Diagnose(flags.facts(cmd.Context()))
			done()
			if err := writeFindings(cmd.OutOrStdout(), findings, output); err != nil {
				return err
			}
			if doctor.Failed(findings) {
				return exit{1}
			}
			return nil
		},
	}
	flags.addCluster(cmd)
	flags.from.ConfigFile = true
	flags.from.Add(cmd.Flags())
	cmd.Flags().DurationVar(&flags.timeout, "timeout", 15*time.Second, "how long to wait for the API server, and for each source of providers")
	cmd.Flags().StringVarP(&output, "output", "o", output, "output format: "+strings.Join(versionOutputs, ", "))
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(versionOutputs, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// connect returns the cluster.
func (f *doctorFlags) connect() (*doctor.Cluster, error) {
	config, _, err := f.config()
	if err != nil {
		return nil, err
	}
	return doctor.Connect(config, f.system)
}

// facts reads what is to be checked.
func (f *doctorFlags) facts(ctx context.Context) doctor.Facts {
	out := doctor.Facts{System: f.system, Sandbox: child.SandboxSupported(), Limitation: child.SandboxLimitation()}
	c, err := f.connect()
	if err == nil {
		ctx, cancel := context.WithTimeout(ctx, f.timeout)
		c.Read(ctx, &out)
		cancel()
	}
	if err != nil {
		out.Connection = err
	}
	out.Now = time.Now()
	var registries *registry.Client
	if registries, out.SourcesError = f.from.Client(); out.SourcesError == nil {
		out.Described, out.SourcesError = f.describeSources(registries)
	}
	if out.SourcesError == nil {
		out.Sources = f.search(ctx, registries, out.Providers)
	}
	return out
}

// describeSources returns what is searched for providers. The error is that of a mirror.
func (f *doctorFlags) describeSources(c *registry.Client) (string, error) {
	var out []string
	for _, dir := range f.from.Offline().Mirrors {
		if _, err := os.ReadDir(dir); err != nil {
			return "", fmt.Errorf("--provider-mirror: %w", err)
		}
		out = append(out, "the mirror "+dir)
	}
	switch {
	case c == nil && len(out) == 0:
		return "", errors.New("there is no source of providers: give --provider-mirror or --provider-registry")
	case c == nil:
	case c.Installation != "":
		out = append(out, "those of "+c.Installation)
	default:
		out = append(out, "the registry "+c.Registry)
	}
	return strings.Join(out, ", "), nil
}

// search asks the sources for the providers of a cluster, by their addresses: those that flags
// name, else those that the controller has recorded.
func (f *doctorFlags) search(ctx context.Context, registries *registry.Client, providers []v1alpha1.TerraformProvider) map[string]error {
	var addresses []string
	recorded := map[string][]registry.Location{}
	for i, p := range providers {
		if !slices.Contains(addresses, p.Spec.Source) {
			addresses = append(addresses, p.Spec.Source)
		}
		if !f.from.Given() {
			usable, _ := cluster.Locations(&providers[i])
			recorded[p.Spec.Source] = append(recorded[p.Spec.Source], usable...)
		}
	}
	errs := make([]error, len(addresses))
	var group errgroup.Group
	group.SetLimit(openedAtOnce)
	for i, source := range addresses {
		group.Go(func() error {
			ctx, cancel := context.WithTimeout(ctx, f.timeout)
			defer cancel()
			c := registries
			if locations := recorded[source]; len(locations) > 0 {
				c = f.from.Registries.At(locations)
			}
			errs[i] = f.searchOne(ctx, c, source)
			return nil
		})
	}
	_ = group.Wait()
	out := map[string]error{}
	for i, source := range addresses {
		out[source] = errs[i]
	}
	return out
}

// searchOne returns an error if no source has any version of a provider. It downloads nothing.
func (f *doctorFlags) searchOne(ctx context.Context, c *registry.Client, source string) error {
	address, problem := install.ParseAddress(source)
	if problem != nil {
		_, err := f.from.Offline().Install(ctx, source, "") // a path
		return err
	}
	if i := f.from.Offline(); len(i.Mirrors) > 0 {
		if _, err := i.Install(ctx, source, ""); err == nil {
			return nil
		}
	}
	if c == nil {
		_, err := f.from.Offline().Install(ctx, source, "")
		return err
	}
	from, err := c.Sources(registry.Address{Host: address.Host, Namespace: address.Namespace, Type: address.Type, Implicit: !address.Explicit})
	if err != nil {
		return fmt.Errorf("provider %s: %w", source, err)
	}
	var described []string
	for _, s := range from {
		described = append(described, s.String())
		if s.Folder != "" {
			if _, err := (&install.Installer{
				Mirrors: []string{s.Folder}, Hosts: s.Hosts, CacheDir: f.from.Offline().CacheDir,
			}).Install(ctx, source, ""); err == nil {
				return nil
			}
			continue
		}
		switch versions, err := s.Versions(ctx); {
		case err == nil && len(versions) > 0:
			return nil
		case err != nil && registry.KindOf(err) != registry.NotFound:
			return fmt.Errorf("provider %s: %w", source, err)
		}
	}
	return fmt.Errorf("provider %s: there is no such provider in %s", source, strings.Join(described, " and "))
}

func writeFindings(w io.Writer, all []doctor.Finding, output string) error {
	if output == "json" || output == "yaml" {
		return writeDocument(w, output, all)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range all {
		fmt.Fprintf(t, "%s\t%s\t%s\n", strings.ToUpper(string(f.State)), f.Check, printable(f.Message))
		if f.Help != "" {
			fmt.Fprintf(t, "\t\t%s\n", printable(f.Help))
		}
	}
	return t.Flush()
}

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/internal/command/export"
	"github.com/landbridge-io/landbridge/internal/command/state"
	"github.com/landbridge-io/landbridge/internal/provider/install"
)

func newExportCommand() *cobra.Command {
	var flags exportFlags
	cmd := &cobra.Command{
		Use:   "export [KIND | KIND/NAME]... --output-dir DIRECTORY",
		Short: "Write resources as a Terraform configuration, with import blocks and a state",
		Long: `Write resources of a namespace or of all namespaces as a Terraform configuration: resources and
provider configurations in HCL, import blocks and, with --show-sensitive, a state of format 4 and the
values of sensitive variables. With the state, a plan of terraform or tofu changes nothing, unless it
is said at the end. Nothing is changed in the cluster.

Sensitive values are never in HCL, but in variables. Without --show-sensitive, neither their values
nor the state are written: give the values, and let the import blocks import the objects. Each object
is imported and planned to see what a plan of terraform or tofu is going to do: objects that cannot be
imported are created another time, and values that an import does not read, such as those of
random_password, are lost without the state.

Resources without an object, resources that only observe, and instances of modules are left out, and
listed at the end. Exit code: 0 when everything is exported and a plan changes nothing; 2 when
something is left out, or a plan changes something; 1 when nothing was exported.

The providers run on this machine to read their schemas: those of the cluster's TerraformProviders,
found in a mirror or downloaded. You need the permissions to read the Secrets of
the resources, of provider configurations, and those in which Landbridge stores states.`,
		Example: `  landbridge export -n team-a --output-dir team-a --show-sensitive
  cd team-a && tofu init && tofu plan`,
		RunE: func(cmd *cobra.Command, args []string) error { return flags.run(cmd, args) },
	}
	flags.add(cmd)
	flags.addEverywhere(cmd)
	f := cmd.Flags()
	addPath(cmd, outputDir, &flags.directory, "directory to write the files into, none of which may exist")
	f.BoolVar(&flags.sensitive, showSensitive, false, "also write the state and the values of sensitive variables, in plain text")
	f.StringArrayVar(&flags.sources, "source", nil, "address of the provider of a TerraformProvider, as "+
		"NAME=ADDRESS, such as random=hashicorp/random (default: spec.source)")
	f.DurationVar(&flags.remote.timeout, "timeout", time.Minute, "how long a provider may take to start and to return its schema")
	flags.remote.addSources(cmd)
	_ = cmd.MarkFlagRequired(outputDir)
	return cmd
}

type exportFlags struct {
	stateFlags
	remote    remoteFlags
	directory string
	sensitive bool
	sources   []string
}

func (f *exportFlags) run(cmd *cobra.Command, args []string) error {
	sources, err := f.addresses()
	if err != nil {
		return err
	}
	c, kinds, selection, err := f.selectStates(cmd, args)
	if err != nil {
		return err
	}
	f.remote.clusterFlags = f.clusterFlags
	if f.remote.installed, err = installedFor(cmd.Context(), c, kinds, selection); err != nil {
		return err
	}
	exported := export.Export{}
	if len(f.remote.installed) > 0 {
		r, err := f.remote.open(cmd, true)
		if err != nil {
			return err
		}
		defer r.close()
		providers, err := f.providers(cmd.Context(), r, kinds, sources)
		if err != nil {
			return err
		}
		exported, err = export.Make(cmd.Context(), export.Options{
			Client: r.client, State: c, Kinds: kinds, Providers: providers, Secrets: r.secrets, WithState: f.sensitive,
		}, selection)
		if err != nil {
			return err
		}
		for _, u := range r.unopened {
			exported.Left = append(exported.Left, state.Left{Title: "provider " + u.source, Reason: u.err.Error()})
		}
	}
	if len(exported.Resources) > 0 {
		if err := exported.WriteDir(f.directory, f.sensitive); err != nil {
			return err
		}
	}
	w := cmd.ErrOrStderr()
	fmt.Fprintf(w, "%s exported to %s.\n", plural(len(exported.Resources), "resource"), f.directory)
	if !f.sensitive && len(exported.Resources) > 0 {
		fmt.Fprintf(w, "The state and sensitive values were not written: give --%s to write them.\n", showSensitive)
		fmt.Fprintf(w, "A plan imports %s without a change.\n", plural(exported.Imported, "object"))
	}
	if len(exported.Changes) > 0 {
		fmt.Fprintln(w, "A plan is not without changes:")
		for _, l := range exported.Changes {
			fmt.Fprintf(w, "  %s: %s.\n", printable(l.Title), printable(l.Reason))
		}
	}
	if err := tellLeft(w, exported.Left, len(exported.Resources)); err != nil {
		return err
	}
	if len(exported.Changes) > 0 {
		return exit{2}
	}
	return nil
}

// addresses returns the addresses of --source by TerraformProvider.
func (f *exportFlags) addresses() (map[string]string, error) {
	out := map[string]string{}
	for _, s := range f.sources {
		name, source, _ := strings.Cut(s, "=")
		a, err := install.ParseAddress(source)
		if err != nil || name == "" {
			return nil, fmt.Errorf("--source %s: must be NAME=ADDRESS, such as random=hashicorp/random", s)
		}
		out[name] = a.String()
	}
	return out, nil
}

// installedFor returns the names of the TerraformProviders of the selected stored instances.
func installedFor(ctx context.Context, c *state.Cluster, kinds state.Kinds, s state.Selection) ([]string, error) {
	keys, err := c.Keys(ctx, s)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, k := range keys {
		if kind, ok := kinds.Of(k); ok && kind.TerraformProvider != "" && !slices.Contains(out, kind.TerraformProvider) {
			out = append(out, kind.TerraformProvider)
		}
	}
	return out, nil
}

// providers returns the providers with their addresses and versions.
func (f *exportFlags) providers(
	ctx context.Context, r *remote, kinds state.Kinds, sources map[string]string,
) ([]*export.RequiredProvider, error) {
	installed, err := r.cluster.Providers(ctx, f.remote.installed...)
	if err != nil {
		return nil, err
	}
	var out []*export.RequiredProvider
	for _, p := range installed {
		i := slices.IndexFunc(r.providers, func(x *remoteProvider) bool { return x.title == terraformProviderTitle(p.Name) })
		if i < 0 {
			continue // the errors tell why
		}
		x := &export.RequiredProvider{Model: r.providers[i].model, Launcher: r.providers[i].launcher, Source: sources[p.Name]}
		if j := slices.IndexFunc(kinds, func(k state.Kind) bool { return k.TerraformProvider == p.Name }); x.Source == "" && j >= 0 {
			x.Source = kinds[j].Provider
		}
		if p.Status.Installed != nil {
			x.Version = p.Status.Installed.Version
		}
		out = append(out, x)
	}
	return out, nil
}

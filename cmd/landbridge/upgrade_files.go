package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/internal/command/cluster"
	"github.com/landbridge-io/landbridge/internal/command/local"
	commandupgrade "github.com/landbridge-io/landbridge/internal/command/upgrade"
	"github.com/landbridge-io/landbridge/internal/upgrade"
)

// ofFiles are the flags of upgrade preview that it has without a cluster only.
type ofFiles struct {
	manifests   []string
	from, state string
	env         []string
}

// addFiles adds the flags for a preview without a cluster.
func (f *upgradeFlags) addFiles(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVarP(&f.files.manifests, "filename", "f", nil,
		"work without a cluster, with this manifest: a file, a directory of them, or - for standard input")
	flags.StringVar(&f.files.from, "from", "", "with --filename, the installed version: its program, a directory that "+
		"holds it, or its address, such as hashicorp/random@3.8.0")
	flags.StringVar(&f.files.state, "state", "landbridge.tfstate",
		"with --filename, the state file of landbridge apply; objects that it does not have are planned as new ones")
	flags.StringArrayVar(&f.files.env, "provider-env", nil,
		"with --filename, environment variable for both versions, as NAME or NAME=VALUE; no others are passed")
	flags.StringVar(&f.remote.name, "name", "", "with --filename, name of the provider, such as random (default: from "+
		"the binary's name, else from its resource types)")
	flags.StringVar(&f.remote.providerFlags.config, "config", "",
		"with --filename, YAML file that changes how the provider is presented (docs/configuration.md)")
	cmd.MarkFlagsRequiredTogether("filename", "from")
	for _, flag := range []string{"kubeconfig", "context", "namespace", "selector", "system-namespace"} {
		cmd.MarkFlagsMutuallyExclusive("filename", flag)
	}
}

// runFiles previews the new version for a manifest.
func (f *upgradeFlags) runFiles(cmd *cobra.Command) (*upgrade.Report, error) {
	if err := checkFormat(f.output, diffOutputs); err != nil {
		return nil, err
	}
	if f.to == "" {
		return nil, errors.New("name the new version with --to")
	}
	env, err := environment(f.files.env)
	if err != nil {
		return nil, err
	}
	sources, err := local.ReadSources(f.files.manifests, cmd.InOrStdin())
	if err != nil {
		return nil, err
	}
	old, new, err := f.versions(cmd, env)
	if err != nil {
		return nil, err
	}
	manifest, messages := local.ReadManifest(old.model, sources)
	if messages.HasErrors() {
		return nil, fmt.Errorf("the manifest does not fit the installed version:\n%s", messages)
	}
	address, err := sourceOf("", old)
	if err != nil {
		return nil, err
	}
	defer showProgress(cmd, "Previewing "+f.to)()
	program := func(p *openedProvider) *cluster.InstalledProvider {
		return &cluster.InstalledProvider{Name: p.model.Name, Source: p.source, Model: p.model, Launcher: p.launcher(f.remote.timeout, env)}
	}
	report, err := commandupgrade.PreviewFiles(cmd.Context(), commandupgrade.FileOptions{
		Manifest: manifest, Sources: sources, State: f.files.state, Address: address,
		Installed: program(old), New: program(new), Refresh: f.refresh, Examples: f.sample,
	})
	if err != nil {
		return nil, err
	}
	report.Installed, report.New = cmp.Or(old.version, f.files.from), cmp.Or(new.version, f.to)
	return report, nil
}

// versions opens both versions. The configuration need not fit both.
func (f *upgradeFlags) versions(cmd *cobra.Command, env map[string]string) (old, new *openedProvider, _ error) {
	flags := f.remote.providerFlags
	oldVersion, err := flags.loadVersion(cmd.Context(), f.files.from, env)
	if err != nil {
		return nil, nil, fmt.Errorf("--from: %w", err)
	}
	newVersion, err := flags.loadVersion(cmd.Context(), f.to, env)
	if err != nil {
		return nil, nil, fmt.Errorf("--to: %w", err)
	}
	oldVersion.label, newVersion.label = "--from", "--to"
	c, err := flags.readConfig(flags.config)
	if err != nil {
		return nil, nil, err
	}
	return flags.presentVersions(oldVersion, newVersion, known(c, oldVersion.schema), known(c, newVersion.schema))
}

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/inference"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
	"github.com/landbridge-io/landbridge/internal/provider/sources"
	"github.com/landbridge-io/landbridge/schema"
)

func newProviderCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "provider",
		Short: "Inspect and configure Terraform providers",
		Long:  "Inspect Terraform providers, without a cluster and without credentials; and configure them in a cluster.",
	}
	cmd.AddCommand(newProviderInspectCommand(), newProviderCompareCommand(), newProviderSchemaCommand(),
		newProviderInstallCommand(), newProviderLockCommand(), newProviderMirrorCommand(),
		newProviderReferencesCommand(), newProviderIdentityCommand(), newProviderConfigureCommand(), newProviderActivateCommand())
	return cmd
}

// providerFlags are the flags of all commands that read a provider.
type providerFlags struct {
	name, config string
	// group comes before the one of the configuration. Not every command has a flag for it.
	group string
	// from says where providers come from that are named by their addresses. Nil: from nowhere.
	from *sources.Flags
	// cmd shows progress. Nil: nothing is shown.
	cmd *cobra.Command
	// documentation is a folder to infer references from. Not every command has a flag for it.
	documentation string
	// known are the names that kinds had before. Not every command knows them.
	known   map[string]config.Names
	timeout time.Duration
}

func (f *providerFlags) add(cmd *cobra.Command) {
	f.addSources(cmd)
	cmd.Flags().StringVar(&f.name, "name", "",
		"name of the provider, such as random (default: from the binary's name, else from its resource types)")
	cmd.Flags().StringVar(&f.config, "config", "", "YAML file that changes how the provider is presented (docs/configuration.md)")
	cmd.Flags().DurationVar(&f.timeout, "timeout", time.Minute, "how long the provider may take to start and to return its schema")
}

// addSources adds the flags that say where providers come from.
func (f *providerFlags) addSources(cmd *cobra.Command) {
	f.cmd = cmd
	if f.from == nil {
		f.from = &sources.Flags{ConfigFile: true}
		f.from.Add(cmd.Flags())
	}
}

func (f *providerFlags) addDocumentation(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.documentation, "documentation", "", "directory with the provider's documentation and "+
		"examples, such as its source, to infer references from (docs/references.md)")
}

// openProvider is a provider's schema and model.
type openedProvider struct {
	foundProvider
	schema *schema.Provider
	model  *model.Provider
	// inferred are the references that the documentation suggests.
	inferred []inference.Reference
}

// open starts the provider at a path, with the environment variables env, and reads its schema.
func (f *providerFlags) open(ctx context.Context, where string, env map[string]string) (*openedProvider, error) {
	c, err := f.readConfig(f.config)
	if err != nil {
		return nil, err
	}
	found, s, err := f.load(ctx, where, env)
	if err != nil {
		return nil, err
	}
	return f.present(found, s, c)
}

func (f *providerFlags) readConfig(file string) (*config.File, error) {
	c := &config.File{}
	if file != "" {
		raw, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if c, err = config.Read(file, raw); err != nil {
			return nil, err
		}
	}
	if f.group != "" {
		c.Group = f.group
	}
	return c, nil
}

func (f *providerFlags) present(found foundProvider, s *schema.Provider, c *config.File) (*openedProvider, error) {
	name := cmp.Or(f.name, found.name())
	if f.documentation == "" {
		m, err := model.KeepNames(name, s, c.Provider, f.known)
		if err != nil {
			return nil, c.Locate(err)
		}
		return &openedProvider{foundProvider: found, schema: s, model: m}, nil
	}
	docs, err := os.OpenRoot(f.documentation)
	if err != nil {
		return nil, fmt.Errorf("--documentation: %w", err)
	}
	defer docs.Close()
	m, inferred, err := inference.Provider(name, s, c.Provider, f.known, docs.FS())
	if err != nil {
		return nil, c.Locate(err)
	}
	return &openedProvider{foundProvider: found, schema: s, model: m, inferred: inferred}, nil
}

// load reads a provider's schema: from a JSON file that holds one, or from the provider itself,
// which is a binary, a directory that holds it, or an address, SOURCE or SOURCE@CONSTRAINT.
func (f *providerFlags) load(ctx context.Context, where string, env map[string]string) (found foundProvider, _ *schema.Provider, _ error) {
	if filepath.Ext(where) == ".json" {
		found = foundProvider{path: where}
		raw, err := os.ReadFile(where)
		if err != nil {
			return found, nil, err
		}
		if r, err := schema.DecodeRecord(raw); err == nil {
			return found, r.Schema, nil
		}
		s, err := schema.Decode(raw)
		if err != nil {
			return found, nil, fmt.Errorf("%s: %w", where, err)
		}
		return found, s, nil
	}
	var s *schema.Provider
	found, err := f.start(ctx, where, env, func(_ context.Context, _ provider.Server, read *schema.Provider) error {
		s = read
		return nil
	})
	return found, s, err
}

// start starts a provider, calls a function with it and its schema, and ends it.
func (f *providerFlags) start(
	ctx context.Context, where string, env map[string]string,
	do func(context.Context, provider.Server, *schema.Provider) error,
) (foundProvider, error) {
	found, err := f.find(ctx, where)
	if err != nil {
		return found, err
	}
	defer showProgress(f.cmd, "Reading the schema of the provider "+filepath.Base(cmp.Or(found.path, found.source)))()
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	server, err := found.launcher(f.timeout, env).Launch(ctx)
	if err != nil {
		return found, err
	}
	s, diags := server.Schema(ctx)
	if err = diags.Err(); err == nil {
		err = do(ctx, server, s)
	}
	if closeErr := server.Close(ctx); err == nil {
		err = closeErr
	}
	return found, err
}

// foundProvider is the program of a provider, or its process if that runs already.
type foundProvider struct {
	// path is that of the program. Empty if the provider is attached.
	path string
	// attached is the provider's process; nil unless it runs already.
	attached *plugin.Attachment
	// source is the provider's full address, and version its version. Empty if the program was
	// named by its path.
	source, version string
}

// launcher returns the launcher of the provider. An attached one has its own environment.
func (p foundProvider) launcher(timeout time.Duration, env map[string]string) provider.Launcher {
	if p.attached != nil {
		return p.attached
	}
	return &plugin.Launcher{Path: p.path, StartTimeout: timeout, Env: env}
}

// name returns the provider's name, such as random; empty if neither its program nor its address
// tells.
func (p foundProvider) name() string {
	if p.attached != nil {
		return path.Base(p.source)
	}
	name, _ := install.ParseBinaryName(p.path)
	return name
}

// find finds the provider's program: at a path, in a directory, in PATH, or by its address, SOURCE
// or SOURCE@CONSTRAINT. What exists as a file or a directory is a path.
func (f *providerFlags) find(ctx context.Context, where string) (foundProvider, error) {
	_, err := os.Stat(where)
	if errors.Is(err, fs.ErrNotExist) && !strings.ContainsRune(where, filepath.Separator) {
		if found, lookErr := exec.LookPath(where); lookErr == nil {
			return foundProvider{path: found}, nil
		}
	}
	if err == nil {
		path, err := findBinary(where)
		return foundProvider{path: path}, err
	}
	source, constraint, _ := strings.Cut(where, "@")
	if !isAddress(source) {
		if errors.Is(err, fs.ErrNotExist) {
			return foundProvider{},
				fmt.Errorf("%s: no such file or directory; name the provider's program by its path, or the provider "+
					"by its address, such as hashicorp/random", where)
		}
		return foundProvider{}, err
	}
	from := cmp.Or(f.from, &sources.Flags{})
	attached, err := from.Attached()
	if err != nil {
		return foundProvider{}, err
	}
	if a := attached.Find(source); a != nil {
		if f.cmd != nil {
			noteAttached(f.cmd.ErrOrStderr(), a)
		}
		return foundProvider{attached: a, source: a.Source}, nil
	}
	i, err := from.Installer()
	if err != nil {
		return foundProvider{}, err
	}
	defer showProgress(f.cmd, "Installing the provider "+where)()
	b, err := i.Install(ctx, source, constraint)
	return foundProvider{path: b.Path, source: b.Source, version: b.Version}, err
}

// noteAttached tells that a provider is used as it runs.
func noteAttached(w io.Writer, a *plugin.Attachment) {
	fmt.Fprintf(w, "Note: %s is process %d, as TF_REATTACH_PROVIDERS says. Its version and checksum are not "+
		"checked, and it keeps its own environment.\n", a.Source, a.PID)
}

// isAddress reports whether a text has the form of a provider's address, [HOST/]NAMESPACE/TYPE, and
// not that of a path.
func isAddress(text string) bool {
	if base := path.Base(text); strings.HasPrefix(base, "terraform-provider-") || !strings.Contains(text, "/") ||
		strings.HasPrefix(text, ".") {
		return false
	}
	_, err := install.ParseAddress(text)
	return err == nil
}

// findBinary returns the provider's program that is a file, or in a directory.
func findBinary(where string) (string, error) {
	info, err := os.Stat(where)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return filepath.Abs(where)
	}
	var found []string
	err = filepath.WalkDir(where, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasPrefix(d.Name(), "terraform-provider-") && filepath.Ext(d.Name()) != ".zip" {
			found = append(found, p)
		}
		return err
	})
	switch {
	case err != nil:
		return "", err
	case len(found) == 0:
		return "", fmt.Errorf("%s: there is no terraform-provider-… in this directory", where)
	case len(found) > 1:
		return "", fmt.Errorf("%s: there are several providers in this directory; name one of them:\n  %s", where, strings.Join(found, "\n  "))
	}
	return filepath.Abs(found[0])
}

// match returns the resource types that match patterns, in which * stands for any characters, and
// the data sources, ephemeral resources and actions that match those that begin with data.,
// ephemeral. and action. Without patterns, all resource types match. A pattern without matches is
// an error.
func (p *openedProvider) match(patterns []string) ([]*model.Resource, error) {
	types := slices.Sorted(maps.Keys(p.model.AllNames()))
	picked := map[string]bool{}
	for _, pattern := range patterns {
		n := 0
		mode, name := model.ModeOf(pattern)
		for _, t := range types {
			ok, err := path.Match(pattern, t)
			if err != nil {
				return nil, fmt.Errorf("pattern %q: %w", pattern, err)
			}
			if of, _ := model.ModeOf(t); ok && of == mode {
				picked[t] = true
				n++
			}
		}
		if n == 0 {
			return nil, fmt.Errorf("the provider has no %s %s; landbridge provider inspect lists those it has", mode.What(), name)
		}
	}
	var out []*model.Resource
	for address, r := range p.model.All() {
		if len(patterns) == 0 && r.Mode == model.Managed || picked[address] {
			out = append(out, r)
		}
	}
	return out, nil
}

// warn prints names that are not the natural ones.
func (p *openedProvider) warn(cmd *cobra.Command, of []*model.Resource) {
	for _, r := range p.model.Renamed {
		if slices.ContainsFunc(of, func(x *model.Resource) bool { return x.Type == r.Type }) {
			cmd.PrintErrln("Note:", r)
		}
	}
}

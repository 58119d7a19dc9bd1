package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/landbridge-io/landbridge/internal/command/repository"
	"github.com/landbridge-io/landbridge/internal/provider/sources"
)

func newInitCommand() *cobra.Command {
	from := sources.Flags{ConfigFile: true}
	o := repository.Options{Provider: repository.ProviderSource{Providers: from.Installer}}
	cmd := &cobra.Command{
		Use:   "init NAME --provider MODULE@VERSION|DIRECTORY|SOURCE|BINARY",
		Short: "Create a repository with a provider's kinds and a program that serves them",
		Long: `Create a repository that publishes a Terraform provider's resource types as Kubernetes kinds: Go types, CRDs, examples and documentation of all of them; the program that writes these,
cmd/generator; the program that serves the kinds in a cluster, cmd/provider; what configures both,
config; tests, a Makefile, a Dockerfile, workflows for tests and releases, Dependabot's configuration,
a page for users who install it, and the metadata of a Crossplane package. It
builds and passes its own tests as it is. Nothing in it is per resource type, and no provider is
linked into its program, unless --in-process is given: the provider runs as its authors released it.

NAME is the repository's name, such as provider-random, or the import path of its Go module, such
as github.com/acme/provider-random. The provider comes from

  MODULE@VERSION  its Go module: the import path of its main package, and a version of it; the
                  repository builds it, in a Go module of its own
  DIRECTORY       a checkout: the directory of its main package; --provider-version is its version
  SOURCE          an address such as hashicorp/random, or hashicorp/random@3.9.0, in a mirror or a registry
  BINARY          the path of its program

and is pinned: by the module's checksums, or by its version and the program's own checksum; a
checkout is not. Its schema is kept in the repository, so that what is generated can be generated
again without it.

Examples of kinds are those of the provider's documentation, if it comes as MODULE@VERSION or DIRECTORY
or --documentation has it, and the provider accepts them; others have the required fields.

With --documentation, attributes that the provider's own examples set to those of other resources
get references and selectors beside them. What was inferred is kept in the repository, too.

With --in-process, the program links the provider, which comes as MODULE@VERSION or DIRECTORY, and
runs it in its own process. The program is a Go module of its own then, so that what imports the
types of the repository has none of the provider's dependencies. It makes the provider's server as
the provider's main package does; where that does not show how, --provider-server names functions
of the provider's packages, internal ones included, that return a provider or a server of the
plugin framework, of the legacy SDK or of a mux. When to choose it: docs/execution.md.

The go command is needed, and network access for Go modules that it does not have. If anything
fails, nothing is left behind.`,
		Example: `  landbridge init provider-hcloud --provider github.com/hetznercloud/terraform-provider-hcloud@v1.68.0
  landbridge init github.com/acme/provider-random --provider hashicorp/random --provider-version '~> 3.7'
  landbridge init provider-time --provider github.com/hashicorp/terraform-provider-time@v0.14.2 --in-process
  landbridge init provider-random --provider ./terraform-provider-random_v3.9.0 --group random.example.org --landbridge ~/src/landbridge`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Name = args[0]
			if o.Landbridge == "" {
				if o.Landbridge = release(); o.Landbridge == "" {
					return fmt.Errorf("this program was not built from a release of Landbridge: set --landbridge to " +
						"the release that the repository is to require, such as v1.0.0, or to the " +
						"directory of a checkout")
				}
			}
			o.Progress = func(what string) { cmd.PrintErrln(what + " ...") }
			made, err := repository.Create(cmd.Context(), o)
			if err != nil {
				return err
			}
			for _, r := range made.Inferred {
				cmd.PrintErrln("Inferred:", r)
			}
			for _, r := range made.Renamed {
				cmd.PrintErrln("Note:", r)
			}
			if strings.HasSuffix(made.Group, "."+repository.NoAuthor) && o.Group == "" {
				cmd.PrintErrf("Note: the API group is %s, which a TerraformProvider in the same cluster may have as "+
					"well. Choose your own with --group, or give the import path of the "+
					"repository as NAME\n",
					made.Group)
			}
			for _, module := range made.Kept {
				cmd.PrintErrf("Note: the provider replaces the Go module %s, and its own program has the "+
					"replacement. Linked, it runs with the version that Landbridge needs\n", module)
			}
			for _, t := range slices.Sorted(maps.Keys(made.Refused)) {
				cmd.PrintErrf("Note: %s: the provider does not accept its example, which has to be completed: %s\n", t, made.Refused[t])
			}
			for _, t := range slices.Sorted(maps.Keys(made.Large)) {
				cmd.PrintErrf("Note: %s: %s\n", t, made.Large[t])
			}
			fmt.Fprintf(cmd.OutOrStdout(), `%s: %d kinds of the provider %s %s

  cd %s
  make build test   # the program, and the tests of what was generated
  make help         # everything else
`, filepath.Base(made.Dir), made.Resources, made.Provider, made.Version, shown(made.Dir))
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Provider.From, "provider", "", "the provider: MODULE@VERSION, DIRECTORY, SOURCE or BINARY")
	f.StringVar(&o.Provider.Name, "provider-name", "", "the provider's name, such as random (default: from the name of its program)")
	f.StringVar(&o.Provider.Version, "provider-version", "", "the provider's version; for SOURCE a constraint, such "+
		"as \"~> 3.7\" (default: that of the module, the newest one, or what the name of the program says)")
	from.Add(f)
	f.BoolVar(&o.InProcess, "in-process", false,
		"link the provider, given by MODULE@VERSION or DIRECTORY, into the program, to run in its process")
	f.StringArrayVar(&o.Servers, "provider-server", nil, "with --in-process: PACKAGE.FUNCTION of the provider that "+
		"makes its server, or a part of it that is muxed with the others (default: as its main package does)")
	f.StringVar(&o.Group, "group", "", "API group of the kinds, such as random.example.org (default: PROVIDER and "+
		"the domain of the import path, as in random.acme.github.io for github.com/acme)")
	f.StringVar(&o.Documentation, "documentation", "", "directory with the provider's documentation and examples, "+
		"such as its source, to infer references from (docs/references.md)")
	addPath(cmd, outputDir, &o.Dir, "directory to make (default: NAME)")
	f.StringVar(&o.Landbridge, "landbridge", "",
		"the release of Landbridge to require, or the directory of a checkout (default: the release of this program)")
	f.DurationVar(&o.Timeout, "timeout", time.Minute, "how long the provider may take to start and to return its schema")
	if err := cmd.MarkFlagRequired("provider"); err != nil {
		panic(err)
	}
	return cmd
}

// release returns the release of Landbridge that this program was built from; empty if it was not.
func release() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	v := info.Main.Version
	if !semver.IsValid(v) || semver.Build(v) != "" || module.IsPseudoVersion(v) {
		return ""
	}
	return v
}

// shown returns a directory as a user would type it.
func shown(dir string) string {
	here, err := filepath.Abs(".")
	if err != nil {
		return dir
	}
	if relative, err := filepath.Rel(here, dir); err == nil && filepath.IsLocal(relative) {
		return relative
	}
	return dir
}

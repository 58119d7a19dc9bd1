package generate

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"sigs.k8s.io/yaml"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/generator"
	"github.com/landbridge-io/landbridge/internal/inference"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/schema"
)

// Program is the generator of a repository. It runs in the repository's root.
type Program struct {
	// Name of the provider, such as random.
	Name string
	// Config is the configuration of the provider's kinds.
	Config config.Provider
	// Module is the import path of the repository.
	Module string
	// Protocol5 or Protocol6 makes a server of the provider, as in program.Program, if the
	// generator links it. What the schemas of a provider on terraform-plugin-sdk/v2 mark as
	// ForceNew is immutable in types whose configuration has InferImmutable. At most one of them
	// may be set.
	Protocol5 func() (tfprotov5.ProviderServer, error)
	Protocol6 func() (tfprotov6.ProviderServer, error)
}

// Main runs the program with the arguments of the process. It exits with status 1 if the program
// fails.
func (p Program) Main() {
	flags := flag.NewFlagSet(os.Args[0], flag.ExitOnError)
	allowBreaking := flags.Bool("allow-breaking", false, "write kinds for which existing manifests and programs do not work any more")
	printConfig := flags.Bool("config", false, "generate nothing, and print the configuration with the kinds' names "+
		"as a file for --config of landbridge's commands, without what only Go can express")
	_ = flags.Parse(os.Args[1:]) // it exits on errors
	do := func() error { return p.run(".", *allowBreaking, os.Stdout, os.Stderr) }
	if *printConfig {
		do = func() error { return p.printConfig(".", os.Stdout) }
	}
	if err := do(); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

// model returns the recorded schema of a repository, the configuration with what is inferred, and
// the kinds.
func (p Program) model(dir string) (*schema.Record, config.Provider, *model.Provider, error) {
	record, err := schema.ReadRecord(filepath.Join(dir, "config", "schema.json"), p.Name)
	if err != nil {
		return nil, config.Provider{}, nil, err
	}
	known, err := generator.KnownNames(dir)
	if err != nil {
		return nil, config.Provider{}, nil, err
	}
	server, err := p.server()
	if err != nil {
		return nil, config.Provider{}, nil, fmt.Errorf("the linked provider: %w", err)
	}
	configuration, err := inference.ForceNew(p.Name, record.Schema, p.Config, known, forceNew(server))
	if err != nil {
		return nil, config.Provider{}, nil, fmt.Errorf("%s: %w", configurationFiles(dir), err)
	}
	provider, err := model.KeepNames(p.Name, record.Schema, configuration, known)
	if err != nil {
		return nil, config.Provider{}, nil, fmt.Errorf("%s: %w", configurationFiles(dir), err)
	}
	return record, configuration, provider, nil
}

// printConfig prints the configuration of a repository's kinds, with their names.
func (p Program) printConfig(dir string, stdout io.Writer) error {
	_, configuration, provider, err := p.model(dir)
	if err != nil {
		return err
	}
	configuration.Names = provider.KeptNames()
	raw, err := yaml.Marshal(configuration)
	if err != nil {
		return err
	}
	_, err = stdout.Write(raw)
	return err
}

// run generates into a repository.
func (p Program) run(dir string, allowBreaking bool, stdout, stderr io.Writer) error {
	record, _, provider, err := p.model(dir)
	if err != nil {
		return err
	}
	changes, err := generator.Update(provider, generator.UpdateOptions{
		Options:       generator.Options{Module: p.Module, Dir: dir, Examples: true, Record: record},
		AllowBreaking: allowBreaking,
		HowToAllow:    "make generate ALLOW_BREAKING=1",
		Notes:         stderr,
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%d kinds; %d files written, %d removed, %d unchanged\n",
		len(provider.Resources), len(changes.Written), len(changes.Removed), changes.Unchanged)
	return err
}

// server returns a server of the provider; nil if it is not linked.
func (p Program) server() (any, error) {
	switch {
	case p.Protocol5 != nil:
		return p.Protocol5()
	case p.Protocol6 != nil:
		return p.Protocol6()
	}
	return nil, nil
}

// configurationFiles returns the names of the files of a repository's configuration.
func configurationFiles(dir string) string {
	if _, err := os.Stat(filepath.Join(dir, "config", "references.yaml")); err == nil {
		return "config/provider.go, config/references.yaml"
	}
	return "config/provider.go"
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/internal/provider/checksum"
	"github.com/landbridge-io/landbridge/internal/provider/registry"
	"github.com/landbridge-io/landbridge/internal/provider/sources"
)

func newProviderMirrorCommand() *cobra.Command {
	from := sources.Flags{ConfigFile: true}
	var platforms []string
	cmd := &cobra.Command{
		Use:   "mirror DIRECTORY|oci://HOST/PREFIX SOURCE[@CONSTRAINT]...",
		Short: "Fill a mirror with providers, for clusters without access to registries",
		Long: `Fill a mirror with providers, for clusters without access to registries. The newest version of each that meets its
constraint is downloaded for each platform and verified, as the controller does it, and is added to what the mirror has.

A directory gets the layout of Terraform's filesystem mirrors, packed. It can also be served as a network mirror, by any web server with TLS. An
OCI registry gets the layout of OpenTofu's OCI mirrors, in the repositories HOST/PREFIX/NAMESPACE/TYPE. What the command prints belongs into the
file of the controller's --provider-installation.`,
		Example: `  landbridge provider mirror ./mirror hashicorp/random@'~> 3.7' hashicorp/time
  landbridge provider mirror oci://ghcr.io/acme/providers hashicorp/random --provider-credentials ~/.docker/config.json`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return fillMirror(cmd, &from, platforms, args[0], args[1:])
		},
	}
	from.Add(cmd.Flags())
	addPlatforms(cmd, &platforms)
	return cmd
}

func fillMirror(cmd *cobra.Command, from *sources.Flags, platforms []string, target string, providers []string) error {
	repository, isOCI := strings.CutPrefix(target, "oci://")
	repository = strings.Trim(repository, "/")
	var include []string
	err := eachProvider(cmd, from, platforms, providers, func(ctx context.Context, p downloaded) error {
		host := p.address.Host
		if !p.address.Explicit {
			host = from.Registries.Hosts()[0]
		}
		if pattern := host + "/" + p.address.Namespace + "/" + p.address.Type; !slices.Contains(include, pattern) {
			include = append(include, pattern)
		}
		var err error
		if isOCI {
			err = from.Registries.Push(ctx, repository+"/"+p.address.Namespace+"/"+p.address.Type, p.lock.Version, p.packages)
		} else {
			err = writeMirror(filepath.Join(target, host, p.address.Namespace, p.address.Type), p)
		}
		if err == nil {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s %s for %s\n", p.source, p.lock.Version, strings.Join(platforms, ", "))
		}
		return err
	})
	if err != nil {
		return err
	}
	method, argument, value := "oci_mirror", "repository_template", repository+"/${namespace}/${type}"
	if !isOCI {
		method, argument = "filesystem_mirror", "path"
		if value, err = filepath.Abs(target); err != nil {
			return err
		}
	}
	list, err := json.Marshal(include)
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "provider_installation {\n  %s {\n    %s = %q\n    include = %s\n  }\n}\n", method, argument, value, list)
	return nil
}

// writeMirror adds a version to the directory of a provider in a mirror, and to its lists for the
// network mirror protocol.
func writeMirror(dir string, p downloaded) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var version registry.MirrorVersion
	path := filepath.Join(dir, p.lock.Version+".json")
	if err := readJSONFile(path, &version); err != nil {
		return err
	}
	if version.Archives == nil {
		version.Archives = map[string]registry.MirrorArchive{}
	}
	for platform, from := range p.packages {
		name := fmt.Sprintf("terraform-provider-%s_%s_%s.zip", p.address.Type, p.lock.Version, platform)
		if from == "" {
			return fmt.Errorf("%s %s for %s is unpacked in its mirror, so there is no package to copy; "+
				"copy the directory", p.source, p.lock.Version, platform)
		}
		if err := copyFile(from, filepath.Join(dir, name), 0o644); err != nil {
			return err
		}
		sum, err := checksum.Of(from)
		if err != nil {
			return err
		}
		version.Archives[platform] = registry.MirrorArchive{URL: name, Hashes: []string{"zh:" + sum}}
	}
	if err := writeJSONFile(path, version); err != nil {
		return err
	}
	var index registry.MirrorIndex
	path = filepath.Join(dir, "index.json")
	if err := readJSONFile(path, &index); err != nil {
		return err
	}
	if index.Versions == nil {
		index.Versions = map[string]json.RawMessage{}
	}
	index.Versions[p.lock.Version] = json.RawMessage("{}")
	return writeJSONFile(path, index)
}

// readJSONFile reads a file, if it exists.
func readJSONFile(path string, to any) error {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(raw, to)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func writeJSONFile(path string, v any) error {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(raw, '\n'), 0o644)
}

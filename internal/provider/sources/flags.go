package sources

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/provider/registry"
)

// Group is the annotation of the flags in this package, for help that shows them as one group.
const Group = "landbridge_provider_sources"

// Flags are the flags that say where providers come from. They must not be copied after their first
// use.
type Flags struct {
	// ConfigFile makes the configuration file of OpenTofu's or Terraform's command line be read if
	// nothing else says where providers come from. Commands of users set it; the controller does
	// not.
	ConfigFile bool
	// Mirrors are directories in the layout of Terraform's filesystem mirrors. What they have comes
	// from them alone.
	Mirrors []string
	// Registries are all other sources.
	Registries registry.Client
	// Cache is the directory for packages and programs. Empty: the default one.
	Cache string

	set *pflag.FlagSet
	// read is the configuration file that is read without being named by a flag.
	read string

	readAttached sync.Once
	attached     Attached
	attachedErr  error
}

// The flags that name sources.
const (
	mirror       = "provider-mirror"
	fromRegistry = "provider-registry"
	installation = "provider-installation"
)

// Add adds the flags to those of a command.
func (f *Flags) Add(to *pflag.FlagSet) {
	f.set = pflag.NewFlagSet("", pflag.ContinueOnError)
	s, c := f.set, &f.Registries
	s.StringArrayVar(&f.Mirrors, mirror, filepath.SplitList(environment(mirror, "")),
		"directory with providers, in the layout of Terraform's filesystem mirrors; may be given several times")
	s.StringVar(&c.Registry, fromRegistry, environment(fromRegistry, registry.Default),
		"registry of providers whose source has no host; empty for none: then providers come from mirrors alone")
	s.StringVar(&c.Installation, installation, environment(installation, ""),
		"file with a provider_installation block, as for OpenTofu's and Terraform's command line: which mirrors and "+
			"registries have which providers")
	s.StringVar(&c.Credentials, "provider-credentials", environment("provider-credentials", ""),
		"file with the credentials of registries and mirrors, as for OpenTofu's and Terraform's command line, or as "+
			"Docker writes them")
	s.StringVar(&c.CA, "provider-ca", environment("provider-ca", ""),
		"file with authorities in PEM that registries and mirrors may have certificates of, besides the system's")
	s.StringVar(&c.TrustedRoot, "sigstore-trusted-root", environment("sigstore-trusted-root", ""),
		"file with the authorities of certificates that providers in OCI mirrors are signed with, as cosign "+
			"trusted-root create writes it")
	s.StringVar(&f.Cache, "provider-cache", environment("provider-cache", ""),
		"directory for downloaded and unpacked providers (default: the user's cache directory)")
	s.VisitAll(func(one *pflag.Flag) {
		one.Usage += " ($" + variable(one.Name) + ")"
		one.Annotations = map[string][]string{Group: {"true"}}
	})
	to.AddFlagSet(s)
}

// environment returns the value of a flag's environment variable, or otherwise if it is not set.
func environment(flag, otherwise string) string {
	if v, ok := os.LookupEnv(variable(flag)); ok {
		return v
	}
	return otherwise
}

// variable returns the environment variable of a flag.
func variable(flag string) string {
	return "LANDBRIDGE_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// Given reports whether the user has named sources, by flags or by environment variables.
func (f *Flags) Given() bool {
	return slices.ContainsFunc([]string{mirror, fromRegistry, installation}, func(name string) bool {
		_, inEnvironment := os.LookupEnv(variable(name))
		return inEnvironment || f.set != nil && f.set.Changed(name)
	})
}

// Installer returns an installer of all sources. The error is that of a file which describes them.
func (f *Flags) Installer() (*install.Installer, error) {
	i := f.Offline()
	var err error
	i.Registry, err = f.Client()
	return i, err
}

// Offline returns an installer that has the mirrors of --provider-mirror alone, and asks no
// registry.
func (f *Flags) Offline() *install.Installer {
	mirrors := slices.DeleteFunc(slices.Clone(f.Mirrors), func(dir string) bool { return dir == "" })
	return &install.Installer{CacheDir: cmp.Or(f.Cache, defaultCache()), Mirrors: mirrors, Hosts: f.Registries.Hosts()}
}

// Client returns the client of registries and their mirrors; nil if there are none. The error is
// that of a file which describes them.
func (f *Flags) Client() (*registry.Client, error) {
	c := &f.Registries
	if f.ConfigFile && !f.Given() && c.Installation == "" {
		c.Installation = configFile()
		f.read = c.Installation
	}
	if f.ConfigFile && c.Credentials == "" {
		c.Credentials = loginFile()
	}
	if c.Enabled() == nil {
		return nil, nil
	}
	if err := c.Check(); err != nil {
		return nil, f.explain(err)
	}
	return c, nil
}

// defaultCache returns the directory for packages and programs in the user's cache directory.
func defaultCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "landbridge", "providers")
}

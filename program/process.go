package program

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/landbridge-io/landbridge/internal/child"
	"github.com/landbridge-io/landbridge/internal/controller"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/inprocess"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
)

// levels are the log levels of providers.
var levels = []string{"Off", "Error", "Warn", "Info", "Debug", "Trace"}

// processFlags are the flags of a Program for its provider.
type processFlags struct {
	binary, level string
	env           []string
	sandbox       plugin.Sandbox
	ports         []uint
}

// ofProcess are the flags that have an effect on a provider only in a process of its own.
var ofProcess = []string{"provider-env", "provider-read-path", "provider-write-path", "provider-connect"}

func (p Program) linked() bool { return p.Protocol5 != nil || p.Protocol6 != nil }

// addProcessFlags adds the flags for the provider.
func (p Program) addProcessFlags(flags *pflag.FlagSet, f *processFlags) {
	beside, usage := "", "path of a binary of the provider, to run it as a process of its own (default: the provider runs in this process)"
	if !p.linked() {
		beside, usage = "terraform-provider-"+p.Provider, "path of the provider's binary"
		if self, err := os.Executable(); err == nil {
			beside = filepath.Join(filepath.Dir(self), beside)
		}
	}
	flags.StringVar(&f.binary, "provider", beside, usage)
	flags.StringArrayVar(&f.env, "provider-env", nil, "NAME=VALUE for the environment of the provider's process; of "+
		"this program's environment it gets only PATH, HOME, TMPDIR, proxies and certificates")
	flags.StringArrayVar(&f.sandbox.Read, "provider-read-path", nil,
		"file or folder that the provider's process can read from its sandbox (--sandbox)")
	flags.StringArrayVar(&f.sandbox.Write, "provider-write-path", nil, "file or folder that it can also write")
	flags.UintSliceVar(&f.ports, "provider-connect", nil,
		"the only TCP ports that the provider's process can connect to from its sandbox (default: all)")
	flags.StringVar(&f.level, "provider-log-level", levels[0],
		"log level of the provider, whose entries go to this program's log: "+strings.Join(levels, ", "))
}

// launcher checks the flags. It returns a function that completes the launcher by the options of
// the controller.
func (p Program) launcher(
	flags *pflag.FlagSet, f *processFlags, sandbox child.Mode,
) (func(*controller.Options) (provider.Launcher, error), error) {
	if p.Protocol5 != nil && p.Protocol6 != nil {
		return nil, errors.New("the program has two servers: at most one of Protocol5 and Protocol6 may be set")
	}
	i := slices.IndexFunc(levels, func(l string) bool { return strings.EqualFold(l, f.level) })
	if i < 0 {
		return nil, fmt.Errorf("--provider-log-level: %q is not one of %s", f.level, strings.Join(levels, ", "))
	}
	level := plugin.LogLevel(strings.ToUpper(levels[i]))
	if f.binary == "" && p.linked() {
		for _, name := range ofProcess {
			if flags.Changed(name) {
				return nil, fmt.Errorf("--%s: the provider has no process of its own, since it is linked into this "+
					"program: give its binary with --provider as well", name)
			}
		}
		if sandbox == child.Require {
			return nil, errors.New("--sandbox: there is no sandbox for a provider that is linked into this program: " +
				"give its binary with --provider as well")
		}
		return func(o *controller.Options) (provider.Launcher, error) { return p.inProcess(o, level) }, nil
	}
	launcher, err := f.plugin(level)
	if err != nil {
		return nil, err
	}
	return func(o *controller.Options) (provider.Launcher, error) {
		launcher.StartTimeout = o.StartTimeout
		if o.Sandbox.Applies() {
			f.sandbox.Settings = plugin.Settings{Read: "--provider-read-path", Write: "--provider-write-path", Connect: "--provider-connect"}
			launcher.Sandbox = &f.sandbox
		}
		launcher.Logger = o.Logger.WithName("provider")
		launcher.MemoryLimit = kinds.MemoryLimit(o.Pool.Limits)
		return launcher, nil
	}, nil
}

// inProcess returns the launcher of the linked provider.
func (p Program) inProcess(o *controller.Options, level plugin.LogLevel) (provider.Launcher, error) {
	if err := setLogLevel(level); err != nil {
		return nil, err
	}
	o.Logger.Info("The provider runs in this process", "provider", p.Provider, "version", p.Version)
	return &inprocess.Launcher{Name: p.Provider + " " + p.Version, Protocol5: p.Protocol5, Protocol6: p.Protocol6}, nil
}

// plugin returns the launcher of the provider's binary.
func (f *processFlags) plugin(level plugin.LogLevel) (*plugin.Launcher, error) {
	if _, err := os.Stat(f.binary); err != nil {
		return nil, fmt.Errorf("--provider: %w", err)
	}
	out := &plugin.Launcher{Path: f.binary, Env: map[string]string{}, LogLevel: level}
	for _, e := range f.env {
		name, value, ok := strings.Cut(e, "=")
		if !ok || name == "" {
			return nil, errors.New("--provider-env: must be NAME=VALUE")
		}
		out.Env[name] = value
	}
	for _, port := range f.ports {
		f.sandbox.Connect = append(f.sandbox.Connect, uint16(min(port, math.MaxUint16)))
	}
	return out, nil
}

package terraformprovider

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
)

// Linked is a provider that is linked into this program and used instead of a binary.
type Linked struct {
	// Source is the provider's address, such as hashicorp/random. TerraformProviders with this
	// source use this provider, or another linked version of it, and never a binary.
	Source string
	// Version of the provider, such as 3.7.2.
	Version string
	// Launcher makes its servers. Its key must differ between versions.
	Launcher provider.Launcher
}

// origin is the source of a provider.
type origin struct {
	// name is the provider's name, such as random.
	name      string
	installed v1alpha1.InstalledProvider
	launcher  provider.Launcher
	// linked is set if the provider is linked into this program.
	linked bool
	// attached is set if the provider ran already.
	attached bool
	// lock is what to record of the version. Nil unless it is from a registry or its mirror.
	lock *install.Lock
}

// find looks the provider up among the attached and the linked ones, and then for a binary. key is
// that of its download.
func (r *Reconciler) find(ctx context.Context, p *v1alpha1.TerraformProvider, key types.UID) (origin, *kinds.Problem) {
	if a := r.Attached.Find(p.Spec.Source); a != nil && p.Spec.Execution != v1alpha1.ExecutionInProcess {
		return origin{name: path.Base(a.Source), launcher: a, attached: true}, nil
	}
	var out origin
	var linked bool
	var err error
	if p.Spec.Execution != v1alpha1.ExecutionPlugin {
		out, linked, err = r.linked(p.Spec.Source, p.Spec.Version)
	}
	switch {
	case p.Spec.Execution == v1alpha1.ExecutionInProcess && !linked:
		return origin{}, kinds.NotInstalled(v1alpha1.ReasonExecutionUnavailable,
			fmt.Errorf("spec.execution: %s is not linked into this controller, so it cannot run in its process; use "+
				"Plugin, or a controller with the provider linked in", p.Spec.Source))
	case err != nil:
		return origin{}, kinds.NotInstalled(v1alpha1.ReasonBinaryNotFound, err)
	case linked && len(p.Spec.Env) > 0:
		return origin{}, kinds.NotInstalled(v1alpha1.ReasonProviderNotRunning,
			errors.New("spec.env: the provider is linked into the controller and has no environment of its own; "+
				"leave spec.env out, or use a provider configuration"))
	case linked && len(p.Spec.Checksums) > 0:
		return origin{}, kinds.NotInstalled(v1alpha1.ReasonChecksumMismatch,
			errors.New("spec.checksums: the provider is linked into the controller and has no package; leave spec.checksums out"))
	case linked && p.Spec.TerraformVersion != "":
		return origin{}, kinds.NotInstalled(v1alpha1.ReasonProviderNotRunning,
			errors.New("spec.terraformVersion: the provider is linked into the controller, which tells it the "+
				"default; leave spec.terraformVersion out, or use the execution Plugin"))
	case linked && p.Spec.Sandbox != nil:
		return origin{}, kinds.NotInstalled(v1alpha1.ReasonSandboxUnavailable,
			errors.New("spec.sandbox: the provider is linked into the controller and has no process of its own; leave spec.sandbox out"))
	case linked:
		return out, nil
	}
	binary, problem := r.binary(ctx, p, key)
	if problem != nil {
		return origin{}, problem
	}
	launcher := &plugin.Launcher{
		Path: binary.Path, SHA256: binary.SHA256, Env: map[string]string{},
		LogLevel: plugin.LogLevel(strings.ToUpper(p.Spec.LogLevel)),
		Logger:   r.Logger.WithName("provider").WithValues("provider", p.Name),

		TerraformVersion: p.Spec.TerraformVersion, StartTimeout: r.StartTimeout,
		MemoryLimit: kinds.MemoryLimit(limits(p).Or(r.Limits)),
	}
	for _, e := range p.Spec.Env {
		launcher.Env[e.Name] = e.Value
	}
	if launcher.Sandbox, problem = r.sandbox(p.Spec.Sandbox); problem != nil {
		return origin{}, problem
	}
	return origin{
		name: binary.Name(), launcher: launcher, lock: binary.Lock,
		installed: v1alpha1.InstalledProvider{Version: binary.Version, SHA256: binary.SHA256, Checksums: binary.Checksums},
	}, nil
}

// sources returns where the provider is searched, for whoever searches it elsewhere.
func (r *Reconciler) sources(p *v1alpha1.TerraformProvider, from origin) []v1alpha1.ProviderSource {
	if from.linked || from.attached {
		return nil
	}
	locations, err := r.Installer.Locations(p.Spec.Source)
	if err != nil {
		return nil // find has the same error
	}
	var out []v1alpha1.ProviderSource
	for _, l := range locations {
		out = append(out, v1alpha1.ProviderSource(l))
	}
	return out
}

// limits returns the limits of the TerraformProvider itself.
func limits(p *v1alpha1.TerraformProvider) pool.Limits {
	l := p.Spec.Limits
	if l == nil {
		return pool.Limits{}
	}
	out := pool.Limits{CallsPerSecond: float64(l.CallsPerSecond), Burst: int(l.Burst)}
	if l.Memory != nil {
		out.MemoryBytes = l.Memory.Value()
	}
	return out
}

// linked returns the newest linked version that meets the constraint. ok reports whether any
// version is linked.
func (r *Reconciler) linked(source, constraint string) (out origin, ok bool, err error) {
	address, addressErr := install.ParseAddress(source)
	if addressErr != nil {
		return origin{}, false, nil // a path, or an invalid source that the installer reports
	}
	launchers := map[string]provider.Launcher{}
	var versions []string
	for _, l := range r.Linked {
		if a, err := install.ParseAddress(l.Source); err == nil && a.String() == address.String() {
			launchers[l.Version] = l.Launcher
			versions = append(versions, l.Version)
		}
	}
	if len(versions) == 0 {
		return origin{}, false, nil
	}
	version, err := install.Newest(source, constraint, versions)
	if err != nil {
		return origin{}, true, err
	}
	return origin{
		name: address.Type, installed: v1alpha1.InstalledProvider{Version: version},
		launcher: launchers[version], linked: true,
	}, true, nil
}

// version returns the version of the provider; empty if it is not known.
func (o origin) version() string {
	if o.lock != nil {
		return o.lock.Version
	}
	return o.installed.Version
}

// program returns the program of a TerraformProvider, without the configuration of its kinds.
func (o origin) program(p *v1alpha1.TerraformProvider) v1alpha1.InstalledProvider {
	out := o.installed
	out.Source = p.Spec.Source
	return out
}

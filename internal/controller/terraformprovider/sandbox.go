package terraformprovider

import (
	"fmt"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/child"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
)

// sandbox returns what the process of a provider may do; nil if it is not restricted.
func (r *Reconciler) sandbox(spec *v1alpha1.ProviderSandbox) (*plugin.Sandbox, *kinds.Problem) {
	if !r.Sandbox.Applies() {
		return nil, nil
	}
	if err := r.Sandbox.Check(); err != nil {
		return nil, kinds.NotInstalled(v1alpha1.ReasonSandboxUnavailable,
			fmt.Errorf("--sandbox=%s: %w; use another machine, or another value", r.Sandbox, err))
	}
	out := &plugin.Sandbox{}
	if r.Installer.CacheDir != "" {
		out.Hidden = []string{r.Installer.CacheDir}
	}
	if spec == nil {
		return out, nil
	}
	out.Read, out.Write, out.Processes = spec.ReadPaths, spec.WritePaths, uint64(spec.Processes)
	for _, port := range spec.Connect {
		out.Connect = append(out.Connect, uint16(port))
	}
	if len(out.Connect) > 0 && !child.SandboxPorts() {
		return nil, kinds.NotInstalled(v1alpha1.ReasonSandboxUnavailable,
			fmt.Errorf("spec.sandbox.connect: %w; leave it out, or use another machine", child.ErrNoPorts))
	}
	return out, nil
}

// sandboxState returns whether the process of a provider is restricted.
func (r *Reconciler) sandboxState(how execution) v1alpha1.SandboxState {
	switch {
	case how.way == v1alpha1.ExecutionInProcess, how.attached:
		return ""
	case r.Sandbox == child.Off:
		return v1alpha1.SandboxOff
	case !r.Sandbox.Applies():
		return v1alpha1.SandboxUnavailable
	}
	return v1alpha1.SandboxEnforced
}

// sandboxLimitation describes what the sandbox of a provider does not restrict although it should,
// or is empty.
func (r *Reconciler) sandboxLimitation(how execution) string {
	switch r.sandboxState(how) {
	case v1alpha1.SandboxUnavailable:
		return fmt.Sprintf("The provider's process is not restricted: %s.", child.ErrNoSandbox)
	case v1alpha1.SandboxEnforced:
		if left := child.SandboxLimitation(); left != "" {
			return fmt.Sprintf("The provider's process is not restricted in %s.", left)
		}
	}
	return ""
}

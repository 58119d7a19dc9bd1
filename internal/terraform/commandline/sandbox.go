package commandline

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/landbridge-io/landbridge/internal/child"
)

// Sandbox is whether programs are restricted.
type Sandbox string

// The values of Sandbox. BestEffort restricts programs where the kernel supports it.
const (
	Require    Sandbox = "Require"
	BestEffort Sandbox = "BestEffort"
	Off        Sandbox = "Off"
)

func (s Sandbox) check() error {
	switch s {
	case Require:
		if !child.SandboxSupported() {
			return fmt.Errorf("programs cannot be restricted: %w", child.ErrNoSandbox)
		}
	case "", BestEffort, Off:
	default:
		return fmt.Errorf("%q is not %s, %s or %s", s, Require, BestEffort, Off)
	}
	return nil
}

// sandbox returns what a program may do with files: it reads all but credentials for Kubernetes and what belongs to other
// runs, and writes only in the given folders. It returns nil if programs are not restricted.
func (r *Runner) sandbox(folders []string) *child.Sandbox {
	if r.options.Sandbox == Off || !child.SandboxSupported() {
		return nil
	}
	hidden := append([]string{"/var/run/secrets", "/run/secrets", r.workspaces.current()}, r.options.Hidden...)
	hidden = append(hidden, filepath.SplitList(os.Getenv("KUBECONFIG"))...)
	if home, err := os.UserHomeDir(); err == nil {
		hidden = append(hidden, filepath.Join(home, ".kube"))
	}
	return &child.Sandbox{Hidden: hidden, Write: append(folders, os.DevNull)}
}

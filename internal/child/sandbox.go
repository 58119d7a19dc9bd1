package child

import (
	"errors"
	"os/exec"
)

// Sandbox is what a child may do with files. It cannot gain privileges, and signals none but its own children where the
// kernel is new enough. Nil is no restriction.
type Sandbox struct {
	// Hidden are the paths that it cannot read. All others it can, except new ones beside hidden ones. It can write none.
	Hidden []string
	// Write are the paths that it can read and write, also within hidden ones.
	Write []string
}

// ErrNoSandbox means that the kernel, or what restricts this program, does not support sandboxes.
var ErrNoSandbox = errors.New("the kernel has no Landlock of version 3 (Linux 6.2)")

// StartIn starts a command in a sandbox, and sets its SysProcAttr.
func StartIn(s *Sandbox, cmd *exec.Cmd) error {
	if s == nil {
		return Start(cmd)
	}
	return start(cmd, func(f func() error) error {
		result := make(chan error, 1)
		onThread(func() {
			err := s.restrict()
			if err == nil {
				err = f()
			}
			pid := 0
			if err == nil {
				pid = cmd.Process.Pid
			}
			result <- err
			if pid != 0 {
				WaitForExit(pid) // the kernel kills the child when this thread ends
			}
		})
		return <-result
	})
}

package child

import (
	"errors"
	"os/exec"
	"syscall"
)

// Sandbox is what a child may do. It has no capabilities and cannot gain privileges. Where the
// kernel is new enough, it signals none but its own children, and connects to no abstract sockets
// but theirs. Nil is no restriction.
type Sandbox struct {
	// Hidden are the paths that it cannot read or write, unless Read or Write has paths within
	// them.
	Hidden []string
	// Read are the paths that it can read. Nil is all but those of Hidden, and except new ones
	// beside hidden ones.
	Read []string
	// Write are the only paths that it can write, besides /dev/null. It can read them, too.
	Write []string
	// Connect are the only TCP ports that it can connect to. Nil is all.
	Connect []uint16
	// Processes is the number of processes and threads from which on it can start no more. All of
	// the user's count, of the whole machine; root has no limit. Defaults to 4096.
	Processes uint64
	// OpenFiles is the number of files that each of its processes can open. Defaults to 16384.
	OpenFiles uint64
	// FileSize is the size of the largest file that it can write, in bytes. 0 is no limit.
	FileSize uint64
}

const (
	defaultProcesses = 4096
	defaultOpenFiles = 16384
)

// ErrNoSandbox means that the kernel, or what restricts this program, does not support sandboxes.
var ErrNoSandbox = errors.New("the kernel has no Landlock of version 3 (Linux 6.2)")

// ErrNoPorts means that ports cannot be restricted.
var ErrNoPorts = errors.New("the kernel cannot restrict ports, which needs Landlock of version 4 (Linux 6.7)")

// errAgain means that a command must be started once more.
var errAgain = errors.New("another attempt is needed")

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
				err = s.begin(cmd, f)
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

// retried reports whether a command that failed to start is started once more: a binary that was
// just written is busy for a moment if another child started at the same time.
func retried(err error) bool { return errors.Is(err, syscall.ETXTBSY) || errors.Is(err, errAgain) }

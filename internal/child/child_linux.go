package child

import (
	"errors"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// setAttributes gives the child a process group of its own. The kernel kills the child when this
// program ends.
func setAttributes(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// WaitForExit waits until the process has ended, without reaping it.
func WaitForExit(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// KillGroup kills the process group that pid leads.
func KillGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

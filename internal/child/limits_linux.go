package child

import (
	"cmp"
	"errors"
	"fmt"
	"os/exec"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// noTrace is set when this program may not trace its children.
var noTrace atomic.Bool

// noCore is the limit of core dumps that prevents them. With 0, the kernel would still pass one on
// if that is how the machine is configured.
const noCore = 1

// NoCoreDumps prevents core dumps of this program, and of those that it starts: they would have
// secrets in them.
func NoCoreDumps() error {
	return unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{Cur: noCore, Max: noCore})
}

// begin starts a command with f and limits its resources. Limits belong to a process, so they
// cannot be set before it exists, unlike the other restrictions. So that it runs nothing without
// them, it is traced until they are set, where that is permitted.
func (s *Sandbox) begin(cmd *exec.Cmd, f func() error) error {
	cmd.SysProcAttr.Ptrace = !noTrace.Load()
	err := f()
	if errors.Is(err, syscall.EPERM) && cmd.SysProcAttr.Ptrace {
		noTrace.Store(true)
		return errAgain
	}
	if err != nil {
		return err
	}
	pid := cmd.Process.Pid
	if cmd.SysProcAttr.Ptrace {
		awaitStop(pid)
	}
	err = s.limit(pid)
	if cmd.SysProcAttr.Ptrace {
		err = errors.Join(err, detach(pid))
	}
	if err != nil {
		_ = cmd.Process.Kill()
		_, _ = cmd.Process.Wait()
	}
	return err
}

// awaitStop waits until a traced child is stopped, after its program was loaded and before it runs,
// or has ended.
func awaitStop(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WSTOPPED|unix.WEXITED|unix.WNOWAIT|unix.WALL, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

func detach(pid int) error {
	if err := unix.PtraceDetach(pid); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("cannot let the process run: %w", err)
	}
	return nil
}

// limit lowers the limits of a process.
func (s *Sandbox) limit(pid int) error {
	limits := map[int]uint64{
		unix.RLIMIT_CORE:   noCore,
		unix.RLIMIT_NPROC:  cmp.Or(s.Processes, defaultProcesses),
		unix.RLIMIT_NOFILE: cmp.Or(s.OpenFiles, defaultOpenFiles),
	}
	if s.FileSize > 0 {
		limits[unix.RLIMIT_FSIZE] = s.FileSize
	}
	for resource, most := range limits {
		var is unix.Rlimit
		if err := unix.Prlimit(pid, resource, nil, &is); err != nil {
			return ignoreEnded(err)
		}
		is.Max = min(is.Max, most)
		is.Cur = min(is.Cur, is.Max)
		if err := unix.Prlimit(pid, resource, &is, nil); err != nil {
			return ignoreEnded(err)
		}
	}
	return nil
}

func ignoreEnded(err error) error {
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	return fmt.Errorf("cannot limit the resources of the process: %w", err)
}

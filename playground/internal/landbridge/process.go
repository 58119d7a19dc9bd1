package landbridge

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// stopTimeout is longer than the controller's own grace period.
const stopTimeout = 40 * time.Second

// Process is a running child.
type Process struct {
	PID int

	name    string
	process *os.Process
	done    chan struct{}
	err     error // to be read after done
}

// start starts a program, which appends its output to a log, and returns at once. name is what
// errors call it.
func start(name, logFile, binary string, args ...string) (*Process, error) {
	if err := os.MkdirAll(filepath.Dir(logFile), 0o700); err != nil {
		return nil, err
	}
	log, err := os.OpenFile(logFile, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.Command(binary, args...)
	cmd.Stdout, cmd.Stderr = log, log
	// A process group of its own: Ctrl-C then reaches only this process, which
	// stops the controller before the API server that it needs.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	endWithParent(cmd.SysProcAttr)

	c := &Process{name: name, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		// The child ends with the thread that started it, so this thread has
		// to live as long as the child.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		if c.process = cmd.Process; c.process != nil {
			c.PID = c.process.Pid
		}
		started <- err
		if err == nil {
			c.err = cmd.Wait()
			close(c.done)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	return c, nil
}

// Done is closed when the process has ended.
func (c *Process) Done() <-chan struct{} { return c.done }

// Err returns an error that tells how the process ended. It may be called after
// Done is closed.
func (c *Process) Err() error {
	if c.err == nil {
		return fmt.Errorf("%s ended by itself", c.name)
	}
	return fmt.Errorf("%s ended: %w", c.name, c.err)
}

// Stop tells the process to end. It returns nil if the process ends with exit
// code 0.
func (c *Process) Stop() error {
	_ = c.process.Signal(syscall.SIGTERM)
	select {
	case <-c.done:
		if c.err != nil {
			return fmt.Errorf("stopping %s: %w", c.name, c.err)
		}
		return nil
	case <-time.After(stopTimeout):
		_ = c.process.Kill()
		<-c.done
		return fmt.Errorf("%s did not stop within %s", c.name, stopTimeout)
	}
}

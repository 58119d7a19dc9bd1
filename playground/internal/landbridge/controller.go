package landbridge

import (
	"errors"
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

// Options configures Start.
type Options struct {
	Binary     string        // of the landbridge command
	Kubeconfig string        // of the cluster to work in
	Mirror     string        // directory with providers, in the layout of filesystem mirrors; empty for the public registry
	Cache      string        // directory for unpacked providers
	Log        string        // file the controller logs to, appended to
	Poll       time.Duration // how often unchanged resources are looked at
}

// Controller is a running controller.
type Controller struct {
	PID int

	process *os.Process
	done    chan struct{}
	err     error // to be read after done
}

// Start starts the controller and returns at once.
func Start(o Options) (*Controller, error) {
	if err := os.MkdirAll(filepath.Dir(o.Log), 0o700); err != nil {
		return nil, err
	}
	log, err := os.OpenFile(o.Log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	args := []string{
		"controller",
		"--kubeconfig", o.Kubeconfig,
		"--provider-cache", o.Cache,
		"--poll", o.Poll.String(),
		// There is no other controller in this cluster, and no monitoring.
		"--leader-elect=false", "--metrics-address=0", "--health-address=0",
		// The example providers show their objects at once.
		"--creation-grace-period=-1s",
	}
	if o.Mirror != "" {
		args = append(args, "--provider-mirror", o.Mirror)
	}
	cmd := exec.Command(o.Binary, args...)
	cmd.Stdout, cmd.Stderr = log, log
	// A process group of its own: Ctrl-C then reaches only this process, which
	// stops the controller before the API server that it needs.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	endWithParent(cmd.SysProcAttr)

	c := &Controller{done: make(chan struct{})}
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
		return nil, fmt.Errorf("starting the controller: %w", err)
	}
	return c, nil
}

// Done is closed when the process has ended.
func (c *Controller) Done() <-chan struct{} { return c.done }

// Err returns an error that tells how the process ended. It may be called after
// Done is closed.
func (c *Controller) Err() error {
	if c.err == nil {
		return errors.New("the controller ended by itself")
	}
	return fmt.Errorf("the controller ended: %w", c.err)
}

// Stop tells the process to end. It returns nil if the process ends with exit
// code 0.
func (c *Controller) Stop() error {
	_ = c.process.Signal(syscall.SIGTERM)
	select {
	case <-c.done:
		if c.err != nil {
			return fmt.Errorf("stopping the controller: %w", c.err)
		}
		return nil
	case <-time.After(stopTimeout):
		_ = c.process.Kill()
		<-c.done
		return fmt.Errorf("the controller did not stop within %s", stopTimeout)
	}
}

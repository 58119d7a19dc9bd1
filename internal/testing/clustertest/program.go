package clustertest

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// Program is a controller that runs as a process of its own, as users run it.
type Program struct {
	PID int

	process *os.Process
	exited  chan error
}

// StartProgram starts the program "landbridge controller" with these flags beside those that all
// controllers in tests have. The test has to end it with Stop or Kill.
func (c *Cluster) StartProgram(tb testing.TB, poll time.Duration, flags ...string) *Program {
	tb.Helper()
	binary, err := testbin.Build(tb.Context(), testbin.Landbridge)
	if err != nil {
		tb.Fatal(err)
	}
	return c.StartBinary(tb, binary, poll, append([]string{"--creation-grace-period=-1s", "--destroys-per-minute=0"}, flags...)...)
}

// StartBinary is StartProgram for the program of another release, with the flags that all releases
// have.
func (c *Cluster) StartBinary(tb testing.TB, binary string, poll time.Duration, flags ...string) *Program {
	tb.Helper()
	log, err := os.OpenFile(c.Log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		tb.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command(binary, append([]string{"controller", "--kubeconfig", c.restrictedKubeconfig(tb), "--poll", poll.String(),
		"--leader-elect=false", "--metrics-address=0", "--health-address=0"}, flags...)...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	p := &Program{PID: cmd.Process.Pid, process: cmd.Process, exited: make(chan error, 1)}
	go func() { p.exited <- cmd.Wait() }()
	return p
}

// RunProgram runs StartProgram until the test ends. The test fails if the program ends with an
// error.
func (c *Cluster) RunProgram(tb testing.TB, poll time.Duration, flags ...string) {
	tb.Helper()
	p := c.StartProgram(tb, poll, flags...)
	tb.Cleanup(func() {
		p.Stop(tb)
		c.ShowLog(tb)
	})
}

// Stop asks the program to end and waits until it has. It must end without an error.
func (p *Program) Stop(tb testing.TB) {
	tb.Helper()
	_ = p.process.Signal(syscall.SIGTERM)
	select {
	case err := <-p.exited:
		if err != nil {
			tb.Errorf("the controller ended with %v", err)
		}
	case <-time.After(stopLimit):
		_ = p.process.Kill()
		tb.Errorf("the controller did not stop within %s", stopLimit)
	}
}

// Kill ends the program as a crash does. The test fails if the program has ended before.
func (p *Program) Kill(tb testing.TB) {
	tb.Helper()
	if err := p.process.Kill(); err != nil {
		tb.Error(err)
		return
	}
	<-p.exited
}

package plugin

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin/runner"

	"github.com/landbridge-io/landbridge/internal/child"
)

// drainTime is how long the output of a dead process may still be read: a grandchild that
// kept the pipe open must not keep its grandparent alive in our books.
const drainTime = time.Second

// process is one child process with its output. It is a go-plugin runner, so that the
// handshake is go-plugin's while starting, reading, reaping and killing are ours: the child
// leads a process group of its own, dies with this program, and its output is read to the
// end whatever it writes.
type process struct {
	cmd    *exec.Cmd
	output *output

	started atomic.Bool
	// handshake carries the first line of stdout to go-plugin; later lines are logs.
	handshake      *io.PipeReader
	handshakeInput *io.PipeWriter

	// done is closed when the process was reaped and its output read; state is set then.
	done  chan struct{}
	state *os.ProcessState

	mu     sync.Mutex
	reaped bool
	killed bool
}

var _ runner.Runner = (*process)(nil)

func newProcess(path string, args []string, out *output) *process {
	p := &process{cmd: exec.Command(path, args...), output: out, done: make(chan struct{})}
	p.handshake, p.handshakeInput = io.Pipe()
	return p
}

// Start starts the child. It is called by go-plugin, once.
func (p *process) Start(context.Context) error {
	stdout, childStdout, err := os.Pipe()
	if err != nil {
		return err
	}
	stderr, childStderr, err := os.Pipe()
	if err != nil {
		closeAll(stdout, childStdout)
		return err
	}
	p.cmd.Stdout, p.cmd.Stderr, p.cmd.Stdin = childStdout, childStderr, nil
	p.mu.Lock()
	if err = context.Canceled; !p.killed {
		err = child.Start(p.cmd)
	}
	p.started.Store(err == nil)
	p.mu.Unlock()
	closeAll(childStdout, childStderr)
	if err != nil {
		closeAll(stdout, stderr)
		return err
	}

	p.output.open()
	var readers sync.WaitGroup
	readers.Go(func() { p.output.readStdout(stdout, p.handshakeInput) })
	readers.Go(func() { p.output.readStderr(stderr) })
	go func() {
		child.WaitForExit(p.cmd.Process.Pid)
		p.reap()
		read := make(chan struct{})
		go func() { readers.Wait(); close(read) }()
		select {
		case <-read:
		case <-time.After(drainTime):
		}
		closeAll(stdout, stderr)
		_ = p.handshake.Close()
		<-read
		close(p.done)
		time.Sleep(drainTime) // go-plugin may still bring some
		p.output.writer.end(0)
	}()
	return nil
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

// reap kills what the child left behind while its process id still is its own, then lets
// the kernel forget it.
func (p *process) reap() {
	p.mu.Lock()
	defer p.mu.Unlock()
	child.KillGroup(p.cmd.Process.Pid)
	p.state, _ = p.cmd.Process.Wait()
	p.reaped = true
}

// over says whether the process has ended.
func (p *process) over() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// exited is how the process ended; only after done.
func (p *process) exited() string {
	if p.state == nil {
		return "ended in an unknown way"
	}
	if status, ok := p.state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return "was ended by signal " + status.Signal().String()
	}
	return fmt.Sprintf("exited with status %d", p.state.ExitCode())
}

// Wait waits for the end of the process.
func (p *process) Wait(context.Context) error {
	<-p.done
	return nil
}

// Kill kills the process and its group and waits until it is reaped. One that was not
// started yet never will be.
func (p *process) Kill(context.Context) error {
	p.mu.Lock()
	p.killed = true
	started := p.started.Load()
	if started && !p.reaped {
		_ = p.cmd.Process.Kill()
		child.KillGroup(p.cmd.Process.Pid)
	}
	p.mu.Unlock()
	if started {
		<-p.done
	}
	return nil
}

// Stdout gives go-plugin the handshake line.
func (p *process) Stdout() io.ReadCloser { return p.handshake }

// Stderr gives go-plugin nothing; it is read here.
func (p *process) Stderr() io.ReadCloser { return io.NopCloser(emptyReader{}) }

type emptyReader struct{}

func (emptyReader) Read([]byte) (int, error) { return 0, io.EOF }

// Name is the name of the provider's binary.
func (p *process) Name() string { return filepath.Base(p.cmd.Path) }

// ID is the process id, empty before the start.
func (p *process) ID() string {
	if !p.started.Load() {
		return ""
	}
	return strconv.Itoa(p.cmd.Process.Pid)
}

// Diagnose says nothing: handshake.go does.
func (p *process) Diagnose(context.Context) string { return "" }

// PluginToHost leaves addresses as they are.
func (p *process) PluginToHost(network, address string) (string, string, error) {
	return network, address, nil
}

// HostToPlugin leaves addresses as they are.
func (p *process) HostToPlugin(network, address string) (string, string, error) {
	return network, address, nil
}

// runnerFunc hands the process to go-plugin, with the environment go-plugin made.
func (p *process) runnerFunc(_ hclog.Logger, spec *exec.Cmd, _ string) (runner.Runner, error) {
	p.cmd.Env = append(p.cmd.Env, spec.Env...)
	return p, nil
}

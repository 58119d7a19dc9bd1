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

// drainTime bounds reading the output of a dead process, because a grandchild may keep the pipe
// open.
const drainTime = time.Second

// process is one child process with its output. It is a go-plugin runner: go-plugin does the
// handshake, and process starts, reads, kills and reaps the child. The child leads its own process
// group, is killed when this program ends, and its output is always read to the end.
type process struct {
	cmd    *exec.Cmd
	output *output
	// sandbox restricts the process; nil does not.
	sandbox *child.Sandbox

	started atomic.Bool
	// handshake carries the first line of stdout to go-plugin; later lines are logs.
	handshake      *io.PipeReader
	handshakeInput *io.PipeWriter

	// done is closed when the process has been reaped and its output read. state is set by then.
	done  chan struct{}
	state *os.ProcessState

	mu     sync.Mutex
	reaped bool
	killed bool
}

var _ runner.Runner = (*process)(nil)

func newProcess(binary *os.File, args []string, out *output) *process {
	p := &process{cmd: command(binary, args), output: out, done: make(chan struct{})}
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
		err = child.StartIn(p.sandbox, p.cmd)
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
		time.Sleep(drainTime) // go-plugin may still deliver output
		p.output.writer.end(0)
	}()
	return nil
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

// reap kills the rest of the process group while the child's process id cannot be reused, and then
// reaps the child.
func (p *process) reap() {
	p.mu.Lock()
	defer p.mu.Unlock()
	child.KillGroup(p.cmd.Process.Pid)
	p.state, _ = p.cmd.Process.Wait()
	p.reaped = true
}

// over reports whether the process has ended.
func (p *process) over() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// exited describes how the process ended. It must be called only after done.
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

// Kill kills the process and its group, and waits until the process is reaped. A process that has
// not started yet is never started.
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

// Stdout returns a reader of the handshake line.
func (p *process) Stdout() io.ReadCloser { return p.handshake }

// Stderr returns an empty reader, because output reads stderr.
func (p *process) Stderr() io.ReadCloser { return io.NopCloser(emptyReader{}) }

type emptyReader struct{}

func (emptyReader) Read([]byte) (int, error) { return 0, io.EOF }

// Name returns the name of the provider's binary.
func (p *process) Name() string { return filepath.Base(p.cmd.Args[0]) }

// ID returns the process id; empty before the start.
func (p *process) ID() string {
	if !p.started.Load() {
		return ""
	}
	return strconv.Itoa(p.cmd.Process.Pid)
}

// Diagnose returns nothing, because handshake.go explains failures.
func (p *process) Diagnose(context.Context) string { return "" }

// PluginToHost returns the address unchanged.
func (p *process) PluginToHost(network, address string) (string, string, error) {
	return network, address, nil
}

// HostToPlugin returns the address unchanged.
func (p *process) HostToPlugin(network, address string) (string, string, error) {
	return network, address, nil
}

// runnerFunc returns the process as go-plugin's runner, with the environment that go-plugin
// prepared.
func (p *process) runnerFunc(_ hclog.Logger, spec *exec.Cmd, _ string) (runner.Runner, error) {
	p.cmd.Env = append(p.cmd.Env, spec.Env...)
	return p, nil
}

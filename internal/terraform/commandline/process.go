package commandline

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"github.com/landbridge-io/landbridge/internal/child"
	"github.com/landbridge-io/landbridge/internal/provider"
)

const (
	// stderrKept is the size from which on standard error is dropped, in bytes.
	stderrKept = 16 << 10
	// stdoutKept is the size from which on standard output is dropped, in bytes. A plan of one
	// resource is far smaller.
	stdoutKept = 64 << 20
	// goodbye is the time that a program has to end after the operation was cancelled.
	goodbye = 5 * time.Second
	// pipesTimeout limits the time to read the program's output after it has ended. A child that
	// left its process group may still hold the pipes.
	pipesTimeout = time.Second
)

// process is one run of the program.
type process struct {
	path string
	args []string
	dir  string
	env  []string
	// line is called for each line of the standard output; may be nil.
	line func([]byte)
	// waiting reports whether the program waits for an answer of this process; nil means never. A
	// program that does not wait and writes nothing for the time of patience is killed; 0 means
	// never.
	waiting  func() bool
	patience time.Duration
	// sandbox restricts the program; nil does not.
	sandbox *child.Sandbox
}

// run runs the program until it ends. An error means that it did not start.
func (p *process) run(ctx context.Context) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{Status: -1, Killed: err}, nil
	}
	if provider.Interrupted(ctx).Err() != nil {
		return Result{Status: -1, Killed: errInterrupted}, nil
	}
	cmd := exec.Command(p.path, p.args...)
	cmd.Dir, cmd.Env = p.dir, p.env
	stdout, childStdout, err := os.Pipe()
	if err != nil {
		return Result{}, err
	}
	defer stdout.Close()
	stderr, childStderr, err := os.Pipe()
	if err != nil {
		childStdout.Close()
		return Result{}, err
	}
	defer stderr.Close()
	cmd.Stdout, cmd.Stderr = childStdout, childStderr
	err = child.StartIn(p.sandbox, cmd)
	childStdout.Close()
	childStderr.Close()
	if err != nil {
		return Result{}, err
	}

	var out Result
	var wrote atomic.Int64 // when it wrote something last
	wrote.Store(time.Now().UnixNano())
	var readers sync.WaitGroup
	var errText bytes.Buffer
	readers.Go(func() { out.Stdout = p.read(stdout, &wrote) })
	readers.Go(func() {
		_, _ = io.CopyN(&errText, stderr, stderrKept)
		_, _ = io.Copy(io.Discard, stderr)
	})
	// The group is killed before its leader is reaped: until then, its id is not used again.
	exited := make(chan struct{})
	go func() {
		child.WaitForExit(cmd.Process.Pid)
		close(exited)
	}()
	out.Killed = p.watch(ctx, exited, &wrote, cmd.Process)
	child.KillGroup(cmd.Process.Pid)
	state, _ := cmd.Process.Wait()
	read := make(chan struct{})
	go func() { readers.Wait(); close(read) }()
	select {
	case <-read:
	case <-time.After(pipesTimeout):
		stdout.Close()
		stderr.Close()
		<-read
	}
	out.Stderr, out.Status = errText.String(), state.ExitCode()
	return out, nil
}

// watch waits until the program has ended, or kills it and returns why. If the operation is
// interrupted, so is the program: it begins nothing more, and waits for the answers of providers.
func (p *process) watch(ctx context.Context, exited <-chan struct{}, wrote *atomic.Int64, program *os.Process) error {
	kill := func() { child.KillGroup(program.Pid); _ = program.Kill() }
	var tick <-chan time.Time
	if p.patience > 0 {
		ticker := time.NewTicker(max(p.patience/8, time.Millisecond))
		defer ticker.Stop()
		tick = ticker.C
	}
	over, interrupted := ctx.Done(), provider.Interrupted(ctx).Done()
	var given <-chan time.Time
	for {
		select {
		case <-exited:
			return nil
		case <-interrupted:
			interrupted = nil
			_ = program.Signal(os.Interrupt)
		case <-over:
			// The call that it waits for is cancelled, too: it gets the answer, and writes its
			// state.
			over = nil
			if p.waiting == nil || !p.waiting() {
				kill()
				<-exited
				return ctx.Err()
			}
			given = time.After(goodbye)
		case <-given:
			kill()
			<-exited
			return ctx.Err()
		case <-tick:
			if p.waiting != nil && p.waiting() {
				wrote.Store(time.Now().UnixNano())
				continue
			}
			if time.Since(time.Unix(0, wrote.Load())) >= p.patience {
				kill()
				<-exited
				return errHangs
			}
		}
	}
}

// read returns the standard output when it has ended.
func (p *process) read(from io.Reader, wrote *atomic.Int64) []byte {
	var kept bytes.Buffer
	lines := bufio.NewReader(&heard{from, wrote})
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			if kept.Len()+len(line) <= stdoutKept {
				kept.Write(line)
			}
			if p.line != nil {
				p.line(line)
			}
		}
		if err != nil {
			return kept.Bytes()
		}
	}
}

// heard records when something was read last.
type heard struct {
	io.Reader
	last *atomic.Int64
}

func (h *heard) Read(into []byte) (int, error) {
	n, err := h.Reader.Read(into)
	if n > 0 {
		h.last.Store(time.Now().UnixNano())
	}
	return n, err
}

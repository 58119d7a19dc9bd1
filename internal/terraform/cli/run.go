package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"github.com/landbridge-io/landbridge/internal/child"
)

const (
	// stderrKept is how much of what the program writes to its standard error is kept, in bytes.
	stderrKept = 16 << 10
	// stdoutKept is how much of its standard output is kept, in bytes. A plan of one resource is far
	// from that.
	stdoutKept = 64 << 20
	// goodbye is how long the program may take to end after the operation was given up.
	goodbye = 5 * time.Second
)

// inherited are the variables that the program gets from this one's environment. All else, this
// program's credentials above all, stays here. It needs no proxy: it speaks to nobody.
var inherited = []string{"PATH", "TZ", "LANG"}

// environment is that of every run, and more.
func environment(more map[string]string) []string {
	out := []string{
		"CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1", "TF_INPUT=0",
		// What it leaves behind within a second or two is not worth to be collected.
		"GOGC=400",
	}
	for _, name := range inherited {
		if value, ok := os.LookupEnv(name); ok {
			out = append(out, name+"="+value)
		}
	}
	for name, value := range more {
		out = append(out, name+"="+value)
	}
	return out
}

// run is one run of the program.
type run struct {
	path string
	args []string
	dir  string
	env  []string
	// line is told each line of the standard output as it comes; nil for nobody.
	line func([]byte)
	// busy says whether the program waits for an answer of ours; nil is never. One that is not, and
	// says nothing for as long as patience, is given up; 0 is forever.
	busy     func() bool
	patience time.Duration
}

// output is what came of a run.
type output struct {
	stdout []byte
	stderr string
	// code is the exit status; -1 if it did not exit by itself.
	code int
	// killed says why it was ended; nil if it ended by itself.
	killed error
}

// errHangs is why a program is ended that neither says anything nor waits for anything.
var errHangs = errors.New("it hung")

// do runs the program to its end. It is an error if it does not start.
func (r *run) do(ctx context.Context) (output, error) {
	if err := ctx.Err(); err != nil {
		return output{code: -1, killed: err}, nil
	}
	cmd := exec.Command(r.path, r.args...)
	cmd.Dir, cmd.Env = r.dir, r.env
	stdout, childStdout, err := os.Pipe()
	if err != nil {
		return output{}, err
	}
	defer stdout.Close()
	stderr, childStderr, err := os.Pipe()
	if err != nil {
		childStdout.Close()
		return output{}, err
	}
	defer stderr.Close()
	cmd.Stdout, cmd.Stderr = childStdout, childStderr
	err = child.Start(cmd)
	childStdout.Close()
	childStderr.Close()
	if err != nil {
		return output{}, err
	}

	var out output
	var said atomic.Int64 // when it said something last
	said.Store(time.Now().UnixNano())
	var readers sync.WaitGroup
	var errText bytes.Buffer
	readers.Go(func() { out.stdout = r.read(stdout, &said) })
	readers.Go(func() {
		_, _ = io.CopyN(&errText, stderr, stderrKept)
		_, _ = io.Copy(io.Discard, stderr)
	})
	// The group is killed before its leader is reaped: until then, its number is nobody else's.
	exited := make(chan struct{})
	go func() {
		child.WaitForExit(cmd.Process.Pid)
		close(exited)
	}()
	out.killed = r.watch(ctx, exited, &said, func() { child.KillGroup(cmd.Process.Pid); _ = cmd.Process.Kill() })
	child.KillGroup(cmd.Process.Pid)
	state, _ := cmd.Process.Wait()
	read := make(chan struct{})
	go func() { readers.Wait(); close(read) }()
	select {
	case <-read:
	case <-time.After(time.Second): // something that left the group still holds the pipe
		stdout.Close()
		stderr.Close()
		<-read
	}
	out.stderr, out.code = errText.String(), state.ExitCode()
	return out, nil
}

// watch waits until the program has ended, or ends it; it then says why.
func (r *run) watch(ctx context.Context, exited <-chan struct{}, said *atomic.Int64, kill func()) error {
	var tick <-chan time.Time
	if r.patience > 0 {
		ticker := time.NewTicker(max(r.patience/8, time.Millisecond))
		defer ticker.Stop()
		tick = ticker.C
	}
	over := ctx.Done()
	var given <-chan time.Time
	for {
		select {
		case <-exited:
			return nil
		case <-over:
			// What it waits for is being given up as well: it is told so, and writes down what it knows.
			over = nil
			if r.busy == nil || !r.busy() {
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
			if r.busy != nil && r.busy() {
				said.Store(time.Now().UnixNano())
				continue
			}
			if time.Since(time.Unix(0, said.Load())) >= r.patience {
				kill()
				<-exited
				return errHangs
			}
		}
	}
}

// read reads the standard output to its end.
func (r *run) read(from io.Reader, said *atomic.Int64) []byte {
	var kept bytes.Buffer
	lines := bufio.NewReader(&heard{from, said})
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			if kept.Len()+len(line) <= stdoutKept {
				kept.Write(line)
			}
			if r.line != nil {
				r.line(line)
			}
		}
		if err != nil {
			return kept.Bytes()
		}
	}
}

// heard takes note of when something was read last.
type heard struct {
	io.Reader
	last *atomic.Int64
}

func (h *heard) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	if n > 0 {
		h.last.Store(time.Now().UnixNano())
	}
	return n, err
}

// ended says how a run ended, for a person.
func (o output) ended() string {
	switch {
	case errors.Is(o.killed, errHangs):
		return "it neither said anything nor waited for the provider, and was ended"
	case o.killed != nil:
		return "it was ended, since there was no more time"
	case o.code < 0:
		return "it was ended by a signal"
	}
	return fmt.Sprintf("it exited with status %d", o.code)
}

package doctest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// terminal is another terminal than that of the page's other commands, with the command that runs
// in it.
type terminal struct {
	text string // the command, as in the page
	line int
	out  string // file
	cmd  *exec.Cmd
	done chan struct{} // closed when the command has ended
}

// elsewhere runs a command in the directory and with the variables of the session, and leaves them
// alone.
const elsewhere = `
[ -f "$1/env" ] && . "$1/env" && cd "$(cat "$1/pwd")"
eval "$2"
`

// background starts a command in another terminal and returns when it has printed what the page
// says. It then goes on until interrupt.
func (s *session) background(ctx context.Context, step step, command string, want []string) (got []string, mismatch string, err error) {
	out, err := os.CreateTemp(s.private, "output-")
	if err != nil {
		return nil, "", err
	}
	defer out.Close()
	t := &terminal{
		text: step.command, line: step.line, out: out.Name(), done: make(chan struct{}),
		cmd: s.command(ctx, out, elsewhere, command),
	}
	if err := t.cmd.Start(); err != nil {
		return nil, "", err
	}
	go func() {
		_ = t.cmd.Wait()
		close(t.done)
	}()
	s.terminals = append(s.terminals, t)
	for deadline := time.Now().Add(s.Timeout); ; {
		ended := t.ended()
		printed, err := os.ReadFile(t.out)
		if err != nil {
			return nil, "", err
		}
		got = withoutIncidental(want, trimmed(strings.Split(string(printed), "\n")))
		if mismatch, err = s.compare(want, got); err != nil {
			return nil, "", err
		}
		switch {
		case ended:
			return nil, "", fmt.Errorf("$ %s\nended with status %d, and is to run until it is interrupted:\n%s",
				step.command, t.cmd.ProcessState.ExitCode(), printed)
		case mismatch == "" || time.Now().After(deadline):
			return got, mismatch, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func (t *terminal) ended() bool {
	select {
	case <-t.done:
		return true
	default:
		return false
	}
}

// interrupt presses Ctrl-C in the other terminals, the last one first, and waits until nothing runs
// in them.
func (s *session) interrupt(ctx context.Context) (err error) {
	for len(s.terminals) > 0 {
		t := s.terminals[len(s.terminals)-1]
		s.terminals = s.terminals[:len(s.terminals)-1]
		s.groups = append(s.groups, t.cmd.Process.Pid)
		if e := s.interruptOne(ctx, t); e != nil {
			printed, _ := os.ReadFile(t.out)
			err = errors.Join(err, fmt.Errorf("line %d: $ %s\n%w:\n%s", t.line, t.text, e, printed))
		}
	}
	return err
}

func (s *session) interruptOne(ctx context.Context, t *terminal) error {
	if t.ended() {
		return fmt.Errorf("ended by itself, with status %d", t.cmd.ProcessState.ExitCode())
	}
	group := -t.cmd.Process.Pid
	if err := syscall.Kill(group, syscall.SIGINT); err != nil {
		return err
	}
	for deadline := time.Now().Add(s.Timeout); ; time.Sleep(20 * time.Millisecond) {
		if t.ended() && errors.Is(syscall.Kill(group, 0), syscall.ESRCH) {
			return nil
		}
		if ctx.Err() != nil || time.Now().After(deadline) {
			return fmt.Errorf("did not end within %s after Ctrl-C", s.Timeout)
		}
	}
}

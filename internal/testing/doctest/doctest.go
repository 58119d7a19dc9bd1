package doctest

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write golden files anew")

// Options configures how the commands of a page run.
type Options struct {
	// Dir is the initial working directory. Defaults to a temporary directory of the test.
	Dir string
	// Env holds environment variables, as "name=value", in addition to those of the test itself.
	Env []string
	// Replace maps texts of the page to those of the test, such as the address of a server. It applies
	// to commands, files and outputs.
	Replace map[string]string
	// Patterns maps placeholders whose value differs each time to regular expressions (RE2) of their
	// values, such as "<age>" to `\d+[smh]`.
	Patterns map[string]string
	// Timeout of a command. Defaults to six minutes.
	Timeout time.Duration
}

// Test runs the page in a file.
func Test(t *testing.T, file string, o Options) {
	t.Helper()
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	written, err := Run(t.Context(), page, o)
	if *update && !bytes.Equal(page, written) {
		if err := os.WriteFile(file, written, 0o644); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s was written anew", file)
		var mismatch *MismatchError
		if errors.As(err, &mismatch) {
			return
		}
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// MismatchError lists the commands whose output differs from the page.
type MismatchError struct{ Mismatches []string }

func (e *MismatchError) Error() string { return strings.Join(e.Mismatches, "\n\n") }

// Run runs a page and returns the page with the actual output. The error is a *MismatchError if all
// commands ended with the expected status but some printed something else. Any other error means that
// the page cannot be run, or that a command ended with another status; it ends the run.
func Run(ctx context.Context, page []byte, o Options) ([]byte, error) {
	lines := strings.Split(string(page), "\n")
	steps, err := parse(lines)
	if err != nil {
		return page, err
	}
	if len(steps) == 0 {
		return page, errors.New("the page has no console block")
	}
	s, err := newSession(o)
	if err != nil {
		return page, err
	}
	defer s.close()
	var mismatches []string
	shift := 0 // of lines, by what was written so far
	for _, step := range steps {
		got, mismatch, err := s.do(ctx, step)
		if err != nil {
			return []byte(strings.Join(lines, "\n")), fmt.Errorf("line %d: %w", step.line, err)
		}
		if mismatch == "" {
			continue
		}
		mismatches = append(mismatches, fmt.Sprintf("line %d: $ %s\n%s", step.line, step.command, mismatch))
		for i := range got {
			got[i] = strings.TrimRight(step.indent+s.page(got[i]), " ")
		}
		lines = append(lines[:step.from+shift:step.from+shift], append(got, lines[step.to+shift:]...)...)
		shift += len(got) - (step.to - step.from)
	}
	if mismatches != nil {
		return []byte(strings.Join(lines, "\n")), &MismatchError{mismatches}
	}
	return page, nil
}

// session is the state that the commands of a page share.
type session struct {
	Options
	bindings
	private string // directory with what is between two commands
	temp    bool   // Dir is ours
	groups  []int  // process groups of the commands
	toTest  *strings.Replacer
	toPage  *strings.Replacer
}

func newSession(o Options) (s *session, err error) {
	s = &session{Options: o, bindings: bindings{values: map[string]string{}, patterns: o.Patterns}}
	if s.Timeout == 0 {
		s.Timeout = 6 * time.Minute
	}
	var there, back []string
	for page, test := range o.Replace {
		there, back = append(there, page, test), append(back, test, page)
	}
	s.toTest, s.toPage = strings.NewReplacer(there...), strings.NewReplacer(back...)
	if s.private, err = os.MkdirTemp("", "doctest-"); err != nil {
		return nil, err
	}
	if s.Dir == "" {
		s.temp = true
		if s.Dir, err = os.MkdirTemp("", "doctest-"); err != nil {
			os.RemoveAll(s.private)
			return nil, err
		}
	}
	return s, nil
}

// close ends the processes that the commands have left running.
func (s *session) close() {
	for _, pid := range s.groups {
		_ = syscall.Kill(-pid, syscall.SIGTERM)
	}
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		running := false
		for _, pid := range s.groups {
			running = running || syscall.Kill(-pid, 0) == nil
		}
		if !running {
			break
		}
	}
	for _, pid := range s.groups {
		_ = syscall.Kill(-pid, syscall.SIGKILL)
	}
	os.RemoveAll(s.private)
	if s.temp {
		os.RemoveAll(s.Dir)
	}
}

// page returns an output line with the texts of the page.
func (s *session) page(line string) string { return s.restore(s.toPage.Replace(line)) }

// do carries out a step. It returns the output and how it differs from the expected one.
func (s *session) do(ctx context.Context, step step) (got []string, mismatch string, err error) {
	if step.file != "" {
		content, err := s.substitute(s.toTest.Replace(step.content))
		if err != nil {
			return nil, "", err
		}
		return nil, "", os.WriteFile(filepath.Join(s.Dir, step.file), []byte(content), 0o644)
	}
	command, err := s.substitute(s.toTest.Replace(step.command))
	if err != nil {
		return nil, "", err
	}
	want := make([]string, 0, len(step.want))
	for _, l := range step.want {
		want = append(want, s.toTest.Replace(l))
	}
	for deadline := time.Now().Add(step.within); ; time.Sleep(200 * time.Millisecond) {
		output, exit, err := s.shell(ctx, command)
		if err != nil {
			return nil, "", fmt.Errorf("$ %s\n%w\n%s", step.command, err, output)
		}
		got = withoutIncidental(want, plain(strings.Split(output, "\n")))
		if exit == step.exit {
			if mismatch, err = s.compare(want, got); err != nil || mismatch == "" {
				return got, "", err
			}
		}
		if time.Now().Before(deadline) {
			continue
		}
		if exit != step.exit {
			return nil, "", fmt.Errorf("$ %s\nended with status %d, want %d:\n%s", step.command, exit, step.exit, output)
		}
		return got, mismatch, nil
	}
}

// script runs a command in the directory and with the variables that the one before has left.
const script = `
[ -f "$1/env" ] && . "$1/env" && cd "$(cat "$1/pwd")"
trap 'export -p > "$1/env"; pwd > "$1/pwd"' EXIT
eval "$2"
`

// shell runs a command and returns its output and exit status.
func (s *session) shell(ctx context.Context, command string) (string, int, error) {
	// A file and not a pipe: a pipe would be kept open by a process that the command leaves in the
	// background.
	out, err := os.CreateTemp(s.private, "output-")
	if err != nil {
		return "", 0, err
	}
	defer os.Remove(out.Name())
	defer out.Close()
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", script, "bash", s.private, command)
	cmd.Dir, cmd.Env = s.Dir, append(os.Environ(), s.Env...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if err := cmd.Start(); err != nil {
		return "", 0, err
	}
	pid := cmd.Process.Pid
	err = cmd.Wait()
	if syscall.Kill(-pid, 0) == nil {
		s.groups = append(s.groups, pid)
	}
	printed, readErr := os.ReadFile(out.Name())
	if readErr != nil {
		return "", 0, readErr
	}
	if ctx.Err() != nil {
		return string(printed), 0, fmt.Errorf("did not end within %s", s.Timeout)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return string(printed), 0, err
	}
	return string(printed), cmd.ProcessState.ExitCode(), nil
}

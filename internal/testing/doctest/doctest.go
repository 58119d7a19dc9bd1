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
	"slices"
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
	// Environ is the whole environment, as "name=value". Defaults to that of the test itself.
	Environ []string
	// Env holds environment variables, as "name=value", in addition to those of Environ.
	Env []string
	// Treatments are the commands of the page, as they stand there, that need what a test does not
	// have, such as the nodes of a cluster. A treatment that the page has no command for is an
	// error.
	Treatments map[string]Treatment
	// Replace maps texts of the page to those of the test, such as the address of a server. It
	// applies to commands, files and outputs.
	Replace map[string]string
	// Patterns maps placeholders whose value differs each time to regular expressions (RE2) of
	// their values, such as "<age>" to `\d+[smh]`.
	Patterns map[string]string
	// Timeout of a command. Defaults to six minutes.
	Timeout time.Duration
}

// Treatment is how a command is carried out that needs what a test does not have.
type Treatment struct {
	// How says it in one sentence, for the list of treated commands.
	How string
	// Programs is the directory of the programs that take the place of others. It is the first one
	// of PATH while the command runs.
	Programs string
}

// Result is what a run did.
type Result struct {
	Page     []byte   // the page with the actual output
	Commands int      // how many commands ended as the page says
	Treated  []string // the commands that Options.Treatments names, in the order of the page
}

// Test runs the page in a file.
func Test(t *testing.T, file string, o Options) Result {
	t.Helper()
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	result, err := Run(t.Context(), page, o)
	if *update && !bytes.Equal(page, result.Page) {
		if err := os.WriteFile(file, result.Page, 0o644); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s was written anew", file)
		var mismatch *MismatchError
		if errors.As(err, &mismatch) {
			return result
		}
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return result
}

// MismatchError lists the commands whose output differs from the page.
type MismatchError struct{ Mismatches []string }

func (e *MismatchError) Error() string { return strings.Join(e.Mismatches, "\n\n") }

// Run runs a page. The error is a *MismatchError if all commands ended with the expected status but
// some printed something else. Any other error means that the page cannot be run, or that a command
// ended with another status; it ends the run.
func Run(ctx context.Context, page []byte, o Options) (r Result, err error) {
	r.Page = page
	lines := strings.Split(string(page), "\n")
	steps, err := parse(lines)
	if err != nil {
		return r, err
	}
	if len(steps) == 0 {
		return r, errors.New("the page has no console block")
	}
	if err := o.treatable(steps); err != nil {
		return r, err
	}
	s, err := newSession(o)
	if err != nil {
		return r, err
	}
	defer s.close()
	var mismatches []string
	shift := 0 // of lines, by what was written so far
	for _, step := range steps {
		got, mismatch, err := s.do(ctx, step)
		if err != nil {
			r.Page = []byte(strings.Join(lines, "\n"))
			return r, fmt.Errorf("line %d: %w", step.line, err)
		}
		if _, ok := o.Treatments[step.command]; ok {
			r.Treated = append(r.Treated, step.command)
		}
		if mismatch == "" {
			if step.file == "" {
				r.Commands++
			}
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
		r.Page, err = []byte(strings.Join(lines, "\n")), &MismatchError{mismatches}
	}
	return r, errors.Join(err, s.interrupt(ctx))
}

// treatable returns an error if there is a treatment that the page has no command for.
func (o Options) treatable(steps []step) error {
	for command := range o.Treatments {
		if !slices.ContainsFunc(steps, func(s step) bool { return s.file == "" && s.command == command }) {
			return fmt.Errorf("the page has no command %q, which is to be treated", command)
		}
	}
	return nil
}

// session is the state that the commands of a page share.
type session struct {
	Options
	bindings
	private   string      // directory with what is between two commands
	temp      bool        // Dir is ours
	groups    []int       // process groups of the commands
	terminals []*terminal // other ones, in which commands are still running
	toTest    *strings.Replacer
	toPage    *strings.Replacer
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
	for _, t := range s.terminals {
		s.groups = append(s.groups, t.cmd.Process.Pid)
	}
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
	if step.background {
		return s.background(ctx, step, command, want)
	}
	programs := s.Treatments[step.command].Programs
	for deadline := time.Now().Add(step.within); ; time.Sleep(200 * time.Millisecond) {
		output, exit, err := s.shell(ctx, command, programs)
		if err != nil {
			return nil, "", fmt.Errorf("$ %s\n%w\n%s", step.command, err, output)
		}
		got = withoutIncidental(want, trimmed(strings.Split(output, "\n")))
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

// script runs a command in the directory and with the variables that the one before has left. $3 is
// empty, or a directory that is the first one of PATH for this command alone.
const script = `
[ -f "$1/env" ] && . "$1/env" && cd "$(cat "$1/pwd")"
[ -z "$3" ] || PATH=$3:$PATH
trap '[ -z "$3" ] || PATH=${PATH#"$3:"}; export -p > "$1/env"; pwd > "$1/pwd"' EXIT
eval "$2"
`

// command is a command in a shell and a process group of its own, which prints to a file: a pipe
// would be kept open by a process that the command leaves in the background.
func (s *session) command(ctx context.Context, out *os.File, script string, args ...string) *exec.Cmd {
	environ := s.Environ
	if environ == nil {
		environ = os.Environ()
	}
	cmd := exec.CommandContext(ctx, "bash", append([]string{"-c", script, "bash", s.private}, args...)...)
	cmd.Dir, cmd.Env = s.Dir, append(slices.Clone(environ), s.Env...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd
}

// shell runs a command and returns its output and exit status.
func (s *session) shell(ctx context.Context, command, programs string) (string, int, error) {
	out, err := os.CreateTemp(s.private, "output-")
	if err != nil {
		return "", 0, err
	}
	defer os.Remove(out.Name())
	defer out.Close()
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	cmd := s.command(ctx, out, script, command, programs)
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

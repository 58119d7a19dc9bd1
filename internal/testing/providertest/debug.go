package providertest

import (
	"bufio"
	"os"
	"os/exec"
	"regexp"
	"syscall"
	"testing"
)

// Process is a provider that was started for a debugger.
type Process struct {
	// Attach is the value of TF_REATTACH_PROVIDERS that it has printed.
	Attach string
	cmd    *exec.Cmd
}

// printed is how SDKs print the variable.
var printed = regexp.MustCompile(`TF_REATTACH_PROVIDERS='(.*)'`)

// Debug starts a provider's program with arguments and environment variables (NAME=VALUE) that make
// it wait to be attached. It is ended with the test.
func Debug(tb testing.TB, program string, args []string, env ...string) *Process {
	tb.Helper()
	p := &Process{cmd: exec.Command(program, args...)}
	p.cmd.Env = append(os.Environ(), env...)
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(p.End)
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if m := printed.FindStringSubmatch(lines.Text()); m != nil {
			p.Attach = m[1]
			return p
		}
	}
	tb.Fatalf("%s does not tell how to attach it", program)
	return nil
}

// Runs reports whether the process still runs.
func (p *Process) Runs() bool {
	return p.cmd.ProcessState == nil && p.cmd.Process.Signal(syscall.Signal(0)) == nil
}

// End kills the process. It may be called more than once.
func (p *Process) End() {
	if p.cmd.ProcessState == nil {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	}
}

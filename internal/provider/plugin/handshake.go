package plugin

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"syscall"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/landbridge-io/landbridge/internal/child"
	"github.com/landbridge-io/landbridge/internal/text"
)

// Reason is the reason why a provider did not start.
type Reason string

// Reasons of StartError.
const (
	// NotFound: the file does not exist.
	NotFound Reason = "NotFound"
	// NotExecutable: the file exists, but this machine cannot run it.
	NotExecutable Reason = "NotExecutable"
	// ChecksumMismatch: the file has changed since its checksum was taken.
	ChecksumMismatch Reason = "ChecksumMismatch"
	// NotAProvider: the program runs, but its output is not the handshake of a provider.
	NotAProvider Reason = "NotAProvider"
	// IncompatibleProtocol: the provider supports neither protocol 5 nor 6.
	IncompatibleProtocol Reason = "IncompatibleProtocol"
	// Exited: the program ended before the handshake.
	Exited Reason = "Exited"
	// TimedOut: the handshake did not arrive in time.
	TimedOut Reason = "TimedOut"
	// SandboxFailed: the process cannot be restricted as it must be.
	SandboxFailed Reason = "SandboxFailed"
	// Detached: the process that the provider is attached to is gone.
	Detached Reason = "Detached"
	// Failed: any other failure, including failures of this program.
	Failed Reason = "Failed"
)

// StartError is the error of a provider that did not start.
type StartError struct {
	Reason Reason
	// Path is the provider's binary, or its address if it is attached.
	Path string
	// Detail describes the failure to users, in one sentence.
	Detail string
	// Output is the last lines of the provider's output, without secrets.
	Output []string
	Err    error
}

func (e *StartError) Error() string {
	s := fmt.Sprintf("provider %s: %s", e.Path, e.Detail)
	if len(e.Output) > 0 {
		s += "; it wrote: " + strings.Join(e.Output, " | ")
	}
	return s
}

func (e *StartError) Unwrap() error { return e.Err }

// explainStart returns the StartError of a failed start. died reports whether the process ended by
// itself, timedOut and cancelled why it was killed.
func explainStart(err error, p *process, died, timedOut, cancelled bool) *StartError {
	line, hasLine := p.output.firstLine()
	e := &StartError{Err: err, Output: p.output.last()}
	switch {
	case cancelled:
		e.Reason, e.Detail = Failed, "its start was cancelled"
	case timedOut && !p.started.Load():
		e.Reason, e.Detail = TimedOut, "its process was not started in time"
	case !p.started.Load():
		e.Reason = NotExecutable
		switch {
		case errors.Is(err, child.ErrNoSandbox), errors.Is(err, child.ErrNoPorts):
			e.Reason, e.Detail = SandboxFailed, "it cannot run in its sandbox: "+err.Error()
		case errors.Is(err, syscall.ENOEXEC):
			e.Detail = "it is not a program that this machine can run"
		case errors.Is(err, fs.ErrPermission):
			e.Detail = "it may not be run: permission denied"
		case errors.Is(err, fs.ErrNotExist):
			e.Detail = "it needs an interpreter or loader that this machine does not have"
		default:
			e.Reason, e.Detail = Failed, "it cannot be started: "+err.Error()
		}
	case hasLine:
		e.Reason, e.Detail = explainHandshake(p.output.redact.Replace(line))
		switch {
		case e.Reason != "":
		case timedOut:
			e.Reason, e.Detail = TimedOut, "it printed the plugin handshake, but did not answer in time"
		case died:
			e.Reason, e.Detail = Exited, "it ended at its start: it "+p.exited()
		case status.Code(err) == codes.ResourceExhausted:
			e.Reason, e.Detail = Failed, status.Convert(err).Message()
		default:
			e.Reason, e.Detail = Failed, "the connection to it failed: "+status.Convert(err).Message()
		}
	case timedOut:
		e.Reason, e.Detail = TimedOut, "it did not print the plugin handshake in time"
	default:
		e.Reason, e.Detail = Exited, "it ended at its start: it "+p.exited()
	}
	return e
}

// explainHandshake returns why a handshake line is invalid. The reason is empty if it is valid.
func explainHandshake(line string) (Reason, string) {
	shown := text.Shorten(line, 120)
	parts := strings.Split(strings.TrimSpace(line), "|")
	if len(parts) < 4 {
		return NotAProvider, fmt.Sprintf("it is not a Terraform provider: it printed %q instead of the plugin handshake", shown)
	}
	core, err1 := strconv.Atoi(parts[0])
	app, err2 := strconv.Atoi(parts[1])
	switch {
	case err1 != nil || err2 != nil:
		return NotAProvider, fmt.Sprintf("it is not a Terraform provider: it printed %q instead of the plugin handshake", shown)
	case core != 1:
		return NotAProvider, fmt.Sprintf("it uses version %d of the plugin handshake, but only version 1 is supported", core)
	case app != 5 && app != 6:
		return IncompatibleProtocol,
			fmt.Sprintf("it speaks plugin protocol %d; protocols 5 and 6 are supported, so another version of the "+
				"provider is needed", app)
	case len(parts) < 5 || parts[4] != "grpc":
		return NotAProvider, "it does not use gRPC, which protocols 5 and 6 require"
	default:
		return "", ""
	}
}

package ui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/landbridge-io/landbridge/internal/child"
)

// Program is the program landbridge, which does what needs providers on the person's machine.
type Program struct {
	// Path is that of the program.
	Path string
	// Flags say which cluster commands work with, such as --context.
	Flags []string
}

const (
	// commandTimeout is how long a command may take.
	commandTimeout = 5 * time.Minute
	// defaultSystem is the namespace of the controller, unless another one is given.
	defaultSystem = "landbridge-system"
	// maxCommands is the number of commands that run at the same time.
	maxCommands = 2
)

// output is what a command has printed.
type output struct{ stdout, stderr string }

// run runs a command. The error is what the command has printed if it has written nothing else: one
// that reports a part of a failure on standard error has succeeded with the rest.
func (s *Server) run(ctx context.Context, stdin string, args ...string) (output, error) {
	if s.program == nil {
		return output{}, errors.New("the page cannot run this command here. Run it on your machine")
	}
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	select {
	case s.commands <- struct{}{}:
		defer func() { <-s.commands }()
	case <-ctx.Done():
		return output{}, ctx.Err()
	}
	cmd := exec.CommandContext(ctx, s.program.Path, append(args, s.program.Flags...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	if err := child.Start(cmd); err != nil {
		return output{}, err
	}
	err := cmd.Wait()
	out := output{stdout.String(), strings.TrimSpace(stderr.String())}
	switch {
	case ctx.Err() != nil:
		return out, fmt.Errorf("the command was ended: %w", ctx.Err())
	case err != nil && out.stdout == "":
		return out, errors.New(strings.TrimPrefix(out.stderr, "Error: "))
	}
	return out, nil
}

// commandLine returns a command with its flags, to copy.
func (s *Server) commandLine(args ...string) string {
	if s.program != nil {
		args = append(args, s.program.Flags...)
	}
	words := []string{"landbridge"}
	for _, a := range args {
		words = append(words, quote(a))
	}
	return strings.Join(words, " ")
}

// quote returns an argument as a shell takes it.
func quote(arg string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=,@%+", r)
	}
	if arg != "" && strings.IndexFunc(arg, func(r rune) bool { return !plain(r) }) < 0 {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"
)

// Statuses of commands that fail.
const (
	// Fatal is the status of a command that could not be carried out.
	Fatal = 128
	// Usage is the status of a command, or of an option, that there is not.
	Usage = 129
	// terminated is the status after SIGTERM, as a shell reports it.
	terminated = 143
)

// compatible is the release of Git that commands behave like. go-getter compares it with those that
// it needs.
const compatible = "2.39.0"

// library is the module that does the work.
const library = "github.com/go-git/go-git/v5"

// patience is how long a command that was cancelled may take to end by itself.
const patience = 3 * time.Second

// Invocation is how a process was started.
type Invocation struct {
	// Args are the arguments after the program's name.
	Args []string
	// Dir is the absolute path of the working directory.
	Dir string
	// Env returns the value of a variable of the environment; empty if it is not set.
	Env func(string) string
	// Stdout and Stderr are the standard output and the standard error.
	Stdout, Stderr io.Writer
}

// failure is an error that is shown as it is. Without a text, the status says it all.
type failure struct {
	status int
	text   string
}

func (f failure) Error() string { return f.text }

// fatalf returns the error of a command that could not be carried out.
func fatalf(format string, args ...any) error {
	return failure{Fatal, "fatal: " + fmt.Sprintf(format, args...)}
}

// command is one of git's commands. A flag is true if it has a value.
type command struct {
	usage string
	flags map[string]bool
	run   func(context.Context, *process, arguments) error
}

// commands are all that there are: what go-getter 1.4 to 1.8 runs.
var commands map[string]command

func init() {
	commands = map[string]command{
		"version": {"version", nil, version},
		"ls-remote": {
			"ls-remote [--symref] [--] <repository> [<pattern>...]",
			map[string]bool{"--symref": false},
			lsRemote,
		},
		"clone": {"clone [--depth <n>] [--branch <name>] [--] <repository> <directory>",
			map[string]bool{"--depth": true, "--branch": true}, clone},
		"init":   {"init", nil, initialize},
		"remote": {"remote add <name> [--] <repository>", nil, remote},
		"fetch": {"fetch [--tags] [--depth <n>] [<remote> [--] [<ref>]]",
			map[string]bool{"--tags": false, "--depth": true}, fetch},
		"pull": {"pull --ff-only [--depth <n>] [<remote> [--] [<ref>]]",
			map[string]bool{"--ff-only": false, "--depth": true}, pull},
		"rev-parse": {"rev-parse --verify [--quiet] [--end-of-options] <revision>",
			map[string]bool{"--verify": false, "--quiet": false, "-q": false}, revParse},
		"show-ref": {"show-ref --verify [--quiet] <ref>",
			map[string]bool{"--verify": false, "--quiet": false, "-q": false}, showRef},
		"branch": {
			"branch -r --points-at <revision>",
			map[string]bool{"-r": false, "--points-at": true},
			branch,
		},
		"checkout": {"checkout <branch or revision>", nil, checkout},
		"reset":    {"reset --hard <revision>", map[string]bool{"--hard": false}, reset},
		"submodule": {"submodule update --init --recursive [--depth <n>]",
			map[string]bool{"--init": false, "--recursive": false, "--depth": true}, submodule},
	}
}

// process is a command while it runs.
type process struct {
	Invocation
	settings []setting

	mu       sync.Mutex
	cleanups []func()
}

// Run carries out a command and returns the status of the process. If ctx ends, what the command
// has made is removed.
func Run(ctx context.Context, in Invocation) int {
	p := &process{Invocation: in}
	done := make(chan error, 1)
	go func() { done <- p.run(ctx) }()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		// What writes files or reads from the network ends at once. What does neither ends with the
		// process.
		select {
		case err := <-done:
			if err == nil {
				return 0
			}
		case <-time.After(patience):
		}
		p.clean()
		_, _ = fmt.Fprintln(in.Stderr, "fatal: terminated")
		return terminated
	}
	if err == nil {
		return 0
	}
	p.clean()
	if text := message(err); text != "" {
		_, _ = fmt.Fprintln(in.Stderr, text)
	}
	var f failure
	if errors.As(err, &f) {
		return f.status
	}
	return Fatal
}

// message returns what is shown of an error.
func message(err error) string {
	var f failure
	if errors.As(err, &f) {
		return f.text
	}
	return "fatal: " + err.Error()
}

// onFailure has something done if the command fails.
func (p *process) onFailure(clean func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cleanups = append(p.cleanups, clean)
}

func (p *process) clean() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, clean := range p.cleanups {
		clean()
	}
	p.cleanups = nil
}

func (p *process) run(ctx context.Context) error {
	name, args := "", p.Args
	if len(args) > 0 {
		name, args = args[0], args[1:]
	}
	if name == "--version" {
		name = "version"
	}
	c, ok := commands[name]
	if !ok {
		return unknown(name)
	}
	parsed, err := parse(c, args)
	if err != nil {
		return err
	}
	if p.settings, err = readSettings(p.Env); err != nil {
		return err
	}
	return c.run(ctx, p, parsed)
}

// unknown is the error for a command that there is not.
func unknown(name string) error {
	what := "no command was given"
	if name != "" {
		what = fmt.Sprintf("'%s' is not a git command", name)
	}
	var lines []string
	for _, c := range commands {
		lines = append(lines, "    git "+c.usage)
	}
	slices.Sort(lines)
	return failure{
		1,
		"git: " + what + ". This is the git of Landbridge's image, which has only the commands that " +
			"fetch modules:\n" + strings.Join(lines, "\n"),
	}
}

// version tells which release of Git this is like, and what it is made of.
func version(_ context.Context, p *process, _ arguments) error {
	made := "go-git"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == library {
				made += " " + m.Version
			}
		}
	}
	_, err := fmt.Fprintf(p.Stdout, "git version %s+landbridge (%s)\n", compatible, made)
	return err
}

package kinds

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/go-logr/logr"

	"github.com/landbridge-io/landbridge/internal/child"
	"github.com/landbridge-io/landbridge/internal/terraform/cli"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
)

// CommandLine finds the program for spec.execution: CLI and for modules. The zero value uses tofu
// from PATH.
type CommandLine struct {
	// Program is the path of OpenTofu or Terraform, or a name to look up in PATH. Defaults to tofu.
	Program string
	// Sandbox is whether the program is restricted. Defaults to BestEffort.
	Sandbox child.Mode
	// Dir, Parallelism, Changes and Patience are those of commandline.Options.
	Dir         string
	Parallelism int
	Changes     int
	Patience    time.Duration
	Logger      logr.Logger

	mu     sync.Mutex
	runner *cli.Runner
	closed bool
}

// Apart returns another command line with the same options; one with the defaults for nil.
func (c *CommandLine) Apart() *CommandLine {
	if c == nil {
		return &CommandLine{}
	}
	return &CommandLine{
		Program: c.Program, Sandbox: c.Sandbox, Dir: c.Dir, Parallelism: c.Parallelism, Changes: c.Changes,
		Patience: c.Patience, Logger: c.Logger,
	}
}

// Runner returns a runner of the program. The first call looks the program up; after a failure the
// next call tries again.
func (c *CommandLine) Runner(ctx context.Context) (*cli.Runner, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.runner != nil:
		if _, err := os.Stat(c.runner.Program().Path); errors.Is(err, fs.ErrNotExist) {
			return nil, &commandline.ProgramError{
				Reason: commandline.NotFound, Path: c.runner.Program().Path,
				Detail: "the program was removed", Err: err,
			}
		}
		return c.runner, nil
	case c.closed:
		return nil, errors.New("the controller is stopping")
	}
	name := c.Program
	if name == "" {
		name = "tofu"
	}
	program, err := commandline.Find(ctx, name)
	if err != nil {
		return nil, err
	}
	c.runner, err = cli.New(commandline.Options{
		Program: program, Dir: c.Dir, Parallelism: c.Parallelism, Changes: c.Changes, Patience: c.Patience, Logger: c.Logger,
		Sandbox: c.Sandbox,
	})
	return c.runner, err
}

// Close removes the directory for workspaces. No operation may be running.
func (c *CommandLine) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.runner == nil {
		return nil
	}
	return c.runner.Close()
}

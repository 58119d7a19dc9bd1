package terraformprovider

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/cli"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
)

// CommandLine is the program for spec.execution: CLI. The zero value is tofu, found in PATH.
type CommandLine struct {
	// Program is the path of OpenTofu or Terraform, or a name to be looked for in PATH; tofu unless set.
	Program string
	// Dir, Parallelism, Changes and Patience are those of cli.Options.
	Dir         string
	Parallelism int
	Changes     int
	Patience    time.Duration
	Logger      logr.Logger

	mu     sync.Mutex
	runner *cli.Runner
	closed bool
}

// Runner finds the program when it is first wanted. What fails is tried again.
func (c *CommandLine) Runner(ctx context.Context) (*cli.Runner, error) { return c.get(ctx) }

// get finds the program when it is first wanted. What fails is tried again.
func (c *CommandLine) get(ctx context.Context) (*cli.Runner, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.runner != nil:
		if _, err := os.Stat(c.runner.Program().Path); errors.Is(err, fs.ErrNotExist) {
			return nil, &cli.ProgramError{Reason: cli.NotFound, Path: c.runner.Program().Path, Detail: "there is no such program any more", Err: err}
		}
		return c.runner, nil
	case c.closed:
		return nil, errors.New("the controller is being stopped")
	}
	name := c.Program
	if name == "" {
		name = "tofu"
	}
	program, err := cli.Find(ctx, name)
	if err != nil {
		return nil, err
	}
	c.runner, err = cli.New(cli.Options{
		Program: program, Dir: c.Dir, Parallelism: c.Parallelism, Changes: c.Changes, Patience: c.Patience, Logger: c.Logger,
	})
	return c.runner, err
}

// Close removes what is left in the directory for workspaces. Nothing may be under way.
func (c *CommandLine) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.runner == nil {
		return nil
	}
	return c.runner.Close()
}

// execution is how Terraform's work is done for a provider's resources.
type execution struct {
	way    v1alpha1.Execution
	runner *cli.Runner // nil unless the way is CLI
}

// execution finds out how it is to be done.
func (r *Reconciler) execution(ctx context.Context, p *v1alpha1.TerraformProvider, from origin) (execution, *problem) {
	if p.Spec.Execution == v1alpha1.ExecutionCLI {
		runner, err := r.CommandLine.get(ctx)
		if err != nil {
			return execution{}, &problem{v1alpha1.TypeHealthy, v1alpha1.ReasonExecutionUnavailable,
				fmt.Errorf("spec.execution: CLI: %w; have the controller started with --cli and the path of OpenTofu or Terraform, or use another way", err), true}
		}
		return execution{v1alpha1.ExecutionCLI, runner}, nil
	}
	if from.linked {
		return execution{way: v1alpha1.ExecutionInProcess}, nil
	}
	return execution{way: v1alpha1.ExecutionPlugin}, nil
}

// executor returns what makes executors for configured servers.
func (e execution) executor() func(provider.Server) terraform.Executor {
	if e.runner == nil {
		engines := new(engine.Factory)
		return func(s provider.Server) terraform.Executor { return engines.Engine(s) }
	}
	return func(s provider.Server) terraform.Executor { return e.runner.Executor(s) }
}

// program is the program that does it; empty without one.
func (e execution) program() string {
	if e.runner == nil {
		return ""
	}
	return e.runner.Program().String()
}

// limitation is what cannot be done; empty if there is nothing.
func (e execution) limitation() string {
	if e.runner == nil {
		return ""
	}
	var lacks []string
	p := e.runner.Program()
	if !p.Identity {
		lacks = append(lacks, "resource identities, so that nothing can be imported by identity")
	}
	if !p.WriteOnly {
		lacks = append(lacks, "write-only attributes, so that none can be set")
	}
	if len(lacks) == 0 {
		return ""
	}
	return fmt.Sprintf("%s does not know %s.", p, strings.Join(lacks, ", nor "))
}

package commandline

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/go-logr/logr"
	"golang.org/x/sync/semaphore"

	"github.com/landbridge-io/landbridge/internal/child"
)

// Options are the options of a Runner. Only Program is required.
type Options struct {
	Program *Program
	// Dir holds the directories of runs, which contain secrets while a run lasts: a file system in
	// memory is best. Its path must be short, since sockets are made in it. Defaults to the
	// system's temporary directory.
	Dir string
	// Parallelism is the maximum number of runs at the same time, not counting those that wait for
	// a provider's change. Defaults to the number of processors, but at least 4.
	Parallelism int
	// Changes is the maximum number of changes at the same time, each with a run that waits for it
	// and takes memory. Defaults to 32.
	Changes int
	// Patience is the time after which a run is killed that writes nothing and does not wait for a
	// provider. Defaults to 2 minutes.
	Patience time.Duration
	// Hidden are files and folders that programs cannot read, besides credentials for Kubernetes
	// and the directories of other runs.
	Hidden []string
	// Sandbox is whether programs are restricted. Defaults to BestEffort.
	Sandbox child.Mode
	Logger  logr.Logger
}

// Runner runs a program. Make one with New, and Close it.
type Runner struct {
	options    Options
	workspaces *workspaces
	runs       *semaphore.Weighted
	changes    *semaphore.Weighted
}

// New returns a runner, and removes the directories that killed processes left behind.
func New(o Options) (*Runner, error) {
	if o.Parallelism <= 0 {
		o.Parallelism = max(4, runtime.GOMAXPROCS(0))
	}
	if o.Changes <= 0 {
		o.Changes = 32
	}
	if o.Patience == 0 {
		o.Patience = 2 * time.Minute
	}
	if err := o.Sandbox.Check(); err != nil {
		return nil, err
	}
	w, err := openWorkspaces(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("cannot create a directory for workspaces: %w", err)
	}
	return &Runner{
		options: o, workspaces: w,
		runs: semaphore.NewWeighted(int64(o.Parallelism)), changes: semaphore.NewWeighted(int64(o.Changes)),
	}, nil
}

// Program returns the program that the runner runs.
func (r *Runner) Program() *Program { return r.options.Program }

// Close removes the directories of all runs. No run may be in progress.
func (r *Runner) Close() error { return r.workspaces.close() }

// Use is what a Turn counts as.
type Use int

// The uses of a Turn.
const (
	// Working is a run that is busy itself.
	Working Use = 1 << iota
	// Changing is a run that waits for changes that providers make.
	Changing
)

// Turn is the permission to run commands, one after the other. Release it.
type Turn struct {
	runner *Runner
	use    Use
}

// Turn waits until a run of the given use may start.
func (r *Runner) Turn(ctx context.Context, use Use) (*Turn, error) {
	t := &Turn{runner: r}
	// A change waits for its place before it takes one of those that work.
	if use&Changing != 0 {
		if err := r.changes.Acquire(ctx, 1); err != nil {
			return nil, err
		}
		t.use |= Changing
	}
	if use&Working != 0 {
		if err := r.runs.Acquire(ctx, 1); err != nil {
			t.Release()
			return nil, err
		}
		t.use |= Working
	}
	return t, nil
}

// Release ends the turn.
func (t *Turn) Release() {
	if t.use&Working != 0 {
		t.runner.runs.Release(1)
	}
	if t.use&Changing != 0 {
		t.runner.changes.Release(1)
	}
	t.use = 0
}

// Suspend lets another run work while this one only waits. The returned function takes the place
// back; it does not wait for long, since no run keeps its place while it waits.
func (t *Turn) Suspend() (resume func()) {
	if t.use&Working == 0 {
		return func() {}
	}
	t.runner.runs.Release(1)
	return func() { _ = t.runner.runs.Acquire(context.Background(), 1) }
}

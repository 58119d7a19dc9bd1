package commandline

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/go-logr/logr"

	"github.com/landbridge-io/landbridge/internal/child"
	"github.com/landbridge-io/landbridge/internal/slots"
)

// Options are the options of a Runner. Only Program is required.
type Options struct {
	Program *Program
	// Dir holds the directories of runs, which contain secrets while a run lasts: a file system in
	// memory is best. Its path must be short, since sockets are made in it. Defaults to the
	// system's temporary directory.
	Dir string
	// Parallelism is the number of runs at the same time, not counting those that wait for a
	// provider's change. Namespaces that have none may have further ones (package slots). Defaults
	// to the number of processors, but at least 4.
	Parallelism int
	// Changes is the number of changes at the same time, likewise, each with a run that waits for
	// it and takes memory. Defaults to 32.
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
	runs       *slots.Slots
	changes    *slots.Slots
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
		runs: slots.New(o.Parallelism), changes: slots.New(o.Changes),
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
	// endWork and endChange release the slots; nil without one.
	endWork, endChange func()
	// again is the context for a place that is taken back.
	again context.Context //nolint:containedctx // of the same turn
}

// Turn waits until a run of the given use may start. Runs are divided among the owners of contexts
// (slots.WithOwner), which are namespaces.
func (r *Runner) Turn(ctx context.Context, use Use) (*Turn, error) {
	t := &Turn{runner: r, use: use, again: context.WithoutCancel(ctx)}
	// A change waits for its place before it takes one of those that work.
	var err error
	if use&Changing != 0 {
		if t.endChange, err = r.changes.Acquire(ctx); err != nil {
			return nil, err
		}
	}
	if use&Working != 0 {
		if t.endWork, err = r.runs.Acquire(ctx); err != nil {
			t.Release()
			return nil, err
		}
	}
	return t, nil
}

// Release ends the turn.
func (t *Turn) Release() {
	for _, end := range []func(){t.endWork, t.endChange} {
		if end != nil {
			end()
		}
	}
	t.endWork, t.endChange, t.use = nil, nil, 0
}

// Suspend lets another run work while this one only waits. The returned function takes the place
// back; it does not wait for long, since no run keeps its place while it waits.
func (t *Turn) Suspend() (resume func()) {
	if t.endWork == nil {
		return func() {}
	}
	t.endWork()
	return func() { t.endWork, _ = t.runner.runs.Acquire(t.again) }
}

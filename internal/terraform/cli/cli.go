package cli

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/go-logr/logr"
	"golang.org/x/sync/semaphore"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Options of a Runner. Program is all it needs.
type Options struct {
	Program *Program
	// Dir is where workspaces are made, the system's temporary directory unless set. What is in them
	// for the time of a run holds secrets: a file system in memory is best. Its path must be short.
	Dir string
	// Parallelism is how many runs may be at work at once; as many as there are processors, but at
	// least 4, unless set. Those that wait for a provider's change are not at work.
	Parallelism int
	// Changes is how many changes may be under way at once, each with a run that waits for it and its
	// memory; 32 unless set.
	Changes int
	// Patience is how long a run may go on without saying anything and without waiting for the
	// provider; 2 minutes unless set.
	Patience time.Duration
	Logger   logr.Logger
}

// Runner runs the program, for any number of providers. Make one with New, and Close it.
type Runner struct {
	options    Options
	workspaces *workspaces
	turns      *semaphore.Weighted
	changes    *semaphore.Weighted
	schemas    schemas
}

// New makes a runner, and removes what processes that are no more have left behind in its directory.
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
	w, err := openWorkspaces(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("making a directory for workspaces: %w", err)
	}
	return &Runner{options: o, workspaces: w, turns: semaphore.NewWeighted(int64(o.Parallelism)), changes: semaphore.NewWeighted(int64(o.Changes))}, nil
}

// Program is the program it runs.
func (r *Runner) Program() *Program { return r.options.Program }

// Close removes the directory of the workspaces. No run may be under way.
func (r *Runner) Close() error { return r.workspaces.close() }

// Executor is an executor over a configured server. Whoever takes many for the same server loses
// nothing by it.
func (r *Runner) Executor(server provider.Server) *Executor {
	return &Executor{runner: r, server: server}
}

// Executor is a terraform.Executor. Use Runner.Executor to make one.
type Executor struct {
	runner *Runner
	server provider.Server
}

var _ terraform.Executor = (*Executor)(nil)

// job is one run to be made.
type job struct {
	args          []string
	configuration configuration
	state         instance.Instance
	session       *session
	// undemanding has an empty configuration do.
	undemanding bool
}

// outcome is what came of a run.
type outcome struct {
	output
	told
	log
	// state is the state file afterwards; nil without one.
	state []byte
}

// ok says whether the run ended well.
func (o outcome) ok() bool { return o.killed == nil && o.code == 0 && !o.diagnostics.HasErrors() }

var (
	validating = []string{"validate", "-json"}
	common     = []string{"-json", "-input=false", "-lock=false"}
	planning   = append([]string{"plan", "-refresh=false"}, common...)
	applying   = append([]string{"apply", "-auto-approve", "-refresh=false", "-backup=-"}, common...)
	refreshing = append([]string{"apply", "-auto-approve", "-refresh-only", "-backup=-"}, common...)
)

// run makes a run. With errors there was none, and the provider was not asked anything of the object.
func (e *Executor) run(ctx context.Context, j job) (outcome, diagnostic.Diagnostics) {
	r := e.runner
	if j.session.apply != nil {
		if err := r.changes.Acquire(ctx, 1); err != nil {
			return outcome{}, provider.CallError(provider.NotSent(err))
		}
		defer r.changes.Release(1)
	}
	if err := r.turns.Acquire(ctx, 1); err != nil {
		return outcome{}, provider.CallError(provider.NotSent(err))
	}
	defer r.turns.Release(1)
	j.session.meanwhile = func() func() {
		r.turns.Release(1)
		return func() { _ = r.turns.Acquire(context.Background(), 1) } // nobody has it for long
	}
	known, diags := r.schemas.get(ctx, e.server, j.configuration.resource.Schema.Type)
	if diags.HasErrors() {
		return outcome{}, diags
	}
	if j.undemanding {
		known = undemanding(known, j.configuration.resource.Schema.Type)
	}
	fail := func(err error) (outcome, diagnostic.Diagnostics) {
		return outcome{}, diagnostic.Errorf("The command line cannot be run", "There is nowhere for %s to work: %s.", r.options.Program, err)
	}
	p, diags := e.server.Schema(ctx)
	if diags.HasErrors() {
		return outcome{}, diags
	}
	j.configuration.meta = p.Meta
	config, err := j.configuration.encode()
	if err != nil {
		return outcome{}, diagnostic.Errorf("Configuration cannot be written", "The configuration of %s cannot be said in the language of %s: %s.", j.configuration.resource.Schema.Type, r.options.Program.Product, err)
	}
	state, err := writeState(r.options.Program, j.configuration.resource.Schema, j.state)
	if err != nil {
		return fail(err)
	}
	w, err := r.workspaces.open()
	if err != nil {
		return fail(err)
	}
	defer w.close()
	if err := w.write(configFile, config); err != nil {
		return fail(err)
	}
	if err := w.write(stateFile, state); err != nil {
		return fail(err)
	}
	s := j.session
	s.Server, s.ctx, s.served, s.supplies = e.server, ctx, known, !r.options.Program.Identity
	if s.supplies {
		s.supply(ctx, j.configuration.resource.Schema, j.state)
	}
	a, err := attach(w.path(socketName), s)
	if err != nil {
		return fail(err)
	}
	var out outcome
	begun := time.Now()
	program := run{
		path: r.options.Program.Path, args: j.args, dir: w.dir, busy: s.flight.busy, patience: r.options.Patience,
		env: environment(map[string]string{
			"HOME": w.dir, "TMPDIR": w.dir, "TF_CLI_CONFIG_FILE": os.DevNull, "TF_REATTACH_PROVIDERS": a.variable(),
		}),
	}
	if j.args[0] != validating[0] {
		tell := provider.Progress(ctx)
		program.line = func(line []byte) {
			if text := out.take(line); text != "" && tell != nil {
				tell(string(r.options.Program.Product) + ": " + text)
			}
		}
	}
	out.output, err = program.do(ctx)
	a.close()
	// The provider is not left alone with what it was asked to change.
	s.end()
	if err != nil {
		return outcome{}, diagnostic.Errorf("The command line cannot be run", "%s does not start: %s.", r.options.Program, err)
	}
	out.log = s.said()
	if j.args[0] == validating[0] {
		out.takeValidation(out.stdout)
	}
	out.output.stdout = nil
	if out.state, err = w.read(stateFile); err != nil {
		out.state = nil
	}
	r.options.Logger.V(1).Info("ran", "command", j.args[0], "type", j.configuration.resource.Schema.Type, "took", time.Since(begun).String(), "status", out.code)
	return out, nil
}

// conclude says what is to be said after a run: what the answers mean, if that is an error; else
// what the program has to say.
func (e *Executor) conclude(out outcome, r *replay, judged diagnostic.Diagnostics) diagnostic.Diagnostics {
	switch {
	case judged.HasErrors() && !r.missing:
		return judged
	case out.ok() && r.missing:
		return diagnostic.Errorf("Unexpected answer of the command line", "%s ended well without asking the provider for what it needs to know.", e.runner.options.Program)
	case !out.ok():
		return e.failed(out)
	}
	return append(judged, e.warnings(out, judged)...)
}

// failed is what the program says of its failure.
func (e *Executor) failed(out outcome) diagnostic.Diagnostics {
	if out.diagnostics.HasErrors() && out.killed == nil {
		return unique(out.diagnostics)
	}
	detail := fmt.Sprintf("%s did not do its work: %s.", e.runner.options.Program, out.ended())
	for _, text := range []string{out.stderr, out.strange} {
		if text = shorten(text); text != "" {
			detail += " It wrote: " + text
			break
		}
	}
	return append(out.diagnostics.Warnings(), diagnostic.Errorf("The command line failed", "%s", detail)...)
}

// warnings are the program's own.
func (e *Executor) warnings(out outcome, known diagnostic.Diagnostics) diagnostic.Diagnostics {
	return unique(without(out.diagnostics.Warnings(), known))
}

func unique(in diagnostic.Diagnostics) diagnostic.Diagnostics {
	var out diagnostic.Diagnostics
	seen := map[string]bool{}
	for _, d := range in {
		key := string(d.Severity) + "\x00" + d.Summary + "\x00" + d.Detail
		if !seen[key] {
			seen[key] = true
			out = append(out, d)
		}
	}
	return out
}

// replay is the provider as it answered during a run.
func (e *Executor) replay(said log) *replay { return &replay{Server: e.server, log: said} }
